//! The ground floor of the engines: what a walker is, the paths and conflicts of genes, free steps,
//! and edge colourings. No file here knows an engine.

mod choices;
pub mod conflict_graph;
pub(crate) mod edge_colours;
pub(crate) mod free_steps;
pub(crate) mod in_step;
pub(crate) mod lists;
mod method;
mod occupancy;
pub(crate) mod placed;
mod routes;
pub(crate) mod sample;
mod start;
mod walker;

pub use choices::Choices;
pub use method::Method;
pub use occupancy::{Occupancy, Senders};
pub use routes::{Routes, Use, WAITS};
pub use start::{FirstOrder, Form, Start};
pub(crate) use walker::check_steps;
pub use walker::{
    Copied, Gene, Genome, Leg, Part, PathsFound, Resume, Seat, Sharing, Tally, Timetable, Walker,
    most_steps,
};
