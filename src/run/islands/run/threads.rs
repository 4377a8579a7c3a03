//! Islands as threads of this process.

use super::branch::Branch;
use super::exchange_loop::{follow, lead};
use super::tree::Tree;
use super::{Backend, Run};
use crate::comm::{Census, thread_group};
use crate::islands::island::thread::Worker;
use crate::islands::{
    Effort, Job, Keeper, Master, Observer, Outcome, Search, SearchError, StopCondition,
};
use ccsched_base::codec::CommError;
use ccsched_engines::Walker;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Islands on this number of threads.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub usize);

impl Backend for Threads {
    fn islands(&self) -> usize {
        self.0
    }

    fn search(&mut self, job: &Job, run: Run<'_>) -> Result<Outcome, SearchError> {
        let make = job.maker(run.problem, run.of_time.clone())?;
        let interrupted = run.stop.interrupted();
        let refuter = job.refuter(run.problem, true);
        let mut master = Master::new(job.search, self.0, run).with_refuter(refuter);
        let census = run_threads(make, self.0, interrupted, &mut master)?;
        Ok(Outcome { busiest: Effort::of(&census), ..master.outcome() })
    }
}

/// Runs a search on `islands` threads, each with a copy of `walker`.
///
/// # Errors
/// The observer refuses a schedule, an island panics, or its thread cannot be started.
pub fn run_on_threads(
    walker: Box<dyn Walker>,
    search: &Search,
    islands: usize,
    bound: u32,
    stop: StopCondition<'_>,
    observer: &mut dyn Observer,
    keeper: Option<&mut dyn Keeper>,
) -> Result<Outcome, SearchError> {
    let keeper = keeper.map(|keeper| keeper as &mut dyn Keeper);
    let mut master =
        Master::above(*search, islands, bound.into(), stop, observer).with_keeper(keeper);
    run_threads(move || walker, islands, stop.interrupted(), &mut master)?;
    Ok(master.outcome())
}

/// Runs the islands of a master's search, each with a copy of the walker that `make` makes.
fn run_threads(
    make: impl FnOnce() -> Box<dyn Walker> + Send + 'static,
    islands: usize,
    interrupted: &AtomicBool,
    master: &mut Master<'_>,
) -> Result<Census, SearchError> {
    let (search, keeps) = (master.search(), master.keeps());
    let model = Arc::new(Mutex::new(Model::ToMake(make)));
    let worker = |rank| {
        let model = model.clone();
        let copy = move || model.lock().unwrap_or_else(PoisonError::into_inner).copy();
        Worker::apart((rank, islands), copy, search, keeps)
    };
    let mut members = thread_group(islands).into_iter();
    let mut comm = members.next().expect("there is an island 0");
    thread::scope(|scope| {
        let start = |(rank, mut comm): (usize, _)| {
            let worker = worker(rank)?;
            let work = move || follow(&mut comm, worker, 0, interrupted);
            let handle = thread::Builder::new().spawn_scoped(scope, work);
            handle.map_err(|why| SearchError::Thread { rank, why })
        };
        let handles: Vec<_> = (1..).zip(members).map(start).collect::<Result<_, SearchError>>()?;
        let place = Tree::flat(islands, search.exchange_group).place(0);
        let counts = master.wants_islands();
        let result = worker(0)
            .and_then(|worker| lead(&mut comm, Branch::new(place, worker, search, counts), master));
        // Lets the other islands notice if the master ended early.
        drop(comm);
        // All threads are joined before an error is returned: a scope panics for threads that are
        // not joined.
        let ended: Vec<_> = handles.into_iter().map(|handle| handle.join()).collect();
        for (rank, ended) in (1..).zip(ended) {
            let ended = ended.unwrap_or(Err(SearchError::Panicked(rank)));
            // The master's error tells more than the loss of the master on the other islands, but
            // less than the panic of an island that the master lost.
            let has_panicked = matches!(ended, Err(SearchError::Panicked(_)));
            let has_lost = matches!(result, Err(SearchError::Comm(CommError::Lost(_))));
            if result.is_ok() || has_lost && has_panicked {
                ended?;
            }
        }
        result
    })
}

/// The walker that each island gets a copy of. The first request makes it.
enum Model<F> {
    ToMake(F),
    Made(Box<dyn Walker>),
    Gone,
}

impl<F: FnOnce() -> Box<dyn Walker>> Model<F> {
    fn copy(&mut self) -> Box<dyn Walker> {
        *self = match std::mem::replace(self, Model::Gone) {
            Model::ToMake(make) => Model::Made(make()),
            made => made,
        };
        match self {
            Model::Made(walker) => walker.clone(),
            // The island that was to make it has said why.
            _ => panic!("there is no walker"),
        }
    }
}
