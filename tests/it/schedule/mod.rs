//! Schedules: recorded to files, resolved from files, and reversed.

mod changes;
mod files;
mod resolve;
mod reversed;
