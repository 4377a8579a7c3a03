//! Schedules: recorded to files, resolved from files, and reversed.

mod files;
mod resolve;
mod reversed;
