//! Comparison of configurations: the same instances, the same seeds, the same budget, many runs.
//!
//! The papers compare success rates over 10 or 30 runs (umda-multistage-networks, table 5). Few
//! runs need confidence intervals, and rates alone say nothing about time. Here every number has
//! its interval, and times are compared by a rank test.
//!
//! ```text
//! runs | lines (of earlier runs) -> study -> summary (statistics) -> report | json
//!                                    \-> csv, plots, run_times
//! ```

mod config;
pub mod csv;
mod json;
pub mod lines;
mod parallel;
pub mod plots;
mod record;
mod report;
pub mod run_times;
pub mod runs;
pub mod statistics;
mod study;
mod summary;
pub mod target;
mod to_target;

pub use config::{Budget, Configuration, Instance, LeastTime, slug};
pub use json::json_line;
pub use parallel::Parallel;
pub use record::{Busiest, Moment, Point, Reached, Record};
pub use report::text;
pub use run_times::RunTimes;
pub use study::Study;
pub use summary::{Against, Row, Summary, summaries};
pub use to_target::Median;
