//! Fault sweeps: the same collectives on a network with every set of faults of a given size
//! (umda-fault-tolerance, section 5). Sets that an automorphism of the network maps to each other are
//! equal: one of them is solved, and its schedule is carried over to the others.
//!
//! ```text
//! sets -> orbits (classes of equal sets) -> sweep (cells, tasks) -> results
//!                                                     \-> sets (carried schedules) -> book
//! ```

mod book;
mod cells;
mod orbits;
mod results;
mod sets;

pub use book::Book;
pub use cells::{Cell, FaultSweep};
pub use orbits::{Case, Class, Symmetry, carry_over, classes};
pub use results::{Header, Results, Row, Subject, degradation};
pub(crate) use sets::links;
pub use sets::{FaultSet, MOST_SETS, fault_sets, link_sets, vertex_sets};
