//! Symmetry: a group of automorphisms that acts freely on the demands turns one transfer into one
//! for each of its elements. If the group permutes the steps as well, a schedule of one transfer of
//! each orbit yields a schedule of all.

mod action;
pub mod automorphisms;
mod group;
mod groups;
mod images;
pub mod lookup;
#[cfg(test)]
mod tests;

pub mod translations;

pub use action::Action;
pub use group::{Group, Orbits};
pub use groups::{groups, groups_of_demands};
pub use images::Images;
pub use lookup::Lookup;
