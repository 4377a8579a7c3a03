//! Serial engines on the conflict graph of a traffic with one route per pair (liquid-schedules): an
//! exact search and two greedy ones.

pub mod conflict_graph;
pub mod dsatur;
pub mod liquid;
pub mod round_robin;
