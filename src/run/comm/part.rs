//! What one rank does in a replay: messages of known lengths to and from known ranks, many of them
//! under way at once, each begun once the messages that it depends on have ended.

use super::{CommError, Communicator};
use serde::{Deserialize, Serialize};

/// One message, seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// To another rank.
    Send {
        /// The other rank.
        to: usize,
        /// Tells messages between two ranks apart; those with equal tags keep their order.
        tag: u16,
        /// The block that is sent; none is an empty message, a token.
        block: Option<usize>,
    },
    /// From another rank.
    Receive {
        /// The other rank.
        from: usize,
        /// The tag that the sender gives.
        tag: u16,
        /// The block that is filled; its length is that of the message.
        block: Option<usize>,
    },
    /// The sum of two blocks of equal length, written to a third.
    Add {
        /// The summands.
        of: [usize; 2],
        /// The block that is filled.
        into: usize,
    },
}

impl Act {
    /// The block that it fills.
    pub fn fills(self) -> Option<usize> {
        match self {
            Act::Send { .. } => None,
            Act::Receive { block, .. } => block,
            Act::Add { into, .. } => Some(into),
        }
    }
}

/// Adds what two blocks hold: integers of eight bytes modulo 2^61, the bytes after them modulo 2^8. So
/// the order of summands does not matter.
pub fn add(of: [&[u8]; 2], into: &mut [u8]) {
    let [a, b] = of;
    let whole = into.len() / 8 * 8;
    let word = |block: &[u8], at: usize| {
        u64::from_le_bytes(block[at..at + 8].try_into().unwrap_or_default())
    };
    for at in (0..whole).step_by(8) {
        let sum = word(a, at).wrapping_add(word(b, at)) & ((1 << 61) - 1);
        into[at..at + 8].copy_from_slice(&sum.to_le_bytes());
    }
    for at in whole..into.len() {
        into[at] = a[at].wrapping_add(b[at]);
    }
}

/// An act and the operations of its segment that must have ended before it begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// What is done.
    pub act: Act,
    /// Indices of earlier operations of the segment.
    pub after: Vec<usize>,
}

/// All operations of one rank. A segment begins when the one before it has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The operations of each segment.
    pub segments: Vec<Vec<Operation>>,
}

/// The lengths of the messages of one rank in an exchange of all with all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// By rank, of the message to it.
    pub out: Vec<usize>,
    /// By rank, of the message from it.
    pub into: Vec<usize>,
}

/// A rank that can play its part.
pub trait Player: Communicator {
    /// The name of the host that this rank runs on.
    fn host(&self) -> String;

    /// Carries out all operations. Blocks that are received or added up are written, all others are
    /// read.
    ///
    /// # Errors
    /// A rank is gone, or a message is too long.
    fn play(&mut self, part: &Part, blocks: &mut [Vec<u8>]) -> Result<(), CommError>;

    /// The exchange of one message from each rank to each rank that the back end offers, for
    /// comparison. `out` holds the messages to all ranks one after the other, `into` gets those from
    /// all ranks. Without `sizes` all messages have one length; all ranks give sizes, or none does.
    ///
    /// # Errors
    /// As [`Player::play`].
    fn all_to_all(
        &mut self,
        out: &[u8],
        into: &mut [u8],
        sizes: Option<&Sizes>,
    ) -> Result<(), CommError>;
}

/// The operations of a segment that have not ended.
pub(super) struct Pending {
    /// By operation, the operations before it that have not ended.
    waits_for: Vec<usize>,
    /// By operation, those that depend on it.
    dependents: Vec<Vec<usize>>,
    left: usize,
}

impl Pending {
    /// Nothing has ended; also the operations that can begin at once.
    pub(super) fn new(segment: &[Operation]) -> (Self, Vec<usize>) {
        let mut dependents = vec![Vec::new(); segment.len()];
        for (i, operation) in segment.iter().enumerate() {
            operation.after.iter().for_each(|&before| dependents[before].push(i));
        }
        let waits_for: Vec<usize> = segment.iter().map(|o| o.after.len()).collect();
        let ready = (0..segment.len()).filter(|&i| waits_for[i] == 0).collect();
        (Pending { waits_for, dependents, left: segment.len() }, ready)
    }

    /// One has ended; adds those that can begin now.
    pub(super) fn end(&mut self, operation: usize, ready: &mut Vec<usize>) {
        self.left -= 1;
        for &next in &self.dependents[operation] {
            self.waits_for[next] -= 1;
            if self.waits_for[next] == 0 {
                ready.push(next);
            }
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_begin_when_those_before_them_have_ended() {
        let operation = |after: &[usize]| Operation {
            act: Act::Send { to: 0, tag: 0, block: None },
            after: after.to_vec(),
        };
        let segment = [operation(&[]), operation(&[0]), operation(&[]), operation(&[0, 2])];
        let (mut pending, mut ready) = Pending::new(&segment);
        assert_eq!(ready, [0, 2]);
        ready.clear();
        pending.end(0, &mut ready);
        assert_eq!(ready, [1]);
        pending.end(2, &mut ready);
        assert_eq!(ready, [1, 3]);
        pending.end(1, &mut ready);
        assert!(!pending.is_over());
        pending.end(3, &mut ready);
        assert!(pending.is_over());
    }
}
