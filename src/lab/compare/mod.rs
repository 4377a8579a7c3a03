//! Comparison of configurations: the same instances, the same seeds, the same budget, many runs.
//!
//! The papers compare success rates over 10 or 30 runs (umda-multistage-networks, table 5). Few
//! runs need confidence intervals, and rates alone say nothing about time. Here every number has
//! its interval, and times are compared by a rank test.
//!
//! ```text
//! runs | lines (of earlier runs) -> study -> summary (statistics) -> report | output (JSON)
//!                                    \-> output (CSV), plots
//! ```

pub mod lines;
mod output;
pub mod plots;
mod report;
pub mod runs;
pub mod statistics;
mod study;
mod summary;

pub use output::{csv, history, json_line};
pub use plots::RunTimes;
pub use report::text;
pub use study::{
    Budget, Busiest, Configuration, Instance, LeastTime, Moment, Point, Reached, Record, Study,
    slug,
};
pub use summary::{Against, Median, Parallel, Row, Summary, summaries};
