//! Counts of the messages that a member sends and receives.

use super::{CommError, Communicator};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Messages and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Count {
    fn add(&mut self, bytes: &[u8]) {
        self.messages += 1;
        self.bytes += bytes.len() as u64;
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} messages of {} bytes", self.messages, self.bytes)
    }
}

/// The messages of several members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Census {
    /// What all of them have sent.
    pub sent: Count,
    /// The most messages that one of them, other than the master, has sent and received.
    pub most: u64,
    /// The most bytes that one of them, other than the master, has sent and received.
    pub most_bytes: u64,
    /// The most memory that the process of one of them has used, in bytes, as far as they tell.
    pub peak_memory: Option<u64>,
    /// The most CPU time that one of them, the master too, has used for the search.
    pub most_cpu: Duration,
    /// The most moves that the island of one of them, the master too, has made.
    pub most_moves: u64,
    /// Members that were given up.
    pub lost: usize,
}

impl Census {
    /// Adds the members of another census.
    pub fn add(&mut self, other: Census) {
        self.sent.messages += other.sent.messages;
        self.sent.bytes += other.sent.bytes;
        self.most = self.most.max(other.most);
        self.most_bytes = self.most_bytes.max(other.most_bytes);
        self.peak_memory = self.peak_memory.max(other.peak_memory);
        self.most_cpu = self.most_cpu.max(other.most_cpu);
        self.most_moves = self.most_moves.max(other.most_moves);
        self.lost += other.lost;
    }
}

/// A member that counts its messages.
#[derive(Debug)]
pub struct Counted<'c, C> {
    comm: &'c mut C,
    /// Messages sent.
    pub sent: Count,
    /// Messages received.
    pub received: Count,
}

impl<'c, C> Counted<'c, C> {
    /// Counts from now on.
    pub fn new(comm: &'c mut C) -> Self {
        Counted { comm, sent: Count::default(), received: Count::default() }
    }

    /// The census of this member alone.
    pub fn census(&self) -> Census {
        let Counted { sent, received, .. } = self;
        let (most, most_bytes) = (sent.messages + received.messages, sent.bytes + received.bytes);
        Census { sent: *sent, most, most_bytes, ..Census::default() }
    }
}

impl<C: Communicator> Communicator for Counted<'_, C> {
    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn size(&self) -> usize {
        self.comm.size()
    }

    fn send(&mut self, messages: Vec<(usize, Vec<u8>)>) -> Result<(), CommError> {
        messages.iter().for_each(|(_, bytes)| self.sent.add(bytes));
        self.comm.send(messages)
    }

    fn receive(&mut self, within: Duration) -> Result<Option<(usize, Vec<u8>)>, CommError> {
        let received = self.comm.receive(within)?;
        received.iter().for_each(|(_, bytes)| self.received.add(bytes));
        Ok(received)
    }
}
