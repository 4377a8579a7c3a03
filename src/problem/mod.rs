//! The problem: the demands of a collective on a network, and the rules for their transfers.
//!
//! Built once from a [`Request`]; engines, bounds and the writer of schedule files read it.

mod collective;
mod demand;
mod exchange;
mod fixed;
pub mod groups_file;
pub mod hosts;
mod messages;
mod model;
pub mod pairs_file;
mod permutation;
mod request;
mod resources;
mod traffic;
mod ways;

pub use collective::{Collective, Content, Direction, Roots, Shape};
pub use demand::{Demand, MessageId};
pub use messages::{Messages, copies};
pub use model::{Ports, Relays, Routing, Switching};
pub use permutation::Permutation;
pub use request::{Request, all_receivers, all_senders};
pub use resources::{ResourceId, Resources, places};
pub(crate) use traffic::DEFAULT_BYTES;
pub use traffic::Pair;
pub use ways::{Way, Ways};

use crate::cores;
use crate::network::faults::Fault;
use crate::network::{ChannelId, LglRoutes, Network, Routes, VertexId};
use std::ops::Range;
use std::sync::Arc;

/// A network and a valid collective on it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The network without its faults.
    pub network: Network,
    /// The faults that were removed, for the record.
    pub faults: Vec<Fault>,
    /// The request that the problem was built from.
    pub request: Request,
    /// The collective.
    pub collective: Collective,
    /// How messages travel.
    pub switching: Switching,
    /// How many messages a terminal sends, and receives, in one step.
    pub ports: Ports,
    /// Which paths are allowed.
    pub routing: Routing,
    /// The one source (OAB, OAS) or the one destination (AOG).
    pub root: Option<VertexId>,
    /// The vertices that send messages of their own, ascending.
    pub senders: Vec<VertexId>,
    /// The vertices that receive, ascending.
    pub receivers: Vec<VertexId>,
    /// The terminals that take part, in the order of their ranks.
    pub processes: Vec<VertexId>,
    /// Every delivery that must happen, by source, then destination.
    pub demands: Vec<Demand>,
    /// Bytes of every message; none if all have the length of the time model.
    pub lengths: Option<Vec<u64>>,
    /// The links and ports for which transfers compete.
    pub resources: Resources,
    /// The routes of a dragonfly, if routing is local-global-local.
    pub lgl: Option<Arc<LglRoutes>>,
    /// The routes of all demands, if routing is by a table that is made for the network.
    pub table: Option<Arc<Routes>>,
}

impl Problem {
    /// Number of different messages.
    pub fn messages(&self) -> usize {
        self.demands.last().map_or(0, |d| d.message as usize + 1)
    }

    /// The demands with the same ends, which stand side by side.
    pub fn pairs(&self) -> impl Iterator<Item = &[Demand]> {
        self.demands.chunk_by(|a, b| (a.source, a.destination) == (b.source, b.destination))
    }

    /// Number of transfers over every resource, when each takes its fixed route; 0 if there is a
    /// choice of paths.
    pub fn static_loads(&self) -> Vec<u32> {
        let none = || vec![0; self.resources.capacities().len()];
        let of_some = |demands: Range<usize>| {
            let mut loads = none();
            for d in &self.demands[demands] {
                let add = |resource: ResourceId, _| loads[resource as usize] += 1;
                let route = self.fixed_route(d.source, d.destination).unwrap_or_default();
                self.resources.uses(&self.network, self.switching, route, add);
            }
            loads
        };
        let parts = cores::parts(self.demands.len(), |demand| demand + 1);
        let sum = |mut sum: Vec<u32>, loads: Vec<u32>| {
            sum.iter_mut().zip(loads).for_each(|(sum, load)| *sum += load);
            sum
        };
        cores::each(parts, of_some).into_iter().fold(none(), sum)
    }

    /// The problem with as many ports as a terminal has channels.
    pub fn without_ports(&self) -> Problem {
        let ports = Ports(None);
        let request = Request { ports, ..self.request.clone() };
        let resources = Resources::new(&self.network, ports);
        Problem { request, ports, resources, ..self.clone() }
    }

    /// The problem with full-duplex links in place of half-duplex ones.
    pub fn at_full_duplex(&self) -> Problem {
        let network = self.network.full_duplex();
        let resources = Resources::new(&network, self.ports);
        Problem { network, resources, ..self.clone() }
    }

    /// How many transfers can start at a vertex in one step: the capacity of its outgoing channels,
    /// at a terminal limited by its ports.
    pub fn sends_at_once(&self, v: VertexId) -> usize {
        self.at_once(v, self.network.capacity_out(v))
    }

    /// How many transfers can end at a vertex in one step.
    pub fn receives_at_once(&self, v: VertexId) -> usize {
        self.at_once(v, self.network.capacity_into(v))
    }

    fn at_once(&self, v: VertexId, carried: usize) -> usize {
        if self.network.is_terminal(v) { self.ports.limit(carried) } else { carried }
    }

    /// Whether routing fixes one route for every transfer.
    pub fn has_fixed_routes(&self) -> bool {
        self.routing.is_fixed()
    }

    /// The load of the bottleneck when each transfer takes its fixed route: no schedule has fewer
    /// steps. 0 if there is a choice of paths.
    pub fn static_duration(&self) -> u32 {
        let loads = self.static_loads();
        let steps = loads.iter().zip(self.resources.capacities()).map(|(l, c)| l.div_ceil(*c));
        steps.max().unwrap_or(0)
    }

    /// The one route from one terminal to another under fixed routing; none if there is a choice of
    /// paths.
    pub fn fixed_route(&self, from: VertexId, to: VertexId) -> Option<&[ChannelId]> {
        match &self.lgl {
            Some(routes) => Some(routes.get(from, to)),
            None => self.routes()?.get(from, to),
        }
    }

    /// The routes of all pairs, if routing is static or by a table.
    pub fn routes(&self) -> Option<&Routes> {
        let own = || (self.routing == Routing::Static).then(|| self.network.routes());
        self.table.as_deref().or_else(own)
    }
}
