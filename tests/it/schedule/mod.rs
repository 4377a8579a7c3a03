//! Schedules: recorded to files, resolved from files, and reversed.

mod resolve;
mod reversed;
