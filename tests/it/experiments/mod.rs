//! Experiments: sweeps over sets of faults, replays.

mod fault_sweep;
mod replay;
mod replay_order;
mod reproduce;
mod tradeoff;
