//! Communication between the islands and the master.
//!
//! The algorithms see the trait [`Communicator`] alone. It has three back ends: a single island,
//! threads that pass bytes through in-process channels, and MPI ranks that send messages. The bytes
//! are the same in all three, so the result is the same.

mod counted;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod part;
mod solo;
mod thread_player;
mod threads;

pub use ccsched_base::codec::{self, CommError};
pub use counted::{Census, Count, Counted};
pub use solo::Solo;
pub use thread_player::{ThreadPlayer, thread_players};
pub use threads::{ThreadMember, thread_group};

use std::time::Duration;

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
