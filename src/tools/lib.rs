//! What is done with schedules: shown, exported, imported, deployed, and chosen by their time.

#[cfg(feature = "deploy")]
pub mod deploy;
pub mod export;
#[cfg(feature = "deploy")]
pub mod fold;
pub mod import;
pub mod show;
pub mod tradeoff;
