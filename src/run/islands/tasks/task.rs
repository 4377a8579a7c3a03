//! A task: one search by a single island; many tasks may run in parallel.

use crate::islands::{Job, Limits, Prepared, SearchError, StopCondition, StopReason, Threads};
use ccsched_engines::Method;
use ccsched_model::schedule::Plan;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A job and its limits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The problem and the engine.
    pub job: Job,
    /// Iterations allowed.
    pub iterations: u64,
    /// Time allowed.
    pub time_limit: Option<Duration>,
}

/// The result of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Solved {
    /// The problem cannot be posed: the network is disconnected, or the root has failed.
    Impossible(String),
    /// The search has ended.
    Searched {
        /// The best schedule and its method.
        plan: Option<(Arc<Plan>, Method)>,
        /// The largest lower bound.
        lower_bound: u32,
        /// Its name.
        bound: String,
        /// Whether a refutation proved the bound.
        by_search: bool,
    },
}

impl Task {
    /// Solves it on one island; none if interrupted. Its bounds count in its time.
    ///
    /// # Errors
    /// The search fails.
    pub fn solve(&self, interrupted: &AtomicBool) -> Result<Option<Solved>, SearchError> {
        let (job, iterations, time) = (&self.job, self.iterations, self.time_limit);
        let limits = Limits { iterations, time, ..Limits::default() };
        let stop = StopCondition::of(limits, interrupted);
        let is_over = || stop.cuts().is_some();
        let prepare = |problem| Prepared::within(job.clone(), problem, 1, &is_over);
        let posed = job.pose_within(&|| stop.left_for_tables());
        let prepared = match posed.and_then(prepare) {
            Ok(prepared) => prepared,
            Err(why) => return Ok(Some(Solved::Impossible(why.to_string()))),
        };
        let solution = prepared.run(&mut Threads(1), stop, &mut (), None)?;
        if solution.reason == StopReason::Interrupted {
            return Ok(None);
        }
        let (lower_bound, bound) =
            solution.bounds.first().map_or((1, ""), |bound| (bound.steps, bound.name));
        let by_search = solution.plan.is_some() && solution.reason == StopReason::Refuted;
        let plan = solution.plan.zip(solution.method);
        Ok(Some(Solved::Searched { plan, lower_bound, bound: bound.into(), by_search }))
    }
}
