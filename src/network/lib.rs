//! Networks: the graph and its builder, faults, static routes, and the sources of networks
//! (families, files).
//!
//! `graph` is the network itself, `builder` builds one, `reversed` reverses its channels,
//! `faults` removes parts, `unbroken` knows the network before, `terminals` chooses the terminals of a network, `participants` those
//! that take part, `processes` places several on a host, `hostlist` reads Slurm's lists, `routes`
//! and `dragonfly` hold fixed routes, `parts` and `path_list` the channels of many paths, `grid`
//! recognises meshes and tori, `rate` is what capacity 1 stands for, `delay` how long the head of
//! a message takes along a channel, `tables` makes routes by
//! rules with a name, `metrics` measures. `spec` turns a user's text into a network, by the
//! tables in `families` and `files`.

mod adjacency;
mod builder;
mod cheapest;
mod delay;
mod delayed;
mod dragonfly;
pub mod families;
pub mod faults;
pub mod files;
mod graph;
pub mod grid;
pub mod hostlist;
mod lookup;
pub mod metrics;
mod participants;
mod parts;
mod path_list;
pub mod processes;
mod rate;
mod reversed;
mod routes;
pub mod slowed;
pub mod spec;
mod suggestion;
pub mod tables;
pub mod terminals;
pub mod turns;
mod unbroken;

pub use adjacency::Adjacency;
pub use builder::{MAX_CAPACITY, NetworkBuilder};
pub use cheapest::Cheapest;
pub use delay::{Delay, UNKNOWN_RATE};
pub use delayed::Delays;
pub use dragonfly::{Dragonfly, LglRoutes};
pub use graph::{Channel, LinkKind, Network, Vertex};
pub use lookup::Lookup;
pub use participants::Between;
pub use parts::{Parts, Walk};
pub use path_list::PathList;
pub use rate::{Rate, bits};
pub use routes::Routes;
pub use unbroken::Unbroken;

/// Index of a vertex in its network.
pub type VertexId = u32;
/// Index of a channel in its network.
pub type ChannelId = u32;
