//! Searches for conflict-free schedules. An engine gets a problem and parameters and returns an
//! outcome; generator, stop condition and listener are passed in.

pub mod assignment;
mod auto;
mod bits;
mod chains;
mod config;
pub mod conflicts;
mod constructors;
pub mod dsatur;
pub mod ejection;
mod flooding;
pub mod hgsa;
pub mod liquid;
mod rng;
pub mod round_robin;
mod symmetry;
pub mod umda;
mod walker;

pub use config::{Config, Direct};
pub use rng::{Rng, rng_of};
pub use walker::{Copied, Gene, Genome, PathsFound, Resume, Tally, Walker};
