//! Networks: families, files, faults and what is measured of them.

mod families;
mod faults;
mod files;
mod metrics;
mod toml;
mod topologies;
