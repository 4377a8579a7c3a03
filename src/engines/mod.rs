//! Searches for conflict-free schedules. An engine gets a problem and parameters and returns an
//! outcome; generator, stop condition and listener are passed in.

pub mod auto;
pub mod construct;
mod engine;
pub mod exact;
pub mod hgsa;
mod method;
pub mod search;
pub mod umda;
mod walker;

pub use engine::{Engine, Searcher};
pub use method::Method;
pub use walker::{Copied, Gene, Genome, PathsFound, Resume, Tally, Walker};
