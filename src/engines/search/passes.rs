//! What searches share that make a whole schedule in each pass: the shortest so far, and how near the
//! last pass came to a shorter one.

use ccsched_model::schedule::Plan;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The shortest schedule of all passes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Passes {
    pub best: Option<Arc<Plan>>,
    /// What the last pass left undone; not 0 before the first.
    pub lacking: u64,
    /// The steps that are sought.
    pub goal: u32,
}

impl Passes {
    /// Before the first pass; a schedule may be given.
    pub fn new(best: Option<Arc<Plan>>) -> Self {
        Passes { best, lacking: u64::MAX, goal: 0 }
    }

    /// Seeks a number of steps; whether a first pass is due.
    pub fn seek(&mut self, steps: u32) -> bool {
        (self.goal, self.lacking) = (steps, u64::MAX);
        self.best.is_none()
    }

    /// Steps of the shortest schedule; the largest number before there is one.
    pub fn len(&self) -> u32 {
        self.best.as_ref().map_or(u32::MAX, |plan| plan.len() as u32)
    }

    /// 0 once the steps that are sought are reached.
    pub fn cost(&self) -> u64 {
        if self.len() <= self.goal { 0 } else { self.lacking.max(1) }
    }

    /// The shortest schedule; an empty one before there is one.
    pub fn plan(&self) -> Plan {
        self.best.as_ref().map_or_else(Plan::default, |plan| Plan::clone(plan))
    }
}
