//! The problem: who sends what to whom on which network, under which rules.
//!
//! Built once from a [`Request`]; engines, bounds and the writer of schedule files read it.

mod demand;
mod model;
mod request;
mod resources;

pub use demand::{Demand, MessageId};
pub use model::{Collective, Ports, Routing, Switching};
pub use request::Request;
pub use resources::{ResourceId, Resources};

use crate::network::{Network, VertexId, faults::Fault};

/// A network and a collective on it, checked.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The network, faults taken out.
    pub network: Network,
    /// What was taken out, for the record.
    pub faults: Vec<Fault>,
    /// The collective.
    pub collective: Collective,
    /// How messages travel.
    pub switching: Switching,
    /// How many messages a terminal handles at once.
    pub ports: Ports,
    /// Which paths are allowed.
    pub routing: Routing,
    /// The one source (OAB, OAS) or the one destination (AOG).
    pub root: Option<VertexId>,
    /// Who has a message of its own, ascending.
    pub senders: Vec<VertexId>,
    /// Who is to receive, ascending.
    pub receivers: Vec<VertexId>,
    /// Every delivery that must happen, by source, then destination.
    pub demands: Vec<Demand>,
    /// What transfers compete for.
    pub resources: Resources,
}

impl Problem {
    /// Number of different messages.
    pub fn messages(&self) -> usize {
        self.demands.last().map_or(0, |d| d.message as usize + 1)
    }
}
