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
pub use threads::{ThreadMember, team};

/// Somebody in the group is gone, or sent what nobody understands.
#[derive(Debug, thiserror::Error)]
pub enum CommError {
    /// The other end of a conversation has ended.
    #[error("island {0} has ended before its time")]
    Lost(usize),
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

/// A member of a group of islands. Rank 0 is the master.
pub trait Communicator {
    /// Which member this is.
    fn rank(&self) -> usize;

    /// How many members there are.
    fn size(&self) -> usize;

    /// Everybody sends bytes to the master, which gets them all by rank.
    ///
    /// # Errors
    /// When a member is gone.
    fn gather(&mut self, mine: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, CommError>;

    /// The master sends bytes to everybody, by rank; each gets its own.
    ///
    /// # Errors
    /// When a member is gone.
    fn scatter(&mut self, all: Option<Vec<Vec<u8>>>) -> Result<Vec<u8>, CommError>;

    /// What a member has sent to a gathering, as soon as it is there, and who it was. For the master,
    /// which then answers that member alone.
    ///
    /// # Errors
    /// When a member is gone.
    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, CommError>;

    /// Sends bytes to one member, which gets them as its part of a scatter. For the master.
    ///
    /// # Errors
    /// When the member is gone.
    fn send_to(&mut self, rank: usize, bytes: Vec<u8>) -> Result<(), CommError>;
}
