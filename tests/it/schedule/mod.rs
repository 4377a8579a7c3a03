//! Schedules as files and back, and schedules run backwards.

mod resolve;
mod reversed;
