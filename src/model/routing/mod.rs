//! Paths and walks for transfers: the table of paths, computed once and stored flat, and the graph
//! of walks, whose states are (vertex, hops made). Searches over the walks of one transfer go slot
//! by slot over a [`WalkGraph`]; searches over the walks between one vertex and all others go layer
//! by layer over [`Layers`], whose cells are (detour, vertex).

mod layers;
mod paths;
mod shared;
mod walk_graph;

pub use layers::{DistanceTable, Layers};
pub use paths::{PathId, PathTable, Slack};
pub use walk_graph::{Hop, WalkFinder, WalkGraph};
