//! A schedule, complete in itself: what engines return, files hold, and `verify` checks.

mod builder;
pub mod cells;
mod compact;
mod energy;
pub mod file;
mod filling;
mod format;
mod head;
pub mod io;
mod layout;
mod mistake;
mod names;
mod onto;
mod paths;
mod plan;
pub mod printable;
mod record;
mod resolve;
mod rounds;
mod routes;
mod seeds;
mod step;
mod steps_text;
mod stops;
mod time;
mod transfers;

pub use builder::PlanBuilder;
pub use file::ScheduleFile;
pub use names::NameId;
pub use onto::resolve_onto;
pub use plan::Plan;
pub use resolve::resolve;
pub use routes::{RouteRecords, RouteRef};
pub use step::{Step, TransferRef, Transfers};
pub use time::TimeModel;
pub use transfers::{Entry, MessageRef, RecordRef, Records, Steps};
