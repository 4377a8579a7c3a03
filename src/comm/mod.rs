//! Communication between the islands and the master.
//!
//! The algorithms see the trait [`Communicator`] alone. It has three back ends: a single island,
//! threads that pass bytes through in-process channels, and MPI ranks that send messages. The bytes
//! are the same in all three, so the result is the same.

pub mod codec;
mod counted;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod part;
mod solo;
mod thread_player;
mod threads;

pub use counted::{Census, Count, Counted};
pub use solo::Solo;
pub use thread_player::{ThreadPlayer, thread_players};
pub use threads::{ThreadMember, thread_group};

use std::time::Duration;

/// A member of the group has ended, or a message is invalid.
#[derive(Debug, thiserror::Error)]
pub enum CommError {
    /// The other member has ended.
    #[error("island {0} ended unexpectedly")]
    Lost(usize),
    /// Members that did not answer.
    #[error("{0} ranks do not answer any more")]
    Silent(usize),
    /// A message of the wrong kind.
    #[error("protocol error: unexpected message from island {0}")]
    OutOfTurn(usize),
    /// Bytes that cannot be decoded.
    #[error("a message between islands cannot be decoded: {0}")]
    Garbled(#[from] bincode::error::DecodeError),
    /// A message that cannot be encoded.
    #[error("a message between islands cannot be encoded: {0}")]
    Unsendable(#[from] bincode::error::EncodeError),
    /// A saved state of another search.
    #[error("the saved state does not fit the search: different number of {0}")]
    Unfit(&'static str),
    /// A saved state that no search has: the field, and what it must be.
    #[error("the saved state cannot be that of a search: {0}")]
    Unsound(&'static str),
    /// A message too long for one send.
    #[error("a message of {0} bytes between islands is too long; the limit is 2 GiB")]
    TooLong(usize),
}

/// A member of a group of islands. Rank 0 is the master; masters below it may take part of the
/// messages from it.
pub trait Communicator {
    /// Which member this is.
    fn rank(&self) -> usize;

    /// How many members there are.
    fn size(&self) -> usize;

    /// Sends each message to the member of its rank. Messages to one member arrive in order.
    ///
    /// # Errors
    /// When a member is gone.
    fn send(&mut self, messages: Vec<(usize, Vec<u8>)>) -> Result<(), CommError>;

    /// The rank of another member and its next message; none if none arrives within this time.
    ///
    /// # Errors
    /// When a member is gone.
    fn receive(&mut self, within: Duration) -> Result<Option<(usize, Vec<u8>)>, CommError>;

    /// Waits for the next message.
    ///
    /// # Errors
    /// When the master is gone.
    fn hear(&mut self) -> Result<Vec<u8>, CommError> {
        loop {
            if let Some((_, bytes)) = self.receive(Duration::from_secs(1))? {
                return Ok(bytes);
            }
        }
    }
}
