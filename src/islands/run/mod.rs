//! What runs the islands of a search: the calling thread, threads of this process, ranks.

mod alone;
pub mod exact;
mod exchange_loop;
mod ranks;
mod threads;

pub use alone::{Alone, run_alone};
pub use ranks::{RankGroup, serve};
pub use threads::{Threads, run_on_threads};

use super::{Job, Keeper, Observer, Outcome, SearchError, StopCondition};
use crate::problem::Problem;
use std::sync::Arc;

/// What a search has beside its job.
pub struct Run<'a> {
    /// The problem that the job poses.
    pub problem: &'a Arc<Problem>,
    /// A lower bound on the steps.
    pub bound: u32,
    /// When to stop.
    pub stop: StopCondition<'a>,
    /// What hears of schedules and progress.
    pub observer: &'a mut dyn Observer,
    /// What keeps states, if any is kept.
    pub keeper: Option<&'a mut dyn Keeper>,
}

/// Runs the islands of searches.
pub trait Backend {
    /// How many islands there are.
    fn islands(&self) -> usize;

    /// Searches for schedules of the problem that `job` poses.
    ///
    /// # Errors
    /// When the engine cannot schedule the problem, an island fails, or the observer or keeper does.
    fn search(&mut self, job: &Job, run: Run<'_>) -> Result<Outcome, SearchError>;
}
