//! Tables of a problem that serve all its groups: the images of links, ports and demands under a
//! permutation of the vertices.

use super::automorphisms::Permutation;
use crate::problem::{Demand, Problem, ResourceId, Roots};
use ccsched_network::{ChannelId, Network, VertexId};
use std::collections::HashMap;
use std::sync::Arc;

/// A problem with tables of its channels, resources and demands.
#[derive(Clone, Debug)]
pub struct Lookup {
    problem: Arc<Problem>,
    channels: CarriedChannels,
    /// By resource: the link or port that it belongs to.
    users: Vec<User>,
    /// By source: its first demand; at the end the number of demands.
    firsts: Vec<usize>,
    /// Whether all senders send to all receivers.
    is_total: bool,
    /// Whether no two demands have the same ends.
    is_plain: bool,
}

#[derive(Clone, Copy, Debug)]
enum User {
    Link(ChannelId),
    Sender(VertexId),
    Receiver(VertexId),
}

impl Lookup {
    /// Fills the tables.
    pub fn new(problem: Arc<Problem>) -> Self {
        let vertices = 0..=problem.network().vertices().len() as VertexId;
        let first = |v| problem.demands().partition_point(|d| d.source < v);
        Lookup {
            channels: CarriedChannels::new(problem.network()),
            users: users(&problem),
            firsts: vertices.map(first).collect(),
            is_total: is_total(&problem),
            is_plain: is_plain(&problem),
            problem,
        }
    }

    /// The problem.
    pub fn problem(&self) -> &Arc<Problem> {
        &self.problem
    }

    /// The image of a channel under an automorphism.
    pub fn channel(&self, c: ChannelId, element: &[VertexId]) -> ChannelId {
        self.channels.image(c, element).expect("it is an automorphism")
    }

    /// The image of a resource under a permutation; none if there is no such link or port.
    pub fn resource(&self, r: ResourceId, element: &[VertexId]) -> Option<ResourceId> {
        let resources = self.problem.resources();
        match self.users[r as usize] {
            User::Link(c) => Some(resources.of_channel(self.channels.image(c, element)?)),
            User::Sender(v) => resources.send_port(element[v as usize]),
            User::Receiver(v) => resources.receive_port(element[v as usize]),
        }
    }

    /// The image of a demand under a permutation; none if it is no demand. (Demands are sorted.) Of
    /// several with the same ends, the images keep the order.
    pub fn demand(&self, demand: usize, element: &[VertexId]) -> Option<usize> {
        let Demand { source, destination, .. } = self.problem.demands()[demand];
        let [from, to] = [source, destination].map(|v| element[v as usize]);
        let first = self.demand_between(from, to)?;
        if self.is_plain {
            return Some(first);
        }
        let image = first + demand - self.demand_between(source, destination)?;
        let is_one = |d: &&Demand| (d.source, d.destination) == (from, to);
        self.problem.demands().get(image).filter(is_one).map(|_| image)
    }

    /// The first demand with these ends, if there is one.
    pub fn demand_between(&self, source: VertexId, destination: VertexId) -> Option<usize> {
        let first = self.firsts[source as usize];
        let of_source = &self.problem.demands()[first..self.firsts[source as usize + 1]];
        let place = of_source.partition_point(|d| d.destination < destination);
        of_source.get(place).filter(|d| d.destination == destination).map(|_| first + place)
    }

    /// Whether a permutation maps demands to demands.
    pub fn keeps_demands(&self, g: &Permutation) -> bool {
        let (demands, senders, receivers) =
            (self.problem.demands(), self.problem.senders(), self.problem.receivers());
        if self.is_total {
            let are_kept =
                |all: &[VertexId]| all.iter().all(|&v| all.binary_search(&g[v as usize]).is_ok());
            return are_kept(senders) && are_kept(receivers);
        }
        (0..demands.len()).all(|d| self.demand(d, g).is_some())
    }

    /// Whether the images of fixed routes are the routes between the images of their ends. The elements of a group do
    /// so if its generators do.
    pub fn keeps_routes(&self, g: &Permutation) -> bool {
        let problem = &self.problem;
        let is_kept = |d: &Demand| {
            let [from, to] = [d.source, d.destination].map(|v| g[v as usize]);
            match (problem.fixed_route(d.source, d.destination), problem.fixed_route(from, to)) {
                (Some(own), Some(other)) => {
                    let images = own.iter().map(|&c| self.channels.image(c, g));
                    own.len() == other.len() && images.eq(other.iter().map(|&c| Some(c)))
                }
                (own, other) => own.is_none() && other.is_none(),
            }
        };
        !problem.has_fixed_routes() || problem.demands().iter().all(is_kept)
    }

    /// Whether no two demands have the same ends.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }
}

/// Whether no two demands that stand side by side have the same ends.
fn is_plain(problem: &Problem) -> bool {
    problem.pairs().all(|of_pair| of_pair.len() == 1)
}

/// Whether all senders send to all receivers other than themselves.
fn is_total(problem: &Problem) -> bool {
    let (demands, senders, receivers) = (problem.demands(), problem.senders(), problem.receivers());
    let both = senders.iter().filter(|v| receivers.binary_search(v).is_ok()).count();
    let pairs = senders.len() * receivers.len() - both;
    let are_distinct = problem.collective().roots() != Roots::Listed || is_plain(problem);
    are_distinct && demands.len() == pairs * problem.pieces() as usize
}

/// By resource, the link or port that it belongs to.
fn users(problem: &Problem) -> Vec<User> {
    let (network, resources) = (problem.network(), problem.resources());
    let mut users = vec![User::Link(0); resources.capacities().len()];
    for c in 0..network.channels().len() as ChannelId {
        users[resources.of_channel(c) as usize] = User::Link(c);
    }
    for v in 0..network.vertices().len() as VertexId {
        if let Some(port) = resources.send_port(v) {
            users[port as usize] = User::Sender(v);
        }
        if let Some(port) = resources.receive_port(v) {
            users[port as usize] = User::Receiver(v);
        }
    }
    users
}

// The images of channels under permutations of the vertices.

/// What interchangeable parallel channels have in common: ends and capacity.
type Parallel = (VertexId, VertexId, u32);

/// The channels of a network by their ends and capacity. Parallel channels of one capacity are
/// mapped in order: the first to the first, and so on.
#[derive(Clone, Debug)]
pub struct CarriedChannels {
    between: HashMap<Parallel, Vec<ChannelId>>,
    /// By channel: its ends and capacity, and its rank among the channels with the same ones.
    ranks: Vec<(Parallel, u32)>,
}

impl CarriedChannels {
    /// Groups the channels of a network.
    pub fn new(network: &Network) -> Self {
        let mut between: HashMap<_, Vec<ChannelId>> = HashMap::new();
        let mut ranks = Vec::with_capacity(network.channels().len());
        for (id, c) in (0..).zip(network.channels()) {
            let key = (c.from, c.to, c.capacity);
            let parallel = between.entry(key).or_default();
            ranks.push((key, parallel.len() as u32));
            parallel.push(id);
        }
        CarriedChannels { between, ranks }
    }

    /// The image of a channel under a permutation; none if no such channel has its capacity.
    pub fn image(&self, c: ChannelId, permutation: &[VertexId]) -> Option<ChannelId> {
        let ((from, to, capacity), rank) = self.ranks[c as usize];
        let there = (permutation[from as usize], permutation[to as usize], capacity);
        self.between.get(&there)?.get(rank as usize).copied()
    }
}
