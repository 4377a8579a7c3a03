//! Islands on a group of ranks: MPI ranks, or threads in their place.

use super::branch::Branch;
use super::exchange_loop::{follow, lead, relay};
use super::tree::{FAN_OUT, Tree};
use super::{Backend, Run};
use crate::comm::Communicator;
use crate::islands::island::thread::Worker;
use crate::islands::protocol::MasterMessage;
use crate::islands::tasks::{Done, Solve, Solved, Task, run_tasks, work};
use crate::islands::{Effort, Job, Master, Outcome, SearchError};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// The group on the side of rank 0; the other ranks run [`serve`].
pub struct RankGroup<'c, C: Communicator> {
    comm: &'c mut C,
    fan_out: usize,
    /// The number of ranks that were given up in a search.
    lost: usize,
    /// The ranks that were given up in tasks.
    gone: BTreeSet<usize>,
}

/// What the ranks must know of a search besides its job.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The tree of masters.
    pub tree: Tree,
    /// Whether islands keep snapshots.
    pub keeps: bool,
    /// Whether masters send statistics of islands.
    pub counts: bool,
}

impl<'c, C: Communicator> RankGroup<'c, C> {
    /// The group of which `comm` is rank 0.
    pub fn new(comm: &'c mut C) -> Self {
        RankGroup { comm, fan_out: FAN_OUT, lost: 0, gone: BTreeSet::new() }
    }

    /// Limits the masters of exchange groups that report to one master; with 0, all ranks report to
    /// rank 0. This changes the messages between ranks, and no result.
    pub fn set_fan_out(&mut self, fan_out: usize) {
        self.fan_out = fan_out;
    }

    /// The number of ranks that did not answer in tasks or at the end of a search. The job must then
    /// be aborted.
    pub fn lost(&self) -> usize {
        self.lost + self.gone.len()
    }

    /// Refuses a search after ranks were given up: those that are left would wait for them.
    fn check_lost(&self) -> Result<(), SearchError> {
        match self.lost() {
            0 => Ok(()),
            lost => Err(CommError::Silent(lost).into()),
        }
    }

    /// Sends a message to all other ranks.
    fn call(&mut self, call: &MasterMessage) -> Result<(), SearchError> {
        call.send(self.comm, 1..self.comm.size())
    }

    /// Ends the other ranks.
    ///
    /// # Errors
    /// A rank is gone already.
    pub fn dismiss(mut self) -> Result<(), SearchError> {
        self.call(&MasterMessage::Dismissed)
    }

    /// Distributes searches over all ranks, one at a time to each; returns whether there was an
    /// interrupt.
    ///
    /// # Errors
    /// An island or a task fails.
    pub fn tasks(
        &mut self,
        tasks: &[Task],
        interrupted: &AtomicBool,
        done: &mut Done<'_, Solved>,
    ) -> Result<bool, SearchError> {
        self.share((tasks, &Task::solve), interrupted, done)
    }

    /// Distributes tasks of any kind over all ranks, of which the others [`serve_tasks`] with the same
    /// function; returns whether there was an interrupt.
    ///
    /// # Errors
    /// An island or a task fails.
    pub fn share<T: Serialize + Sync, S: DeserializeOwned + Send>(
        &mut self,
        tasks: (&[T], &Solve<'_, T, S>),
        interrupted: &AtomicBool,
        done: &mut Done<'_, S>,
    ) -> Result<bool, SearchError> {
        if self.lost > 0 {
            return Err(CommError::Silent(self.lost).into());
        }
        let there = (1..self.comm.size()).filter(|rank| !self.gone.contains(rank));
        MasterMessage::Tasks.send(self.comm, there)?;
        run_tasks((self.comm, &mut self.gone), tasks, interrupted, done)
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.comm.size()
    }
}

impl<C: Communicator> Backend for RankGroup<'_, C> {
    fn islands(&self) -> usize {
        self.comm.size()
    }

    fn search(&mut self, job: &Job, run: Run<'_>) -> Result<Outcome, SearchError> {
        self.check_lost()?;
        let make = job.maker(run.problem, run.of_time.clone())?;
        let refuter = job.refuter(run.problem, true);
        let (size, deliveries) = (self.comm.size(), run.problem.demands().len());
        let of_time = run.of_time.clone();
        let mut master = Master::new(job.search, size, run).with_refuter(refuter);
        let (keeps, counts) = (master.keeps(), master.wants_islands());
        let tree = Tree { fan_out: self.fan_out, ..Tree::flat(size, job.search.exchange_group) };
        let place = tree.place(0);
        let course = Course { tree, keeps, counts };
        let call = MasterMessage::Search(Box::new(job.clone()), course, of_time);
        // The ranks below pass it on.
        call.send(self.comm, place.children())?;
        let worker = Worker::apart((0, size), make, job.search, keeps)?;
        let branch = Branch::new(place, worker, job.search, counts).of_ranks(deliveries);
        let others = lead(self.comm, branch, &mut master)?;
        self.lost = others.lost;
        let (peak_of_others, busiest) = (others.peak_memory, Effort::of(&others));
        Ok(Outcome { peak_of_others, busiest, ..master.outcome() })
    }
}

/// Takes part in all searches of a group as a rank other than 0, until dismissed. The flag
/// `interrupted` ends the search on all ranks.
///
/// # Errors
/// The master is gone, or this rank cannot pose a problem that the master could pose.
pub fn serve<C: Communicator>(comm: &mut C, interrupted: &AtomicBool) -> Result<(), SearchError> {
    serve_tasks(comm, &Task::solve, interrupted)
}

/// Takes part in all searches and tasks of a group, as [`serve`], where the tasks are of another kind.
///
/// # Errors
/// As [`serve`]; a task fails.
pub fn serve_tasks<C, T, S>(
    comm: &mut C,
    solve: &Solve<'_, T, S>,
    interrupted: &AtomicBool,
) -> Result<(), SearchError>
where
    C: Communicator,
    T: DeserializeOwned + Sync,
    S: Serialize + Send,
{
    loop {
        let bytes = comm.hear()?;
        match codec::decode(&bytes)? {
            MasterMessage::Dismissed => return Ok(()),
            MasterMessage::Tasks => work(comm, solve, interrupted)?,
            MasterMessage::Search(job, Course { tree, keeps, counts }, of_time) => {
                let place = tree.place(comm.rank());
                comm.send(place.children().map(|rank| (rank, bytes.clone())).collect())?;
                let problem = job.pose()?;
                let make = job.maker(&problem, of_time)?;
                let worker = Worker::apart((comm.rank(), comm.size()), make, job.search, keeps)?;
                let above = place.above;
                if place.groups.is_empty() {
                    follow(comm, worker, above, interrupted)?;
                } else {
                    let branch = Branch::new(place, worker, job.search, counts)
                        .of_ranks(problem.demands().len());
                    relay(comm, branch, above, interrupted)?;
                }
            }
            _ => return Err(CommError::OutOfTurn(0).into()),
        }
    }
}
