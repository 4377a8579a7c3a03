//! The checker against schedules that are right and schedules that break one rule each.

mod bounds;
mod changed;
mod rules;
#[path = "../small/mod.rs"]
mod small;
mod spread;
mod structure;
