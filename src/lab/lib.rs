//! Experiments: many runs and their evaluation.

pub mod compare;
pub mod fault_sweep;
mod journal;
pub mod pictures;
pub mod plots;
pub mod repairs;
pub mod replay;
pub mod reproduce;
pub mod resilience;
pub mod routings;
pub mod rows;
pub mod survey;
pub mod swiss_t1;
