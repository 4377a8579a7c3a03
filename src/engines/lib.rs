//! Engines, which search for conflict-free schedules. Each is a row ([`EngineRow`]): a name, parameters,
//! what it schedules, how it runs. One that runs on islands supplies a [`Walker`] for a problem.
//!
//! | collective | switching | `auto` constructs | `auto` searches | `hgsa` | `umda` |
//! |---|---|---|---|---|---|
//! | one message to all | wormhole | [`construct`] broadcast | [`search::broadcast`] | forest | broadcast |
//! | | store-and-forward | [`construct`] broadcast | [`search::broadcast`] | flood | |
//! | many messages to all | wormhole | [`construct`] allgather | [`search::allgather`] | forest | broadcast |
//! | | store-and-forward | [`construct`] allgather | [`search::allgather`] | flood | |
//! | one message a pair | wormhole | [`construct`] alltoall | [`search::scatter`], large: [`search::packing`] | ejecting | scatter |
//! | | store-and-forward | [`construct`] stored_scatter, alltoall | [`search::scatter`], large: [`search::packing`] | ejecting | |
//!
//! In all-to-all scatters among hosts of which several share a switch, the search is for the switches
//! (`reduce::switches`), and its schedules are told apart to the hosts. Where a construction leaves a part of the
//! messages (`reduce::rest`), the search is for these.
//!
//! Schedules for store-and-forward switching that follow from paths are made hop by hop (`journeys`).
//!
//! [`policy`] holds every decision of `auto`: the opening, the search for a problem, and what runs
//! beside it. First fit constructs a schedule for every scatter.
//!
//! Schedules of the least time for messages of different lengths are made by [`sized`].
//!
//! The genes of `hgsa` are in [`hgsa::genes`]. Traffics with one fixed route a pair can also be scheduled
//! on their conflict graph, by the engines in [`exact`].

pub mod auto;
pub mod construct;
mod engine;
pub mod exact;
mod ground;
pub mod hgsa;
mod journeys;
mod opening;
mod parameter;
pub mod policy;
pub mod reduce;
mod registry;
pub mod regroup;
pub mod row;
pub mod search;
pub mod sized;
pub mod umda;

pub use engine::{Described, Engine, Searcher};
pub use ground::most_steps;
pub use ground::{
    Copied, Gene, Genome, Leg, Method, Occupancy, Part, PathsFound, Resume, Routes, Seat, Senders,
    Sharing, Tally, Use, WAITS, Walker,
};
pub use opening::Opened;
pub use row::{EngineRow, Parameter};
