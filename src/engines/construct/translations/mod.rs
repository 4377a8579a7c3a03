//! Total exchanges on networks whose translations map each vertex to any other: one message, or the hops of
//! one vertex, stand for those of all.

pub mod commuting;
mod open_shop;
mod sums;
pub mod translated_fit;
mod words;
