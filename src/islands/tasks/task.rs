//! A task: one search by one island alone, of which many may be under way side by side.

use crate::bounds;
use crate::islands::{Backend, Inspector, Job, Limits, SearchError, StopReason, Threads};
use crate::schedule::Plan;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What is to be solved, and how long.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The problem and the engine.
    pub job: Job,
    /// Iterations allowed.
    pub iterations: u64,
    /// Time allowed.
    pub time_limit: Option<Duration>,
}

/// What a task has come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Solved {
    /// The problem cannot be posed: the network has fallen apart, or the root is gone.
    Impossible(String),
    /// It was searched to the end.
    Searched {
        /// The best schedule.
        plan: Option<Plan>,
        /// The largest lower bound.
        lower_bound: u32,
        /// Its name.
        bound: String,
        /// It is what the search has shown itself.
        by_search: bool,
    },
    /// An interrupt came before the end.
    Interrupted,
}

impl Task {
    /// Solves it on one island.
    ///
    /// # Errors
    /// When the search fails.
    pub fn solve(&self, interrupted: &AtomicBool) -> Result<Solved, SearchError> {
        let problem = match self.job.pose() {
            Ok(problem) => problem,
            Err(why) => return Ok(Solved::Impossible(why.to_string())),
        };
        let bounds = bounds::all(&problem);
        let lower_bound = bounds.first().map_or(1, |b| b.steps);
        let stop = Limits::new(self.iterations, self.time_limit, interrupted);
        let mut inspector = Inspector { problem: &problem, bounds: &bounds };
        let outcome = Threads(1).search(&self.job, &problem, lower_bound, stop, &mut inspector)?;
        if outcome.reason == StopReason::Interrupted {
            return Ok(Solved::Interrupted);
        }
        let shown = outcome.shown();
        let bounds = bounds::with_search(shown, &bounds);
        let (lower_bound, bound) =
            bounds.first().map_or((1, String::new()), |b| (b.steps, b.name.to_string()));
        let by_search = shown.is_some();
        Ok(Solved::Searched { plan: outcome.best, lower_bound, bound, by_search })
    }
}
