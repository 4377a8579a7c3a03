//! Paths for transfers: found once, stored flat, shared by every engine.

mod distance;
mod paths;
mod walks;

pub use distance::{UNREACHABLE, distances_from, distances_to};
pub use paths::{PathId, PathTable, Slack};
