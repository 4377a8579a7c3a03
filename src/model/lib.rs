//! A collective on a network as data: the problem, its symmetries and routes, and schedules, by ids and as files.

pub mod bound;
pub mod problem;
pub mod routing;
pub mod schedule;
pub mod symmetry;

pub use problem::Problem;
pub use schedule::ScheduleFile;
