//! The back ends, which run the islands of a search: the calling thread, threads of this process,
//! or ranks.

mod above;
mod alone;
mod branch;
pub mod exact;
mod exchange_loop;
mod gather;
mod ranks;
mod threads;
mod tree;

pub use alone::Alone;
pub use ranks::{Course, RankGroup, serve, serve_tasks};
pub use threads::{Threads, run_on_threads};
pub use tree::FAN_OUT;

use super::least_time::OfTime;
use super::{Job, Keeper, Observer, Outcome, SearchError, StopCondition};
use ccsched_engines::Method;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// The parts of a search besides its job.
pub struct Run<'a> {
    /// The problem that the job poses.
    pub problem: &'a Arc<Problem>,
    /// A lower bound on the cost: the steps, or the time in bytes.
    pub bound: u64,
    /// What a search for the least time begins with.
    pub of_time: Option<OfTime>,
    /// A schedule to begin with, which the observer knows, and what found it.
    pub first: Option<(Arc<Plan>, Method)>,
    /// The stop condition.
    pub stop: StopCondition<'a>,
    /// The observer of schedules and progress.
    pub observer: &'a mut dyn Observer,
    /// The keeper of states, if any.
    pub keeper: Option<&'a mut dyn Keeper>,
}

/// Runs the islands of searches.
pub trait Backend {
    /// The number of islands.
    fn islands(&self) -> usize;

    /// Searches for schedules of the problem that `job` poses.
    ///
    /// # Errors
    /// The engine cannot schedule the problem, or an island, the observer or the keeper fails.
    fn search(&mut self, job: &Job, run: Run<'_>) -> Result<Outcome, SearchError>;
}
