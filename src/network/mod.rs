//! Networks: the graph and its builder, faults, static routes, and where networks come from
//! (families, files).
//!
//! `graph` is the network itself, `builder` puts one together, `reversed` turns one round, `faults`
//! takes parts out, `routes` and `dragonfly` lay down fixed routes, `metrics` measures. `spec` turns
//! what users call a network into one, by the tables in `families` and `files`.

mod adjacency;
mod builder;
mod dragonfly;
pub mod families;
pub mod faults;
pub mod files;
mod graph;
pub mod metrics;
mod reversed;
mod routes;
pub mod spec;
mod suggestion;

pub use adjacency::Adjacency;
pub use builder::{LinkKind, MAX_CAPACITY, NetworkBuilder};
pub use dragonfly::{Dragonfly, LglRoutes};
pub use graph::{Channel, Network, Vertex};
pub use routes::Routes;

/// Index of a vertex in its network.
pub type VertexId = u32;
/// Index of a channel in its network.
pub type ChannelId = u32;
