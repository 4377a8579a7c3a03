//! Islands as threads of one process.

use super::{CommError, Communicator};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The rank of the sender and its bytes; no bytes when the sender ends.
type Message = (usize, Option<Vec<u8>>);

/// A thread in a group of islands. When it ends, also by a panic, it notifies the master, and the
/// master notifies all others.
#[derive(Debug)]
pub struct ThreadMember {
    rank: usize,
    /// To each member.
    to: Arc<[Sender<Message>]>,
    from: Receiver<Message>,
}

/// The members of a group of `size` threads, by rank.
pub fn thread_group(size: usize) -> Vec<ThreadMember> {
    let (to, from): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
    let to: Arc<[_]> = to.into();
    let member = |(rank, from)| ThreadMember { rank, to: to.clone(), from };
    from.into_iter().enumerate().map(member).collect()
}

impl Communicator for ThreadMember {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, messages: Vec<(usize, Vec<u8>)>) -> Result<(), CommError> {
        messages.into_iter().try_for_each(|(rank, bytes)| {
            let line = self.to.get(rank).ok_or(CommError::Lost(rank))?;
            line.send((self.rank, Some(bytes))).map_err(|_| CommError::Lost(rank))
        })
    }

    fn receive(&mut self, within: Duration) -> Result<Option<(usize, Vec<u8>)>, CommError> {
        match self.from.recv_timeout(within) {
            Ok((rank, Some(bytes))) => Ok(Some((rank, bytes))),
            Ok((rank, None)) => Err(CommError::Lost(rank)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            // Unreachable: each member has a line to itself.
            Err(RecvTimeoutError::Disconnected) => Err(CommError::Lost(self.rank)),
        }
    }
}

impl Drop for ThreadMember {
    fn drop(&mut self) {
        let told = if self.rank == 0 { 1..self.size() } else { 0..1 };
        for line in &self.to[told] {
            // A member that has already ended needs no notice.
            let _ = line.send((self.rank, None));
        }
    }
}
