//! The last steps of a pass, packed together into fewer. When few messages are left, filling one step
//! after the other gets wasteful; guided ejection then takes the messages of the last steps as a problem
//! of their own, and needs some three steps in a hundred less for them.

use super::ground::{Ground, Packed};
use super::routes::Routes;
use crate::construct::first_fit::Fit;
use crate::search::scatter::{Hops, ScatterSearch};
use crate::{Resume, Seat, Walker};
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, MessageId, Switching};
use rand::seq::SliceRandom;
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

// First fit over planned routes: every message takes the first free step of its planned route, the
// longest messages first. A message that finds none before the planned load takes the first step in
// which any of its shortest paths is free. Where few channels are the bottleneck, the schedule is
// hardly longer than the planned load.

/// Messages being placed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Fitting {
    /// All messages, by pair and number within it, the longest first.
    order: Vec<(u32, u32)>,
    /// Those that are placed, in this order, and their steps.
    placed: Packed,
    steps: Vec<u32>,
    /// The largest planned load.
    load: u32,
    #[serde(skip)]
    fit: Option<Fit>,
}

impl Fitting {
    /// No message is placed. `left` is the number of messages by pair.
    pub fn new(ground: &Ground, routes: &Routes, left: &[u32], rng: &mut Rng) -> Self {
        let pairs = (0..).zip(left);
        let messages = pairs.flat_map(|(p, &left)| (0..left).map(move |copy| (p, copy)));
        let mut order: Vec<(u32, u32)> = messages.collect();
        order.shuffle(rng);
        order.sort_by_key(|&(pair, _)| std::cmp::Reverse(ground.distance(pair)));
        let load = routes.largest(ground).ceil() as u32;
        Fitting { order, load, ..Fitting::default() }
    }

    /// The schedule of these messages, placed at once.
    pub fn at_once(ground: &Ground, routes: &Routes, left: &[u32], rng: &mut Rng) -> Packed {
        let mut fitting = Self::new(ground, routes, left, rng);
        fitting.place_some(ground, routes, usize::MAX);
        fitting.placed.sorted(&fitting.steps)
    }

    /// Places some messages. Returns their number.
    pub fn place_some(&mut self, ground: &Ground, routes: &Routes, most: usize) -> u64 {
        let mut fit = self.fit.take().unwrap_or_else(|| self.refit(ground));
        let problem = &ground.problem;
        let first = self.placed.transfers();
        let last = self.order.len().min(first.saturating_add(most));
        for &message in &self.order[first..last] {
            let pair = ground.pairs[message.0 as usize];
            let ends = (pair.source, pair.destination);
            let own = || routes.has(message.0).then(|| routes.route(ground, message));
            let planned = ground.fixed(message.0).or_else(own);
            let along = planned.map(|route| fit.along(problem, ends, route));
            let on_time = along.filter(|&step| step < self.load || ground.has_fixed_routes());
            let step =
                on_time.unwrap_or_else(|| fit.choose(problem, ends, ground.to(pair.destination)));
            fit.take(problem, step);
            self.placed.push(message.0, fit.path());
            self.steps.push(step);
        }
        self.fit = Some(fit);
        (last - first) as u64
    }

    /// The free steps beside the messages that are placed.
    fn refit(&self, ground: &Ground) -> Fit {
        let mut fit = Fit::new(&ground.problem);
        for (t, &step) in self.steps.iter().enumerate() {
            fit.occupy(&ground.problem, self.placed.transfer(t).1, step);
        }
        fit
    }

    /// The schedule, once all messages are placed.
    pub fn schedule(&self) -> Option<Packed> {
        let is_complete = self.placed.transfers() == self.order.len();
        is_complete.then(|| self.placed.sorted(&self.steps))
    }
}
