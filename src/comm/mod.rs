//! How islands talk: to the master, and the master back to each of them.
//!
//! The algorithm sees this trait alone. Of its three backends one island has nobody to talk to,
//! threads pass bytes through channels, and MPI ranks send messages; the bytes are the same, so
//! the result is.

pub mod codec;
#[cfg(feature = "mpi")]
pub mod mpi;
mod solo;
mod threads;

pub use solo::Solo;
pub use threads::{ThreadMember, thread_group};

use std::time::Duration;

/// Somebody in the group is gone, or sent what nobody understands.
#[derive(Debug, thiserror::Error)]
pub enum CommError {
    /// The other end of a conversation has ended.
    #[error("island {0} has ended before its time")]
    Lost(usize),
    /// A message of the wrong kind.
    #[error("island {0} has said something out of turn")]
    OutOfTurn(usize),
    /// Bytes that are no message of ours.
    #[error("a message between islands cannot be decoded: {0}")]
    Garbled(#[from] bincode::error::DecodeError),
    /// A message that cannot be put into bytes.
    #[error("a message between islands cannot be encoded: {0}")]
    Unsendable(#[from] bincode::error::EncodeError),
    /// A saved state that is not of the search it is given to.
    #[error("a saved state does not fit the search: it has another number of {0}")]
    Unfit(&'static str),
    /// A message too long for one send.
    #[error("a message of {0} bytes between islands is too long; the limit is 2 GiB")]
    TooLong(usize),
}

/// A member of a group of islands. Rank 0 is the master; it talks to everybody, the others to it.
pub trait Communicator {
    /// Which member this is.
    fn rank(&self) -> usize;

    /// How many members there are.
    fn size(&self) -> usize;

    /// Sends bytes to other members, to each its own. Messages to one member arrive in order.
    ///
    /// # Errors
    /// When a member is gone.
    fn send(&mut self, messages: Vec<(usize, Vec<u8>)>) -> Result<(), CommError>;

    /// What another member has sent, and who it was; nothing if nothing comes in this time.
    ///
    /// # Errors
    /// When a member is gone.
    fn receive(&mut self, within: Duration) -> Result<Option<(usize, Vec<u8>)>, CommError>;

    /// Waits for what the master says next.
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
