//! Searches that beat the moves of the papers, one for every kind of collective.

pub mod allgather;
pub mod broadcast;
pub mod scatter;
