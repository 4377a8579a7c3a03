//! Studies of the literature that one command repeats: the Swiss-T1 cluster and all its allocations
//! (liquid-schedules, sections 2 and 4, annex).

mod classes;
mod plots;
mod report;
mod runs;

pub use classes::{ALLOCATIONS, Class, classes};
pub use plots::{loss, throughput};
pub use report::{Summary, csv};
pub use runs::{Row, RunLimits, schedule};
