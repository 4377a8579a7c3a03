//! Sweeps: the same collectives on a network with every set of faults of a size
//! (umda-fault-tolerance, section 5). Sets that an automorphism of the network takes to each other
//! are equal, so one of them is solved and its schedule carried over.

mod faults;
mod image;
mod orbits;

pub use faults::{FaultSet, link_sets, links, number_of_sets, vertex_sets};
pub use image::carry_over;
pub use orbits::{Case, Class, Symmetry, classes};
