//! What tests of several rooms use: problems, searches, and schedules that are checked.

pub mod at_once;
pub mod checked;
pub mod search;
pub mod shrink;
pub mod small;
pub mod tiny;
