//! Conflict-free schedules of collective communications.
//!
//! The data flows one way, and so do the folders:
//!
//! ```text
//! network -> routing -> problem -> bounds
//!                          |
//!                       engines  <- islands <- comm (one | threads | mpi)
//!                          |
//!                       schedule -> verify -> show
//! ```

pub mod cli;
pub mod error;
pub mod network;
pub mod schedule;
pub mod show;
pub mod verify;

pub use error::{Error, Result};
