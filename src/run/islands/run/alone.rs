//! One island on the calling thread: for many searches in parallel, each with its own CPU time. An
//! interrupt ends it between two iterations.

use super::branch::Branch;
use super::exchange_loop::lead;
use super::tree::Tree;
use super::{Backend, Run};
use crate::comm::Solo;
use crate::islands::island::Island;
use crate::islands::island::thread::Worker;
use crate::islands::{Effort, Job, Master, Outcome, SearchError};
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
        let walker = job.maker(run.problem, run.of_time.clone())?();
        let stop = run.stop;
        let refuter = job.refuter(run.problem, false);
        let mut master = Master::new(job.search, 1, run).with_refuter(refuter);
        let breaks = || stop.interrupted().load(Ordering::Relaxed);
        let island = Island::new((0, 1), walker, &job.search, breaks);
        let worker = Worker::Here(Box::new(island), None);
        let place = Tree::flat(1, 1).place(0);
        let branch = Branch::new(place, worker, job.search, master.wants_islands());
        // After a panic the state of the island is not used.
        let life = AssertUnwindSafe(|| lead(&mut Solo, branch, &mut master));
        let census = catch_unwind(life).unwrap_or(Err(SearchError::Panicked(0)))?;
        Ok(Outcome { busiest: Effort::of(&census), ..master.outcome() })
    }
}
