//! Searches that beat the moves of the papers, one for each kind of collective.

pub mod allgather;
pub mod broadcast;
pub mod detours;
mod hops;
pub mod hosts;
pub mod joined;
pub mod multicast;
pub mod packing;
mod passes;
pub mod rounds;
pub mod scatter;
pub mod sums;
