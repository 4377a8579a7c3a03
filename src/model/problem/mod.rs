//! The problem: the demands of a collective on a network, and the rules for their transfers.
//!
//! Built once from a [`Request`]; engines, bounds and the writer of schedule files read it.

mod collective;
mod demand;
mod exchange;
mod fixed;
mod groups;
pub mod groups_file;
mod host_switching;
pub mod hosts;
pub mod hosts_file;
pub mod matrix_file;
mod messages;
mod model;
mod multicast;
mod names;
mod neighbours;
pub mod pairs_file;
mod permutation;
mod rank_file;
mod ranked;
mod request;
mod resources;
mod traffic;
mod ways;

pub use collective::{Collective, Content, Direction, Function, Joining, Roots, Shape};
pub use demand::{Demand, MessageId, Phase};
pub use groups::{Group, Groups, pairs as pairs_of_groups};
pub use messages::Message;
pub use model::{Multicast, Ports, Relays, Routing, Switching};
pub use names::Names;
pub use neighbours::Participants;
pub use permutation::Permutation;
pub use rank_file::{hosts_and_slots, rank_file};
pub use request::{MOST_PIECES, Request, all_receivers, all_senders};
pub use resources::{ResourceId, Resources, places};
pub(crate) use traffic::DEFAULT_BYTES;
pub use traffic::{Pair, added_up, in_pieces};
pub use ways::{Way, Ways};

use ccsched_base::cores;
use ccsched_base::{Error, Result};
use ccsched_network::faults::Fault;
use ccsched_network::{ChannelId, LglRoutes, Network, Routes, VertexId};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// What bounds count of messages with lengths.
#[derive(Clone, Copy, Debug)]
enum Counted {
    /// Every message once.
    Messages,
    /// The bytes of every message.
    Bytes,
    /// Messages of at least this number of bytes.
    AtLeast(u64),
}

/// A network and a valid collective on it.
///
/// A reduction is posed, and solved, as the broadcast that it is when time runs backwards: its network
/// is reversed, its senders are the roots, its receivers contribute. Files have it forwards:
/// [`Problem::asked_network`], [`Problem::asked_ends`], [`Plan::reversed`](crate::schedule::Plan).
#[derive(Clone, Debug)]
pub struct Problem {
    /// The network without its faults.
    network: Network,
    /// The faults that were removed, for the record.
    faults: Vec<Fault>,
    /// The request that the problem was built from.
    request: Request,
    /// The collective.
    collective: Collective,
    /// How messages travel.
    switching: Switching,
    /// How many messages a terminal sends, and receives, in one step.
    ports: Ports,
    /// Which paths are allowed.
    routing: Routing,
    /// The one source (OAB, OAS) or the one destination (AOG).
    root: Option<VertexId>,
    /// The vertices that send messages of their own, ascending.
    senders: Vec<VertexId>,
    /// The vertices that receive, ascending.
    receivers: Vec<VertexId>,
    /// The terminals that take part, in the order of their ranks.
    processes: Vec<VertexId>,
    /// Every delivery that must happen, by source, then destination; of broadcasts in pieces by
    /// source, piece, destination.
    demands: Vec<Demand>,
    /// The table of messages.
    rows: messages::Rows,
    /// Bytes of every message; none if all have the length of the time model.
    lengths: Option<Vec<u64>>,
    /// What bounds count.
    counted: Counted,
    /// The links and ports for which transfers compete.
    resources: Resources,
    /// The routes of a dragonfly, if routing is local-global-local.
    lgl: Option<Arc<LglRoutes>>,
    /// The routes of all demands, if routing is by a table that is made for the network.
    table: Option<Arc<Routes>>,
    /// The groups that stand side by side, if the collective is that.
    groups: Option<Arc<Groups>>,
}

impl Problem {
    /// The network without its faults.
    #[inline]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The faults that were removed, for the record.
    #[inline]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The request that the problem was built from.
    #[inline]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The collective.
    #[inline]
    pub fn collective(&self) -> Collective {
        self.collective
    }

    /// How messages travel. Hosts that store while switches cut through are the switching that it is on
    /// this network, where it is one of the others.
    #[inline]
    pub fn switching(&self) -> Switching {
        self.switching
    }

    /// The switching that was asked for, as files have it.
    pub fn asked_switching(&self) -> Switching {
        match self.request.switching {
            Switching::Hosts => Switching::Hosts,
            Switching::Wormhole | Switching::StoreAndForward => self.switching,
        }
    }

    /// Whether all messages are of one kind, delivered one by one, and stop at every vertex of their
    /// paths or at none, and terminals alone make copies: constructors, and all engines but `auto` are for such problems alone.
    pub fn is_plain(&self) -> bool {
        let stops_at_some = match self.switching {
            Switching::Hosts => true,
            Switching::Wormhole | Switching::StoreAndForward => false,
        };
        let is_apart = !self.collective.is_all_reduce() && !self.collective.joins();
        !stops_at_some && is_apart && self.groups.is_none() && !self.is_multicast()
    }

    /// Whether some messages are sums, of groups that stand side by side: each has contributors and receivers of its
    /// own. This is what programs ask that know sums of all processes alone.
    pub fn has_sums_of_groups(&self) -> bool {
        self.groups.is_some() && self.collective.has_sums()
    }

    /// The groups that stand side by side, if the collective is that.
    pub fn groups(&self) -> Option<&Groups> {
        self.groups.as_deref()
    }

