//! Islands on a group of ranks: MPI ranks, or threads in their place.

use super::exchange_loop::{follow, lead};
use super::{Backend, Run};
use crate::comm::{CommError, Communicator, codec};
use crate::islands::island::thread::Worker;
use crate::islands::protocol::MasterMessage;
use crate::islands::tasks::{Solved, Task, run_tasks, work};
use crate::islands::{Job, Master, Outcome, SearchError};
use std::sync::atomic::AtomicBool;

/// The group on the side of rank 0; the other ranks run [`serve`].
pub struct RankGroup<'c, C: Communicator>(pub &'c mut C);

impl<C: Communicator> RankGroup<'_, C> {
    /// Sends a message to all other ranks.
    fn call(&mut self, call: &MasterMessage) -> Result<(), SearchError> {
        call.send(self.0, 1..self.0.size())
    }

    /// Ends the other ranks.
    ///
    /// # Errors
    /// A rank is gone already.
    pub fn dismiss(mut self) -> Result<(), SearchError> {
        self.call(&MasterMessage::Dismissed)
    }

    /// Distributes tasks over all ranks, one at a time to each; returns whether there was an
    /// interrupt.
    ///
    /// # Errors
    /// An island or a task fails.
    pub fn tasks(
        &mut self,
        tasks: &[Task],
        interrupted: &AtomicBool,
        done: &mut dyn FnMut(usize, Solved) -> Result<(), SearchError>,
    ) -> Result<bool, SearchError> {
        self.call(&MasterMessage::Tasks)?;
        run_tasks(self.0, tasks, interrupted, done)
    }
}

impl<C: Communicator> Backend for RankGroup<'_, C> {
    fn islands(&self) -> usize {
        self.0.size()
    }

    fn search(&mut self, job: &Job, run: Run<'_>) -> Result<Outcome, SearchError> {
        let make = job.maker(run.problem)?;
        let refuter = job.refuter(run.problem, true);
        let mut master = Master::new(job.search, self.0.size(), run).with_refuter(refuter);
        let keeps = master.keeps();
        self.call(&MasterMessage::Search(Box::new(job.clone()), keeps))?;
        let worker = Worker::apart(0, make, job.search, keeps)?;
        lead(self.0, worker, &mut master)?;
        Ok(master.outcome())
    }
}

/// Takes part in all searches of a group as a rank other than 0, until dismissed. The flag
/// `interrupted` ends the search on all ranks.
///
/// # Errors
/// The master is gone, or this rank cannot pose a problem that the master could pose.
pub fn serve<C: Communicator>(comm: &mut C, interrupted: &AtomicBool) -> Result<(), SearchError> {
    loop {
        match codec::decode(&comm.hear()?)? {
            MasterMessage::Dismissed => return Ok(()),
            MasterMessage::Tasks => work(comm, interrupted)?,
            MasterMessage::Search(job, keeps) => {
                let make = job.maker(&job.pose()?)?;
                let worker = Worker::apart(comm.rank(), make, job.search, keeps)?;
                follow(comm, worker, interrupted)?;
            }
            _ => return Err(CommError::OutOfTurn(0).into()),
        }
    }
}
