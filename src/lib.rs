//! Conflict-free schedules of collective communications.
//!
//! The data flows one way, and so do the folders:
//!
//! ```text
//! network -> routing -> problem -> bounds -> refute
//!                          |
//!                       engines  <- islands <- comm (one | threads | mpi)
//!                          |           ^
//!                          |        compare (runs of several configurations)
//!                          |
//!                       schedule -> verify -> show
//! ```

pub mod atomic;
pub mod bounds;
pub mod cli;
pub mod comm;
pub mod compare;
pub mod direct;
pub mod engines;
pub mod error;
pub mod field;
pub mod islands;
pub mod network;
mod pictures;
pub mod problem;
pub mod refute;
pub mod routing;
pub mod schedule;
pub mod show;
pub mod study;
pub mod sweep;
pub mod verify;

pub use error::{Error, Result};
