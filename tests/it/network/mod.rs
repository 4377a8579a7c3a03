//! Networks: families, files, faults and metrics.

mod capacity;
mod families;
mod faults;
mod files;
mod grids;
mod least_tables;
mod machines;
mod metrics;
mod processes;
mod rate;
mod tables;
mod toml;
mod topologies;
