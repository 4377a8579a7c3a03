//! A crew: whoever runs the islands of a search, threads of this process or the members of a group.

use super::exchange_loop::{follow, lead};
use super::threads::run_threads;
use crate::comm::{Communicator, codec};
use crate::engines::{Config, Walker};
use crate::islands::island::thread::Worker;
use crate::islands::tasks::farm::{run_tasks, work};
use crate::islands::{
    Limits, Master, Observer, Outcome, Search, SearchError, Solved, Task, run_alone,
};
use crate::network::Network;
use crate::network::faults::Fault;
use crate::problem::{Problem, Request};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// All that an island needs to know to take part in a search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The network, faults taken out.
    pub network: Network,
    /// What was taken out.
    pub faults: Vec<Fault>,
    /// What is asked for.
    pub request: Request,
    /// The engine of the islands.
    pub engine: Config,
    /// What the islands share.
    pub search: Search,
}

impl Job {
    /// Poses the problem.
    ///
    /// # Errors
    /// As [`Request::pose`].
    pub fn pose(&self) -> crate::Result<Arc<Problem>> {
        Ok(Arc::new(self.request.pose(self.network.clone(), self.faults.clone())?))
    }

    /// Where the best engine is asked for, its search ends with a proof if there is one; sought
    /// `aside` if other threads may be at work for the search.
    fn refuting<'a>(&self, stop: Limits<'a>, problem: &'a Arc<Problem>, aside: bool) -> Limits<'a> {
        if self.engine.is_auto() { stop.with_refutation(problem, aside) } else { stop }
    }

    /// What makes the walker of an island; it takes a while.
    fn maker(&self, problem: &Arc<Problem>) -> impl FnOnce() -> Box<dyn Walker> + Send + 'static {
        let (engine, problem, seed) = (self.engine, problem.clone(), self.search.seed);
        move || {
            let (walker, found) = engine.walker(&problem, seed);
            let Some(found) = found else { return walker };
            log::debug!("{} paths", found.paths);
            if found.sampled_pairs > 0 {
                log::info!(
                    "{} pairs have more than {} paths; a sample of that many stands for them",
                    found.sampled_pairs,
                    found.cap
                );
            }
            walker
        }
    }
}

/// What the members of a group are called to.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Call {
    /// A search, and whether it keeps states.
    Search(Box<Job>, bool),
    Tasks,
    Dismissed,
}

/// Runs the islands of searches.
pub trait Backend {
    /// How many islands there are.
    fn islands(&self) -> usize;

    /// Searches for schedules of the problem that `job` poses, above a lower bound.
    ///
    /// # Errors
    /// When an island fails, or the listener does.
    fn search(
        &mut self,
        job: &Job,
        problem: &Arc<Problem>,
        bound: u32,
        stop: Limits<'_>,
        listener: &mut dyn Observer,
    ) -> Result<Outcome, SearchError>;
}

/// Islands on so many threads.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub usize);

impl Backend for Threads {
    fn islands(&self) -> usize {
        self.0
    }

    fn search(
        &mut self,
        job: &Job,
        problem: &Arc<Problem>,
        bound: u32,
        stop: Limits<'_>,
        listener: &mut dyn Observer,
    ) -> Result<Outcome, SearchError> {
        let stop = job.refuting(stop, problem, true);
        run_threads(job.maker(problem), &job.search, self.0, bound, stop, listener)
    }
}

/// One island on the calling thread: for many searches side by side, each with a processor's time
/// of its own. An interrupt ends it between two iterations.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Backend for Alone {
    fn islands(&self) -> usize {
        1
    }

    fn search(
        &mut self,
        job: &Job,
        problem: &Arc<Problem>,
        bound: u32,
        stop: Limits<'_>,
        listener: &mut dyn Observer,
    ) -> Result<Outcome, SearchError> {
        let stop = job.refuting(stop, problem, false);
        run_alone(job.maker(problem)(), &job.search, bound, stop, listener)
    }
}

/// Islands on the members of a group; this is its rank 0, the others [`serve`].
pub struct Group<'c, C: Communicator>(pub &'c mut C);

impl<C: Communicator> Group<'_, C> {
    /// Tells everybody what comes next.
    fn call(&mut self, call: &Call) -> Result<(), SearchError> {
        let bytes = codec::encode(call)?;
        self.0.send((1..self.0.size()).map(|rank| (rank, bytes.clone())).collect())?;
        Ok(())
    }

    /// Lets the others go.
    ///
    /// # Errors
    /// When a member is gone already.
    pub fn dismiss(mut self) -> Result<(), SearchError> {
        self.call(&Call::Dismissed)
    }

    /// Lets everybody work on tasks, each on one at a time; returns whether an interrupt has come.
    ///
    /// # Errors
    /// When an island or a task fails.
    pub fn tasks(
        &mut self,
        tasks: &[Task],
        interrupted: &AtomicBool,
        done: &mut dyn FnMut(usize, Solved) -> Result<(), SearchError>,
    ) -> Result<bool, SearchError> {
        self.call(&Call::Tasks)?;
        run_tasks(self.0, tasks, interrupted, done)
    }
}

impl<C: Communicator> Backend for Group<'_, C> {
    fn islands(&self) -> usize {
        self.0.size()
    }

    fn search(
        &mut self,
        job: &Job,
        problem: &Arc<Problem>,
        bound: u32,
        stop: Limits<'_>,
        listener: &mut dyn Observer,
    ) -> Result<Outcome, SearchError> {
        let stop = job.refuting(stop, problem, true);
        let mut master = Master::new(job.search, self.0.size(), bound, stop, listener);
        let keeps = master.keeps();
        self.call(&Call::Search(Box::new(job.clone()), keeps))?;
        let worker = Worker::apart(0, job.maker(problem), job.search, keeps)?;
        lead(self.0, worker, &mut master)?;
        Ok(master.outcome())
    }
}

/// Takes part in all searches of a group as one of its other members, until dismissed. The flag
/// `interrupted` breaks the search off for all.
///
/// # Errors
/// When the master is gone, or a problem cannot be posed that it could pose.
pub fn serve<C: Communicator>(comm: &mut C, interrupted: &AtomicBool) -> Result<(), SearchError> {
    loop {
        let (job, keeps) = match codec::decode(&comm.hear()?)? {
            Call::Dismissed => return Ok(()),
            Call::Search(job, keeps) => (job, keeps),
            Call::Tasks => {
                work(comm, interrupted)?;
                continue;
            }
        };
        let problem = job.pose().map_err(|e| SearchError::Observer(e.to_string()))?;
        let worker = Worker::apart(comm.rank(), job.maker(&problem), job.search, keeps)?;
        follow(comm, worker, interrupted)?;
    }
}
