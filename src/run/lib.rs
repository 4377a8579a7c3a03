//! Engines at work: islands by threads or ranks, limits, checkpoints; `solve` and repairs.

pub mod comm;
pub mod islands;
pub mod regroup;
pub mod repair;
mod solve;

pub use solve::{
    EXCHANGE_EVERY, EXCHANGE_GROUP, ISLANDS, Listener, Options, SEED, Solution, solve, solve_until,
};
