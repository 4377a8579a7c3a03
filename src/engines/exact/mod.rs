//! Serial engines on the conflict graph of a traffic with one route per pair (liquid-schedules): an
//! exact search and two greedy ones.

pub use crate::ground::conflict_graph;
pub mod dsatur;
pub mod liquid;
pub mod round_robin;

use crate::Method;
use crate::row::{EngineRow, Runs};

/// The exact search for liquid schedules.
pub static LIQUID: EngineRow = EngineRow {
    name: "liquid",
    help: "Exact search for a schedule as long as the bottleneck's load, or a proof that none exists; one \
           route a pair, wormhole only. An iteration is 256 nodes of the search tree",
    runs: Runs::Exact,
    ..SERIAL
};

/// Greedy colouring.
pub static DSATUR: EngineRow = EngineRow {
    name: "dsatur",
    help: "Greedy colouring of the conflict graph; one route a pair, wormhole only",
    runs: Runs::Once(&Method::Colouring, |_, conflicts| dsatur::colour(conflicts)),
    ..SERIAL
};

/// The schedule of programs that ignore the network.
pub static ROUND_ROBIN: EngineRow = EngineRow {
    name: "round-robin",
    help: "Sender i serves receiver i+p in phase p, regardless of the network; one route a pair, wormhole \
           only",
    runs: Runs::Once(&Method::Phases, round_robin::frames),
    ..SERIAL
};

const SERIAL: EngineRow = EngineRow { is_serial: true, ..EngineRow::BASE };