    /// Whether a vertex may have a message. Of groups, terminals have those of their own groups alone,
    /// unless all terminals are relays; and what a scatter sends over held paths stops nowhere.
    pub fn may_hold(&self, message: MessageId, v: VertexId) -> bool {
        let Some(groups) = &self.groups else { return true };
        if !self.network.is_terminal(v) || self.request.relays == Relays::All {
            return true;
        }
        let ((source, destination, _), group) = groups.row(message / self.pieces());
        match destination {
            Some(destination) if self.switching.holds_paths() => v == source || v == destination,
            _ => groups.members()[group].binary_search(&v).is_ok(),
        }
    }

    /// The problem of one group alone, by its number, on the same network.
    ///
    /// # Errors
    /// There is no such group.
    pub fn alone(&self, group: usize) -> Result<Problem> {
        let listed = self.request.groups.as_ref().and_then(|groups| groups.get(group));
        let Some(Group { collective, members, root, .. }) = listed else {
            return Err(Error::field("group", format!("there is no group {}", group + 1)));
        };
        let request = Request {
            collective: *collective,
            source: root.clone(),
            processes: Some(members.clone()),
            groups: None,
            ..self.request.clone()
        };
        // A channel of a reversed network has the number that it had before.
        let network = self.asked_network().whole();
        let alone = request.pose(network.whole(), self.faults.clone())?;
        match self.switching.holds_paths() && self.routing == Routing::Minimal {
            true => {
                let used = alone.network.used_between_terminals();
                request.pose(network.with_channels(&used)?, self.faults.clone())
            }
            false => Ok(alone),
        }
    }

    /// How many messages a terminal sends, and receives, in one step.
    #[inline]
    pub fn ports(&self) -> Ports {
        self.ports
    }

    /// Which paths are allowed.
    #[inline]
    pub fn routing(&self) -> Routing {
        self.routing
    }

    /// The one source (OAB, OAS) or the one destination (AOG).
    #[inline]
    pub fn root(&self) -> Option<VertexId> {
        self.root
    }

    /// The vertices that send messages of their own, ascending.
    #[inline]
    pub fn senders(&self) -> &[VertexId] {
        &self.senders
    }

    /// The vertices that receive, ascending.
    #[inline]
    pub fn receivers(&self) -> &[VertexId] {
        &self.receivers
    }

    /// The terminals that take part, in the order of their ranks.
    #[inline]
    pub fn processes(&self) -> &[VertexId] {
        &self.processes
    }

    /// Every delivery that must happen, by source, then destination; of broadcasts in pieces by
    /// source, piece, destination.
    #[inline]
    pub fn demands(&self) -> &[Demand] {
        &self.demands
    }

    /// Bytes of every message; none if all have the length of the time model.
    #[inline]
    pub fn lengths(&self) -> Option<&[u64]> {
        self.lengths.as_deref()
    }

    /// The same problem for bounds in bytes.
    pub fn in_bytes(&self) -> Problem {
        Problem { counted: Counted::Bytes, ..self.clone() }
    }

    /// The same problem for bounds on its messages of at least some bytes.
    pub fn of_length(&self, bytes: u64) -> Problem {
        Problem { counted: Counted::AtLeast(bytes), ..self.clone() }
    }

    /// What a delivery counts in bounds: 1, or the bytes of its message; 0 if that is too short.
    #[inline]
    pub fn volume(&self, demand: &Demand) -> u64 {
        let Some(lengths) = &self.lengths else { return 1 };
        let length = lengths[demand.message as usize];
        match self.counted {
            Counted::Messages => 1,
            Counted::Bytes => length,
            Counted::AtLeast(bytes) => u64::from(length >= bytes),
        }
    }

    /// Whether every transfer is a whole message that holds its whole path, so that a schedule can be timed
    /// by the lengths of messages.
    pub fn holds_whole_paths(&self) -> bool {
        match self.switching {
            Switching::Wormhole => self.collective.content().is_personal(),
            Switching::StoreAndForward | Switching::Hosts => false,
        }
    }

    /// Whether messages have lengths, and not all the same.
    pub fn has_different_lengths(&self) -> bool {
        let lengths = self.lengths.as_deref().unwrap_or_default();
        lengths.windows(2).any(|two| two[0] != two[1])
    }

    /// The links and ports for which transfers compete.
    #[inline]
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// The routes of a dragonfly, if routing is local-global-local.
    #[inline]
    pub fn lgl(&self) -> Option<&LglRoutes> {
        self.lgl.as_deref()
    }

    /// The network as it was asked for.
    pub fn asked_network(&self) -> Cow<'_, Network> {
        match self.collective.is_reduction() {
            true => Cow::Owned(self.network.reversed()),
            false => Cow::Borrowed(&self.network),
        }
    }

    /// Those that send, or contribute, and those that receive, as was asked for.
    pub fn asked_ends(&self) -> [&[VertexId]; 2] {
        match self.collective.is_reduction() {
            true => [&self.receivers, &self.senders],
            false => [&self.senders, &self.receivers],
        }
    }

    /// Number of different messages.
    pub fn messages(&self) -> usize {
        match &self.groups {
            // Some sums are only reduced, or only gathered.
            Some(groups) => groups.messages() * self.pieces() as usize,
            None => self.demands.last().map_or(0, |d| d.message as usize + 1),
        }
    }

    /// The demands with the same ends, which stand side by side, unless they are of broadcasts in
    /// pieces.
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

    /// The table of routes that was made for the problem.
    pub fn table(&self) -> Option<&Arc<Routes>> {
        self.table.as_ref()
    }

    /// The routes of all pairs, if routing is static or by a table.
    pub fn routes(&self) -> Option<&Routes> {
        let own = || (self.routing == Routing::Static).then(|| self.network.routes());
        self.table.as_deref().or_else(own)
    }
}
