//! Shared by tests of several rooms: problems, searches, and checks of schedules.

pub mod at_once;
pub mod checked;
pub mod program;
pub mod search;
pub mod share;
pub mod shrink;
pub mod shuffled;
pub mod sized;
pub mod small;
pub mod tiny;
pub mod wide;
