//! A schedule, complete in itself: what engines return, files hold, and `verify` checks.

pub mod file;

pub use file::ScheduleFile;
