//! Islands as threads of one process.

use super::{CommError, Communicator};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The rank of the sender and its bytes; no bytes when the sender ends.
type Message = (usize, Option<Vec<u8>>);

/// A thread in a group of islands. When it ends, also by a panic, it notifies the others.
#[derive(Debug)]
pub struct ThreadMember {
    rank: usize,
    size: usize,
    /// From the master to members 1, 2, ...; from a member to the master.
    to: Vec<Sender<Message>>,
    from: Receiver<Message>,
}

/// The members of a group of `size` threads, by rank.
pub fn thread_group(size: usize) -> Vec<ThreadMember> {
    let (to_master, from_members) = channel();
    let (to_members, from_master): (Vec<_>, Vec<_>) = (1..size).map(|_| channel()).unzip();
    let master = ThreadMember { rank: 0, size, to: to_members, from: from_members };
    let member = |(rank, from)| ThreadMember { rank, size, to: vec![to_master.clone()], from };
    std::iter::once(master).chain((1..).zip(from_master).map(member)).collect()
}

impl ThreadMember {
    fn line_to(&self, rank: usize) -> Option<&Sender<Message>> {
        match (self.rank, rank) {
            (0, _) => self.to.get(rank.checked_sub(1)?),
            (_, 0) => self.to.first(),
            _ => None,
        }
    }
}

impl Communicator for ThreadMember {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn send(&mut self, messages: Vec<(usize, Vec<u8>)>) -> Result<(), CommError> {
        messages.into_iter().try_for_each(|(rank, bytes)| {
            let line = self.line_to(rank).ok_or(CommError::Lost(rank))?;
            line.send((self.rank, Some(bytes))).map_err(|_| CommError::Lost(rank))
        })
    }

    fn receive(&mut self, within: Duration) -> Result<Option<(usize, Vec<u8>)>, CommError> {
        match self.from.recv_timeout(within) {
            Ok((rank, Some(bytes))) => Ok(Some((rank, bytes))),
            Ok((rank, None)) => Err(CommError::Lost(rank)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) if self.size == 1 => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(CommError::Lost(0)),
        }
    }
}

impl Drop for ThreadMember {
    fn drop(&mut self) {
        for line in &self.to {
            // A member that has already ended needs no notice.
            let _ = line.send((self.rank, None));
        }
    }
}
