//! What is done with schedules: shown, exported, imported, deployed, and chosen by their time.

pub mod deploy;
pub mod export;
pub mod fold;
pub mod import;
pub mod show;
pub mod tradeoff;
