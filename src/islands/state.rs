//! The complete state of a search, as a checkpoint stores it: a resumed search gives the same
//! result as one without the interruption, byte by byte.

use super::Progress;
use super::groups::GroupState;
use super::master::step_target::StepTarget;
use crate::engines::Method;
use crate::rng::Rng;
use crate::schedule::Plan;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A search at an exchange, or interrupted within a leg.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(super) master: MasterState,
    /// The search is complete.
    pub(super) is_over: bool,
    pub(super) groups: Vec<GroupState>,
}

/// The state of the master.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MasterState {
    pub target: StepTarget,
    /// Random numbers of exchanges between groups.
    pub rng: Rng,
    pub best: Option<Arc<Plan>>,
    pub method: Option<Method>,
    pub progress: Progress,
}

impl State {
    /// Number of islands.
    pub fn islands(&self) -> usize {
        self.groups.iter().map(|group| group.islands.len()).sum()
    }

    /// Iterations of every island so far.
    pub fn iterations(&self) -> u64 {
        self.master.progress.iterations
    }

    /// Steps of the best schedule so far.
    pub fn best(&self) -> Option<usize> {
        self.master.progress.best
    }

    /// Whether the search is complete.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}
