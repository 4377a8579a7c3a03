//! Large scatters on networks with narrow bottlenecks, such as the trunks of a leaf: the messages over
//! a bottleneck are scheduled first, all others around them.
//!
//! On a fabric a few links decide the number of steps; they must never be idle. Step packing fills
//! one step after the other and finds out at the end which messages it should have sent before. Here
//! the number of steps is fixed, at a bound to begin with. The messages take places in the
//! order of the loads on their planned routes, by guided ejection: a message without a free place
//! takes one where a bottleneck is free, and what it ejects there is mostly on no bottleneck and soon
//! finds another place. An attempt that stalls gives way to one with more steps.

mod places;
mod scan;
mod tight;

use super::packing::ground::Ground;
use super::packing::packed::Packed;
use crate::bounds;
use crate::comm::{CommError, codec};
use crate::engines::{Genome, Method, Resume, Walker};
use crate::problem::Problem;
use crate::rng::{Rng, rng_of};
use crate::schedule::Plan;
use places::Places;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tight::Tight;

/// With a larger share of the links as bottlenecks, step packing finds schedules as short, and sooner.
const MOST_SHARE: f64 = 0.4;
/// More messages, or more places of links and ports in all steps, take too long.
const MOST_MESSAGES: usize = 200_000;
const MOST_CELLS: u64 = 50_000_000;
/// Moves in an iteration.
const MOVES: u64 = 5_000;
/// Moves without progress before an attempt ends: for every transfer, at first.
const PATIENCE: u64 = 20;
/// The purpose of the generator that plans routes: islands use 0, the master 1, constructors 2.
const PURPOSE: usize = 3;

/// The search.
#[derive(Clone, Debug)]
pub struct Narrow {
    ground: Arc<Ground>,
    tight: Arc<Tight>,
    state: State,
}

/// Its state.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    /// No schedule has fewer steps.
    least: u32,
    /// Steps of the present attempt above the least.
    above: u32,
    /// Patience of an attempt, as a multiple of that of the first.
    patience: u64,
    /// The fewest transfers without a place in the attempt, and moves since.
    fewest: usize,
    moves: u64,
    places: Places,
    /// The best schedule, and whether it was not shown yet.
    best: Packed,
    is_new: bool,
}

impl Narrow {
    /// The search for a large scatter with wormhole switching over shortest paths, if the network has
    /// narrow bottlenecks.
    pub fn new(problem: &Arc<Problem>, seed: u64) -> Option<Self> {
        if problem.demands.len() > MOST_MESSAGES {
            return None;
        }
        let ground = Ground::new(problem.clone());
        let rng = &mut rng_of(seed, 0, PURPOSE);
        let tight = Tight::new(&ground, rng);
        let planned = tight.steps(&ground).ceil() as u64;
        let all: u64 = problem.resources.capacities().iter().map(|&c| u64::from(c)).sum();
        if tight.share(&ground) > MOST_SHARE || all * (planned + 64) > MOST_CELLS {
            return None;
        }
        let least = bounds::quick(problem).first().map_or(1, |bound| bound.steps);
        log::debug!(
            "bottlenecks: {:.3} of all links; planned load {planned}, bound {least}",
            tight.share(&ground)
        );
        let state = State {
            least,
            above: 0,
            patience: PATIENCE,
            fewest: usize::MAX,
            moves: 0,
            places: Places::default(),
            best: Packed::default(),
            is_new: false,
        };
        Some(Narrow { ground: Arc::new(ground), tight: Arc::new(tight), state })
    }

    /// Begins an attempt.
    fn begin(&mut self, rng: &mut Rng) {
        let steps = (self.state.least + self.state.above) as usize;
        self.state.places = Places::new(&self.ground, &self.tight, steps, rng);
        (self.state.fewest, self.state.moves) = (usize::MAX, 0);
    }

    /// Ends the present attempt, and begins the next one.
    fn next(&mut self, rng: &mut Rng) {
        let state = &mut self.state;
        log::debug!(
            "{} steps: {} transfers without a place",
            state.places.steps,
            state.places.missing()
        );
        if state.places.missing() == 0 {
            state.best = state.places.packed();
            (state.is_new, state.above) = (true, 0);
            state.patience *= 2;
        } else {
            state.above = (2 * state.above).max(1);
            let best = state.best.len() as u32;
            if best > 0 && state.least + state.above >= best {
                state.above = 0;
                state.patience *= 2;
            }
        }
        self.begin(rng);
    }
}

impl Walker for Narrow {
    fn seek(&mut self, _steps: u32, rng: &mut Rng) -> u64 {
        self.state.is_new = false;
        if self.state.places.len() == 0 {
            self.begin(rng);
        }
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        for _ in 0..MOVES {
            self.state.places.place(&self.ground, &self.tight, rng);
            let missing = self.state.places.missing();
            self.state.moves += 1;
            if missing < self.state.fewest {
                (self.state.fewest, self.state.moves) = (missing, 0);
            }
            if missing == 0
                || self.state.moves > self.state.patience * self.state.places.len() as u64
            {
                self.next(rng);
                break;
            }
        }
        MOVES
    }

    fn cross_over(&mut self, _partner: &Genome, _rng: &mut Rng) -> u64 {
        0
    }

    fn cost(&self) -> u64 {
        if self.state.is_new { 0 } else { self.state.places.missing().max(1) as u64 }
    }

    fn genome(&self) -> Genome {
        Genome::Nothing
    }

    fn method(&self) -> Method {
        Method::GuidedEjection { group: 1 }
    }

    fn plan(&self) -> Plan {
        self.state.best.plan(&self.ground)
    }
}

impl Resume for Narrow {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&self.state)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let state: State = codec::decode(state)?;
        let transfers = self.ground.problem.demands.len();
        if state.places.len() != transfers && state.places.len() != 0 {
            return Err(CommError::Unfit("transfers"));
        }
        self.state = state;
        if self.state.places.len() > 0 {
            self.state.places.restore(&self.ground);
        }
        Ok(())
    }
}
