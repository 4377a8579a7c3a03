//! All that a search has come to, as a checkpoint keeps it: whoever goes on from it gets what the
//! search would have got without the break, byte by byte.

use super::Progress;
use super::master::step_target::StepTarget;
use super::protocol::{FromMaster, Report};
use crate::engines::{Method, Tally};
use crate::rng::Rng;
use crate::schedule::Plan;
use serde::{Deserialize, Serialize};

/// A search between two words of the master, or broken off before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(super) master: MasterState,
    /// Nothing is left to seek.
    pub(super) is_over: bool,
    pub(super) islands: Vec<IslandState>,
    /// What every island is to do next.
    pub(super) orders: Vec<FromMaster>,
    /// The reports of those that were not broken off, where others were.
    pub(super) reports: Vec<Option<Report>>,
}

/// What the master knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MasterState {
    pub target: StepTarget,
    pub rng: Rng,
    pub best: Option<Plan>,
    pub method: Option<Method>,
    pub progress: Progress,
}

/// What an island has come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IslandState {
    pub(super) rng: Rng,
    /// What its walker has saved.
    pub(super) walker: Vec<u8>,
    pub(super) leg: Leg,
}

/// The stretch between two exchanges, as far as it is not over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Leg {
    /// Iterations left.
    pub left: u64,
    /// Moves made.
    pub evaluations: u64,
    /// What the walker has counted.
    pub tally: Tally,
}

impl State {
    /// Number of islands.
    pub fn islands(&self) -> usize {
        self.islands.len()
    }

    /// Iterations of every island so far.
    pub fn iterations(&self) -> u64 {
        self.master.progress.iterations
    }

    /// Steps of the best schedule so far.
    pub fn best(&self) -> Option<usize> {
        self.master.progress.best
    }

    /// Whether nothing is left to seek.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}
