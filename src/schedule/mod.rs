//! A schedule, complete in itself: what engines return, files hold, and `verify` checks.

pub mod file;
mod plan;

pub use file::ScheduleFile;
pub use plan::{Plan, TimeModel, Transfer};
