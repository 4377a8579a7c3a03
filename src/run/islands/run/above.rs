//! What is above a branch of the tree of masters: the master of the search on rank 0, or the master
//! of other groups on another rank.

use crate::comm::Communicator;
use crate::islands::groups::{Decision, Early, FromGroups, Terms};
use crate::islands::protocol::{IslandMessage, MasterMessage};
use crate::islands::{Master, SearchError};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The most ranks that lengthen the time between two polls: more than these do not share a machine.
const MOST_TOGETHER: usize = 1024;

/// Time between two polls; longer for many islands, so that polling does not slow them down.
pub fn look<C: Communicator>(comm: &C) -> Duration {
    Duration::from_millis(5) * (1 + comm.size().min(MOST_TOGETHER) as u32 / 64)
}

/// What is above a branch: the master of the search, or the master of other groups.
pub trait Above<C> {
    /// Whether to break off the current leg.
    ///
    /// # Errors
    /// The master above is gone.
    fn breaks(&mut self, comm: &mut C) -> Result<bool, SearchError>;

    /// Whether the search is over or about to end, so that ranks that do not answer are given up.
    fn is_over(&self) -> bool;

    /// Takes news at once.
    ///
    /// # Errors
    /// They cannot be passed on.
    fn hear(&mut self, comm: &mut C, news: Early) -> Result<(), SearchError>;

    /// A message in the middle of a leg, from a rank that is not below.
    ///
    /// # Errors
    /// No such message is expected.
    fn take(&mut self, rank: usize, bytes: &[u8]) -> Result<(), SearchError>;
}

impl<C> Above<C> for Master<'_> {
    fn breaks(&mut self, _: &mut C) -> Result<bool, SearchError> {
        Ok(Master::breaks(self))
    }

    fn is_over(&self) -> bool {
        Master::is_over(self)
    }

    fn hear(&mut self, _: &mut C, news: Early) -> Result<(), SearchError> {
        Master::hear(self, &news)
    }

    fn take(&mut self, rank: usize, _: &[u8]) -> Result<(), SearchError> {
        Err(CommError::OutOfTurn(rank).into())
    }
}

/// The master above a rank that runs groups.
pub struct Superior<'i> {
    /// Its rank.
    pub rank: usize,
    /// The flag of an interrupt of this process.
    interrupted: &'i AtomicBool,
    /// Whether it has been told of an interrupt.
    has_told: bool,
    /// Whether it breaks the current leg off.
    breaks: bool,
}

impl<'i> Superior<'i> {
    /// The master of this rank.
    pub fn new(rank: usize, interrupted: &'i AtomicBool) -> Self {
        Superior { rank, interrupted, has_told: false, breaks: false }
    }

    /// Sends it a message.
    ///
    /// # Errors
    /// It is gone.
    pub fn tell<C: Communicator>(
        &self,
        comm: &mut C,
        message: FromGroups,
    ) -> Result<(), SearchError> {
        IslandMessage::Groups(message).send(comm, self.rank)
    }

    /// Passes an interrupt on, once.
    fn tell_of_interrupt<C: Communicator>(&mut self, comm: &mut C) {
        if !self.has_told {
            self.has_told = true;
            // A master that has ended in the meantime needs no answer; its last message tells
            // whether it ended properly.
            let _ = self.tell(comm, FromGroups::Early(Early::Interrupted));
        }
    }

    /// Waits for the next decision.
    ///
    /// # Errors
    /// It is gone, or says something else.
    pub fn wait<C: Communicator>(
        &mut self,
        comm: &mut C,
    ) -> Result<(Decision, Terms), SearchError> {
        let look = look(comm);
        loop {
            self.breaks(comm)?;
            match comm.receive(look)? {
                None => {}
                Some((rank, bytes)) if rank == self.rank => match codec::decode(&bytes)? {
                    // The answer was sent before this message arrived.
                    MasterMessage::Decide(Decision::Break, _) => {}
                    MasterMessage::Decide(decision, terms) => {
                        self.breaks = false;
                        return Ok((decision, terms));
                    }
                    _ => return Err(CommError::OutOfTurn(rank).into()),
                },
                // Ranks below that wait for a decision send no other message.
                Some(_) => self.tell_of_interrupt(comm),
            }
        }
    }
}

impl<C: Communicator> Above<C> for Superior<'_> {
    fn breaks(&mut self, comm: &mut C) -> Result<bool, SearchError> {
        if self.interrupted.load(Ordering::Relaxed) {
            self.tell_of_interrupt(comm);
        }
        Ok(self.breaks)
    }

    fn is_over(&self) -> bool {
        self.breaks
    }

    fn hear(&mut self, comm: &mut C, news: Early) -> Result<(), SearchError> {
        match news {
            Early::Interrupted => {
                self.tell_of_interrupt(comm);
                Ok(())
            }
            found => self.tell(comm, FromGroups::Early(found)),
        }
    }

    fn take(&mut self, rank: usize, bytes: &[u8]) -> Result<(), SearchError> {
        match codec::decode(bytes)? {
            MasterMessage::Decide(Decision::Break, _) if rank == self.rank => {
                self.breaks = true;
                Ok(())
            }
            _ => Err(CommError::OutOfTurn(rank).into()),
        }
    }
}
