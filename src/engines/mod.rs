//! Searches for conflict-free schedules. An engine gets a problem and parameters and returns an
//! outcome; generator, stop condition and listener are passed in.

mod auto;
mod config;
mod construct;
pub mod exact;
pub mod hgsa;
pub mod search;
pub mod umda;
mod walker;

pub use config::{Config, Direct};
pub use walker::{Copied, Gene, Genome, PathsFound, Resume, Tally, Walker};
