//! Experiments: many runs, and what they say together.

pub mod compare;
pub mod fault_sweep;
pub(crate) mod pictures;
pub mod swiss_t1;
