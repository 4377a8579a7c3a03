//! A schedule, complete in itself: what engines return, files hold, and `verify` checks.

pub mod file;
pub mod io;
mod layout;
mod plan;
mod record;
mod resolve;
mod step;
mod time;

pub use file::ScheduleFile;
pub use plan::Plan;
pub use resolve::resolve;
pub use step::{Step, TransferRef, Transfers};
pub use time::TimeModel;
