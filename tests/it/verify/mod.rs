//! The checker on valid schedules and on schedules that break one rule each.

mod bounds;
mod capacity;
mod changed;
mod odd_files;
mod order;
mod proof;
mod rules;
mod second_checker;
mod spread;
mod structure;
mod timed;
