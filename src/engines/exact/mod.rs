//! Engines that work alone on the conflict graph of a traffic with one route a pair
//! (liquid-schedules): an exact search and two greedy ones.

pub mod conflict_graph;
pub mod dsatur;
pub mod liquid;
pub mod round_robin;
