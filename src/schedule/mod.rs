//! A schedule, complete in itself: what engines return, files hold, and `verify` checks.

pub mod file;
pub mod io;
mod layout;
mod plan;
mod record;
mod resolve;
mod time;

pub use file::ScheduleFile;
pub use plan::{Plan, Transfer};
pub use resolve::resolve;
pub use time::TimeModel;
