//! The last steps of a pass, packed together into fewer. When few messages are left, filling one step
//! after the other gets wasteful; guided ejection then takes the messages of the last steps as a problem
//! of their own, and needs some three steps in a hundred less for them.

use super::ground::Ground;
use super::packed::Packed;
use crate::search::scatter::{Hops, ScatterSearch};
use crate::{Resume, Seat, Walker};
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, MessageId, Switching};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Most messages, and most places of links in all steps together, for which guided ejection is quick
/// enough.
const MOST_MESSAGES: usize = 40_000;
const MOST_PLACES: u64 = 60_000_000;
/// The first step target is lower by one in this many.
const STRIDE: u32 = 16;
/// Moves for every message in search of one number of steps: of the next lower, and of others.
const PATIENCE: (u64, u64) = (1200, 60);

/// Relocations in an iteration, about: as long as an iteration that fills steps, so that islands do
/// not wait for each other. An ejection takes as long as [`EJECTION`] of them.
const EFFORT: u64 = 40_000;
const EJECTION: u64 = 3;

/// Guided ejection on the last steps.
#[derive(Clone)]
pub struct Finish {
    /// The first of these steps.
    first: usize,
    /// By message of the search: its pair.
    pairs: Vec<u32>,
    search: ScatterSearch,
    aim: Aim,
}

/// The target.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Aim {
    /// The fewest steps found, and how far the target is below.
    best: u32,
    stride: u32,
    /// Moves made for it.
    moves: u64,
}

/// The saved state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    first: usize,
    aim: Aim,
    search: Vec<u8>,
}

impl Finish {
    /// A search for the last steps of a schedule, from `floor` at the earliest: as many as it can take in
    /// good time, or `1 / share` of these; none if it would be one step.
    pub fn new(
        ground: &Ground,
        (packed, floor): (&Packed, usize),
        (share, island): (usize, usize),
        rng: &mut Rng,
    ) -> Option<Self> {
        let first = first_of(packed, share).max(floor);
        let best = (packed.len() - first) as u32;
        if best < 2 {
            return None;
        }
        let aim = Aim { best, stride: (best / STRIDE).max(1), moves: 0 };
        let mut finish = Self::of(ground, packed, (first, aim));
        finish.search.settle(Seat::among(island, 1));
        finish.seek(rng);
        Some(finish)
    }

    fn of(ground: &Ground, packed: &Packed, (first, aim): (usize, Aim)) -> Self {
        let steps = first..packed.len();
        let transfers = steps.flat_map(|step| packed.step(step)).map(|t| packed.transfer(t).0);
        let mut pairs: Vec<u32> = transfers.collect();
        // Always in this order, so that a saved search finds it again.
        pairs.sort_unstable();
        let ends = |pair: u32| &ground.pairs[pair as usize];
        let demand = |(message, &pair): (MessageId, &u32)| Demand {
            message,
            source: ends(pair).source,
            destination: ends(pair).destination,
        };
        let demands = (0..).zip(&pairs).map(demand).collect();
        let problem = ground.problem.with_switching(Switching::Wormhole).with_demands(demands);
        let problem = Arc::new(problem);
        let hops = Arc::new(Hops::new(problem.clone(), 0));
        Finish { first, pairs, search: ScatterSearch::new(problem, hops), aim }
    }

    /// Number of messages without a place.
    pub fn waiting(&self) -> u64 {
        self.search.cost()
    }

    /// Searches on. Returns the number of moves made.
    pub fn go_on(&mut self, rng: &mut Rng) -> u64 {
        let (mut moves, mut effort) = (0, 0);
        while effort < EFFORT && self.search.cost() > 0 {
            let made = self.search.iterate(rng);
            effort += if self.search.relocates() { made } else { EJECTION * made };
            moves += made;
        }
        self.aim.moves += moves;
        moves
    }

    /// Replaces the last steps of a schedule by those found, if all messages have a place, and seeks
    /// fewer.
    pub fn improve(&mut self, packed: &mut Packed, rng: &mut Rng) {
        if self.search.cost() > 0 {
            return;
        }
        packed.truncate(self.first);
        for step in self.search.plan().steps() {
            for t in step.iter() {
                packed.push(self.pairs[t.message as usize], t.channels);
            }
            packed.close_step();
        }
        self.aim.best = (packed.len() - self.first) as u32;
        self.seek(rng);
    }

    /// Raises the target, below the fewest steps found, if it is not reached in time. Returns false
    /// if no target is left.
    pub fn bears_on(&mut self, rng: &mut Rng) -> bool {
        if self.aim.best < 2 {
            return false;
        }
        let patience = if self.aim.stride == 1 { PATIENCE.0 } else { PATIENCE.1 };
        if self.aim.moves < patience * self.pairs.len() as u64 {
            return true;
        }
        if self.aim.stride == 1 {
            return false;
        }
        self.aim.stride /= 2;
        self.seek(rng);
        true
    }

    fn seek(&mut self, rng: &mut Rng) {
        let Aim { best, stride, .. } = self.aim;
        self.aim.moves = 0;
        // An empty schedule serves no message.
        self.search.seek(best.saturating_sub(stride).max(1), rng);
    }

    /// The state, from which [`Finish::load`] goes on.
    pub fn save(&self) -> Result<Saved, CommError> {
        Ok(Saved { first: self.first, aim: self.aim, search: self.search.save()? })
    }

    /// The search of a saved state, for the same schedule.
    pub fn load(ground: &Ground, packed: &Packed, saved: &Saved) -> Result<Self, CommError> {
        let Saved { first, aim, ref search } = *saved;
        if first > packed.len() || aim.stride == 0 {
            return Err(CommError::Unfit("steps"));
        }
        let mut finish = Self::of(ground, packed, (first, aim));
        finish.search.load(search)?;
        Ok(finish)
    }
}

/// The first of the last steps that the search can take in good time.
pub fn first_of(packed: &Packed, share: usize) -> usize {
    let (mut first, mut messages, mut hops) = (packed.len(), 0, 0);
    while first > 0 {
        let step = packed.step(first - 1);
        messages += step.len();
        hops += step.map(|t| packed.transfer(t).1.len()).sum::<usize>();
        let places = hops as u64 * (packed.len() - first + 1) as u64;
        if messages > MOST_MESSAGES / share || places > MOST_PLACES {
            break;
        }
        first -= 1;
    }
    first
}
