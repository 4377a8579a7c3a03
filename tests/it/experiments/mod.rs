//! Experiments: sweeps over sets of faults.

mod fault_sweep;
mod reproduce;
