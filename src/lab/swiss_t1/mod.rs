//! The study of the Swiss-T1 cluster in all its allocations (liquid-schedules, sections 2 and 4,
//! annex), repeated by one command.

mod classes;
mod plots;
mod report;
mod runs;

pub use classes::{ALLOCATIONS, Class, LINK_RATE, classes};
pub use plots::{Level, by_nodes, loss, throughput};
pub use report::{Summary, csv};
pub use runs::{Row, RunLimits, schedule};
