//! TOML files: a neighbour list for every vertex. `topologies/example.toml` explains the format.

mod aliases;
mod delays;
mod links;
pub mod read;
mod routes;
mod values;
mod widths;
pub mod write;
