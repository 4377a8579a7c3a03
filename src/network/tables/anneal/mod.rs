//! Simulated annealing of tables, on a few islands that differ in temperature. The temperature falls in
//! every leg and begins anew in the next one. The search ends at a load that no table can be below, or
//! after a number of moves.

mod acyclic;
mod core;
mod pairs;
mod pressure;
mod trees;

pub(super) use self::core::Core;
pub(super) use acyclic::Acyclic;
pub(super) use pairs::Pairs;
pub(super) use pressure::Pressure;
pub(super) use trees::Trees;

use super::Left;
use ccsched_base::cores;
use ccsched_base::rng::{Rng, rng_of};

/// The highest temperature of each island, relative to the heat of its table.
const HEATS: [f64; 4] = [0.1, 0.03, 0.3, 0.01];
/// Levels of temperature in a leg. The largest load is measured after each.
const LEVELS: u32 = 32;
/// Legs without a better table after which the search ends.
const PATIENCE: u32 = 6;

/// Moves of the first leg by entry, and at least.
const PER_ENTRY: u64 = 4;
const SHORTEST: u64 = 500;
/// Moves after which the time is looked at.
const MOVES: u64 = 256;
/// Entries above which there are two islands.
const MANY: usize = 100_000;

/// A table that moves change.
pub(super) trait Moves: Clone + Send {
    /// Tries one change. It is kept if it is cheaper, and else sometimes, the oftener the hotter.
    fn propose(&mut self, temperature: f64, rng: &mut Rng);
    /// Moves of all islands together.
    fn most_moves(&self) -> u64 {
        // Large tables do not fit into the caches, and moves take longer.
        if self.entries() > MANY { 3_000_000 } else { 6_000_000 }
    }
    /// The number of entries that moves choose from.
    fn entries(&self) -> usize;
    /// The loads.
    fn pressure(&self) -> &Pressure;
    /// Sets the target.
    fn aim(&mut self, target: u32);
    /// The mean square of what a change moves.
    fn heat(&self) -> f64;
}

struct Island<M> {
    table: M,
    rng: Rng,
    heat: f64,
    best: M,
    least: u32,
}

/// The table of the smallest largest load that islands find, which begin with these. The search ends if that is `floor`:
/// no table has a smaller one; or when no time is left. Moves aim at this load first.
pub(super) fn anneal<M: Moves>(starts: &[M], floor: u32, left_time: Left<'_>) -> M {
    let first = &starts[0];
    if first.pressure().largest() <= floor || first.entries() == 0 || left_time() <= 0.0 {
        return first.clone();
    }
    let count = if first.entries() > MANY { 2 } else { HEATS.len() };
    let mut leg = (first.entries() as u64 * PER_ENTRY).max(SHORTEST);
    let mut left = first.most_moves() / count as u64;
    let island = |(number, &heat): (usize, &f64)| {
        let [table, best] = [0, 1].map(|_| starts[number % starts.len()].clone());
        let least = best.pressure().largest();
        Island { table, rng: rng_of(0, number, 2), heat, best, least }
    };
    let mut islands: Vec<Island<M>> = HEATS[..count].iter().enumerate().map(island).collect();
    let least = |islands: &[Island<M>]| islands.iter().map(|i| i.least).min().unwrap_or(0);
    let (mut idle, mut turn) = (0, 0);
    while left > 0 {
        leg = leg.min(left);
        left -= leg;
        let before = least(&islands);
        cores::each(islands.iter_mut().collect(), |island| island.leg(floor, leg, left_time));
        let now = least(&islands);
        if now <= floor || left_time() <= 0.0 {
            break;
        }
        idle = if now < before { 0 } else { idle + 1 };
        leg += leg / 2;
        if idle == PATIENCE {
            break;
        }
        // Where no table seems to reach the floor, a target between helps.
        turn += usize::from(idle > 0 || now > floor + floor / 10);
        for (number, island) in islands.iter_mut().enumerate() {
            let above = now - 1 - floor;
            let part = [0, above / 2, above * 3 / 4, above][(number + turn) % 4];
            island.table.aim(floor + if turn == 0 { 0 } else { part });
        }
    }
    let least = least(&islands);
    let best = islands.into_iter().find(|island| island.least == least);
    best.map_or_else(|| first.clone(), |island| island.best)
}

impl<M: Moves> Island<M> {
    /// The temperature falls once.
    fn leg(&mut self, floor: u32, moves: u64, left_time: Left<'_>) {
        let heat = self.heat * self.table.heat();
        for level in (0..LEVELS).rev() {
            let cold = f64::from(level) / f64::from(LEVELS);
            let temperature = heat * cold * cold;
            let mut is_late = false;
            for made in 1..=moves.div_ceil(LEVELS.into()) {
                self.table.propose(temperature, &mut self.rng);
                is_late = made.is_multiple_of(MOVES) && left_time() <= 0.0;
                if is_late || self.table.pressure().over().is_empty() {
                    break;
                }
            }
            let largest = self.table.pressure().largest();
            if largest < self.least {
                self.least = largest;
                self.best = self.table.clone();
            }
            if is_late || self.least <= floor {
                break;
            }
        }
    }
}
