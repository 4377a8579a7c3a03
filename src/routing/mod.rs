//! Paths for transfers: found once, stored flat, shared by every engine.

mod paths;
mod walks;

pub use paths::{PathId, PathTable, Slack};
