//! A schedule, complete in itself: what engines return, files hold, and `verify` checks.

pub mod file;
pub mod io;
mod layout;

pub use file::ScheduleFile;
