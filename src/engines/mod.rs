//! Engines, which search for conflict-free schedules. [`Engine`] names them with their parameters;
//! an engine that runs on islands supplies a [`Walker`] for a problem.

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
