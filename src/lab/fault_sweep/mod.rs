//! Fault sweeps: the same collectives on a network with every set of faults of a given size
//! (umda-fault-tolerance, section 5). Sets that an automorphism of the network maps to each other are
//! equal: one of them is solved, and its schedule is carried over to the others.
//!
//! ```text
//! sets -> orbits (classes of equal sets) -> cells -> sweep (tasks) -> results -> summary
//!                                                          \-> image (carried schedules) -> book
//! ```

mod book;
mod cells;
mod faults;
mod header;
mod image;
mod orbits;
mod results;
mod sets;
mod setting;
mod summary;
mod sweep;

pub use book::Book;
pub use cells::Cell;
pub use faults::FaultSet;
pub(super) use header::difference;
pub use header::{Header, Subject};
pub use image::carry_over;
pub use orbits::{Case, Class, Symmetry, classes};
pub use results::{Results, Row};
pub use sets::{MOST_SETS, fault_sets, link_sets, vertex_sets};
pub use setting::FaultSweep;
pub use summary::{Summary, degradation};
