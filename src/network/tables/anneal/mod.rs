//! Simulated annealing of tables, on a few islands that differ in temperature. The temperature falls in
//! every leg and begins anew in the next one. The search ends at a load that no table can be below, or
//! after a number of moves.

mod core;
mod pressure;
mod trees;

pub(super) use self::core::Core;
pub(super) use pressure::Pressure;
pub(super) use trees::Trees;

use crate::cores;
use crate::rng::{Rng, rng_of};

/// The highest temperature of each island, relative to the heat of its table.
const HEATS: [f64; 4] = [0.1, 0.03, 0.3, 0.01];
/// Levels of temperature in a leg. The largest load is measured after each.
const LEVELS: u32 = 32;
/// Legs without a better table after which the search ends.
const PATIENCE: u32 = 6;

/// Moves of the first leg by entry, and at least.
const PER_ENTRY: u64 = 4;
const SHORTEST: u64 = 10_000;
/// Moves of all islands together.
const MOST_MOVES: u64 = 6_000_000;
/// Entries above which there are two islands.
const MANY: usize = 100_000;

/// A table that moves change.
pub(super) trait Moves: Clone + Send {
    /// Tries one change. It is kept if it is cheaper, and else sometimes, the oftener the hotter.
    fn propose(&mut self, temperature: f64, rng: &mut Rng);
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

/// The tables of the smallest largest load that islands found, with which the search ends if it is `floor`: no table
/// has a smaller one. Moves aim at this load first.
pub(super) fn anneal<M: Moves>(start: M, floor: u32) -> Vec<M> {
    let least = start.pressure().largest();
    if least <= floor {
        return vec![start];
    }
    let count = if start.entries() > MANY { 2 } else { HEATS.len() };
    let mut leg = (start.entries() as u64 * PER_ENTRY).max(SHORTEST);
    // Large tables do not fit into the caches, and moves take longer.
    let mut left = MOST_MOVES / if count < HEATS.len() { 2 } else { 1 } / count as u64;
    let island = |(number, &heat): (usize, &f64)| Island {
        table: start.clone(),
        rng: rng_of(0, number, 2),
        heat,
        best: start.clone(),
        least,
    };
    let mut islands: Vec<Island<M>> = HEATS[..count].iter().enumerate().map(island).collect();
    let least = |islands: &[Island<M>]| islands.iter().map(|i| i.least).min().unwrap_or(0);
    let mut idle = 0;
    while left > 0 {
        leg = leg.min(left);
        left -= leg;
        let before = least(&islands);
        cores::each(islands.iter_mut().collect(), |island| island.leg(floor, leg));
        let now = least(&islands);
        if now <= floor {
            break;
        }
        idle = if now < before { 0 } else { idle + 1 };
        leg += leg / 2;
        if idle == PATIENCE {
            break;
        }
        // Where no table reaches the floor, a target between helps.
        for (number, island) in islands.iter_mut().enumerate() {
            let above = now - 1 - floor;
            let part = [0, above / 2, above * 3 / 4, above][(number + idle as usize) % 4];
            island.table.aim(floor + if idle == 0 { 0 } else { part });
        }
    }
    let least = least(&islands);
    islands.into_iter().filter(|island| island.least == least).map(|island| island.best).collect()
}

impl<M: Moves> Island<M> {
    /// The temperature falls once.
    fn leg(&mut self, floor: u32, moves: u64) {
        let heat = self.heat * self.table.heat();
        for level in (0..LEVELS).rev() {
            let cold = f64::from(level) / f64::from(LEVELS);
            let temperature = heat * cold * cold;
            for _ in 0..moves.div_ceil(LEVELS.into()) {
                self.table.propose(temperature, &mut self.rng);
                if self.table.pressure().over().is_empty() {
                    break;
                }
            }
            let largest = self.table.pressure().largest();
            if largest < self.least {
                self.least = largest;
                self.best = self.table.clone();
            }
            if self.least <= floor {
                break;
            }
        }
    }
}
