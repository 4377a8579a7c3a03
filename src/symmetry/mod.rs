//! Symmetry: a group of automorphisms that moves every terminal, and with it every transfer, turns
//! one transfer into as many as the group has elements. If the steps are permuted along, a schedule
//! of one transfer of each orbit is a schedule of all.

mod action;
pub mod automorphisms;
pub mod carried;
mod group;
mod images;
mod lookup;
#[cfg(test)]
mod tests;

pub mod translations;

pub use action::Action;
pub use group::{Group, groups};
pub use images::Images;
pub use lookup::Lookup;
