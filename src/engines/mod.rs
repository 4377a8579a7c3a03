//! Searches for conflict-free schedules. An engine gets a problem and parameters and returns an
//! outcome; generator, stop condition and listener are passed in.

pub mod assignment;
mod auto;
mod chains;
mod config;
mod constructors;
mod ejection;
mod flooding;
pub mod hgsa;
mod rng;
mod symmetry;
pub mod umda;
mod walker;

pub use config::Config;
pub use rng::{Rng, rng_of};
pub use walker::{Gene, Genome, PathsFound, Tally, Walker};
