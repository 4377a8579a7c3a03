//! The checker against schedules that are right and schedules that break one rule each.

mod bounds;
mod capacity;
mod changed;
mod odd_files;
mod rules;
mod spread;
mod structure;
