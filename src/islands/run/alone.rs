//! One island on the calling thread: for many searches in parallel, each with its own CPU time. An
//! interrupt ends it between two iterations.

use super::exchange_loop::lead;
use super::{Backend, Run};
use crate::comm::Solo;
use crate::engines::Walker;
use crate::islands::island::Island;
use crate::islands::island::thread::Worker;
use crate::islands::{Job, Master, Observer, Outcome, Search, SearchError, StopCondition};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

/// One island on the calling thread.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Backend for Alone {
    fn islands(&self) -> usize {
        1
    }

    fn search(&mut self, job: &Job, run: Run<'_>) -> Result<Outcome, SearchError> {
        let walker = job.maker(run.problem)?();
        let stop = run.stop;
        let refuter = job.refuter(run.problem, false);
        let mut master = Master::new(job.search, 1, run).with_refuter(refuter);
        go(walker, &job.search, stop, &mut master)?;
        Ok(master.outcome())
    }
}

/// Runs a search with one island, whose walker is given, on the calling thread.
///
/// # Errors
/// The observer refuses a schedule, or the island panics.
pub fn run_alone(
    walker: Box<dyn Walker>,
    search: &Search,
    bound: u32,
    stop: StopCondition<'_>,
    observer: &mut dyn Observer,
) -> Result<Outcome, SearchError> {
    let mut master = Master::above(*search, 1, bound, stop, observer);
    go(walker, search, stop, &mut master)?;
    Ok(master.outcome())
}

fn go(
    walker: Box<dyn Walker>,
    search: &Search,
    stop: StopCondition<'_>,
    master: &mut Master<'_>,
) -> Result<(), SearchError> {
    let interrupted = stop.interrupted();
    let breaks = || interrupted.load(Ordering::Relaxed);
    let island = Island::new(0, walker, search, breaks);
    let worker = Worker::Here(Box::new(island), None);
    // After a panic the state of the island is not used.
    let life = AssertUnwindSafe(|| lead(&mut Solo, worker, master));
    catch_unwind(life).unwrap_or(Err(SearchError::Panicked(0)))
}
