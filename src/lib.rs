//! Conflict-free schedules of collective communications.
//!
//! The data flows one way, and so do the folders:
//!
//! ```text
//! network -> symmetry
//!    |          |
//! problem -> routing -> bounds -> refute
//!    |
//! engines <- islands <- comm (one | threads | mpi)
//!    |          |
//! schedule   experiments
//!    |
//! verify -> show -> cli
//! ```

pub mod atomic;
mod bits;
pub mod bounds;
#[cfg(feature = "cli")]
pub mod cli;
pub mod comm;
pub mod engines;
pub mod error;
pub mod experiments;
pub mod field;
pub mod islands;
pub mod network;
pub mod problem;
pub mod refute;
pub mod rng;
pub mod routing;
pub mod schedule;
pub mod show;
mod solve;
pub mod symmetry;
pub mod verify;

pub use error::{Error, Result};
pub use solve::{EXCHANGE_EVERY, ISLANDS, Options, SEED, Solution, solve};
