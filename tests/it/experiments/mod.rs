//! Experiments: sweeps over sets of faults, books of repairs, replays.

mod fault_sweep;
mod repairs;
mod replay;
mod replay_order;
mod reproduce;
mod resilience;
mod tradeoff;
