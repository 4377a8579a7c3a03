//! Engines, which search for conflict-free schedules. [`Engine`] names them with their parameters;
//! an engine that runs on islands supplies a [`Walker`] for a problem.
//!
//! | collective | switching | `auto` constructs | `auto` searches | `hgsa` | `umda` |
//! |---|---|---|---|---|---|
//! | one message to all | wormhole | [`construct`] broadcast | [`search::broadcast`] | forest | broadcast |
//! | | store-and-forward | [`construct`] broadcast | [`search::broadcast`] | flood | |
//! | many messages to all | wormhole | [`construct`] allgather | [`search::allgather`] | forest | broadcast |
//! | | store-and-forward | [`construct`] allgather | [`search::allgather`] | flood | |
//! | one message a pair | wormhole | [`construct`] alltoall | [`search::scatter`] | scatter | scatter |
//! | | store-and-forward | [`construct`] stored_scatter | [`search::scatter`] | scatter | |
//!
//! The genes of `hgsa` are in [`hgsa::genes`]. Traffics with one fixed route a pair can also be scheduled
//! on their conflict graph, by the engines in [`exact`].

pub mod auto;
pub mod construct;
mod engine;
pub mod exact;
pub mod hgsa;
mod method;
pub mod search;
pub mod umda;
mod walker;

use crate::problem::Problem;

/// Deliveries, and vertices, from which on a problem is large.
const LARGE: (usize, usize) = (5_000, 400);

/// Whether `auto` begins with a schedule at once, before bounds that take long and before any
/// search.
pub fn is_large(problem: &Problem) -> bool {
    has_many_messages(problem) || problem.network.vertices().len() >= LARGE.1
}

/// Whether there are too many deliveries for searches that look at each of them often.
pub fn has_many_messages(problem: &Problem) -> bool {
    problem.demands.len() >= LARGE.0
}

pub use engine::{Engine, Searcher};
pub use method::Method;
pub use walker::{Copied, Gene, Genome, PathsFound, Resume, Tally, Walker};
