//! The ground floor of the engines: what a walker is, the paths and conflicts of genes, free steps,
//! and edge colourings. No file here knows an engine.

pub(in crate::engines) mod edge_colours;
pub(in crate::engines) mod free_steps;
pub(in crate::engines) mod in_step;
mod method;
mod occupancy;
pub(in crate::engines) mod placed;
pub(in crate::engines) mod port_graph;
mod routes;
pub(in crate::engines) mod sample;
mod senders;
mod walker;

pub use method::Method;
pub use occupancy::Occupancy;
pub use routes::{Routes, Use, WAITS};
pub use senders::Senders;
pub(in crate::engines) use walker::check_steps;
pub(crate) use walker::most_steps;
pub use walker::{
    Copied, Gene, Genome, Part, PathsFound, Pause, Resume, Seat, Sharing, Tally, Walker,
};
