//! What the search reads and never changes: the pairs to serve, the distances from sources and to
//! destinations, and the routes of pairs that have only one.

use super::beginnings::Beginnings;
pub use super::beginnings::NONE;
use ccsched_model::problem::{Problem, ResourceId, Way, Ways};
use ccsched_model::routing::DistanceTable;
use ccsched_network::{ChannelId, VertexId};
use std::ops::Range;
use std::sync::Arc;

/// A source and a destination, with one message or several.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Where its messages start.
    pub source: VertexId,
    /// Where they end.
    pub destination: VertexId,
    /// The first of its demands; the others follow.
    pub first: u32,
    /// Number of messages.
    pub messages: u32,
}

/// The problem, prepared for the search.
#[derive(Debug)]
pub struct Ground {
    /// The problem.
    pub problem: Arc<Problem>,
    /// The pairs, by source, then destination.
    pub pairs: Vec<Pair>,
    /// Channels of the longest of the shortest paths.
    pub longest: usize,
    /// By cell of `from`: the pair, or [`NONE`].
    pair: Vec<u32>,
    /// The distances from sources, and to destinations.
    from: DistanceTable,
    to: DistanceTable,
    /// By resource: the ends of one of its channels; for a port, its terminal twice.
    ends: Vec<[VertexId; 2]>,
    outgoing: Ways,
    /// The channels of all fixed routes, and by pair where its route begins; empty without fixed
    /// routes.
    fixed: Vec<ChannelId>,
    fixed_from: Vec<u32>,
    beginnings: Beginnings,
    /// By source vertex, the tree of its fixed routes.
    trees: Vec<Range<u32>>,
}

impl Ground {
    /// Prepares a problem.
    pub fn new(problem: Arc<Problem>) -> Self {
        let (network, demands) = (problem.network(), problem.demands());
        let from = DistanceTable::from(network, demands.iter().map(|d| d.source));
        let to = DistanceTable::to(network, demands.iter().map(|d| d.destination));
        let mut ground = Ground {
            pairs: Vec::new(),
            longest: 0,
            pair: vec![NONE; from.cells()],
            from,
            to,
            ends: ends(&problem),
            outgoing: Ways::outgoing(network, problem.resources()),
            fixed: Vec::new(),
            fixed_from: Vec::new(),
            beginnings: Beginnings::default(),
            trees: Vec::new(),
            problem,
        };
        ground.number_pairs();
        if ground.has_fixed_routes() {
            ground.plant();
        }
        ground
    }

    /// Makes the trees of fixed routes.
    fn plant(&mut self) {
        let mut trees = vec![0..0; self.vertices()];
        let mut beginnings = Beginnings::default();
        let numbered: Vec<u32> = (0..self.pairs.len() as u32).collect();
        let source = |pair: u32| self.pairs[pair as usize].source;
        for pairs in numbered.chunk_by(|&a, &b| source(a) == source(b)) {
            let with_route = |&pair: &u32| Some((pair, self.fixed(pair)?));
            let mut routes: Vec<_> = pairs.iter().filter_map(with_route).collect();
            routes.sort_unstable_by_key(|&(_, route)| route);
            let tree = beginnings.add(routes.into_iter(), |c| self.link(c));
            trees[source(pairs[0]) as usize] = tree;
        }
        (self.trees, self.beginnings) = (trees, beginnings);
    }

    fn number_pairs(&mut self) {
        let mut first = 0;
        for copies in self.problem.clone().pairs() {
            let (source, destination) = (copies[0].source, copies[0].destination);
            let pair = self.pairs.len() as u32;
            self.pair[self.from.cell(source, destination)] = pair;
            let messages = copies.len() as u32;
            self.pairs.push(Pair { source, destination, first, messages });
            if let Some(route) = self.problem.fixed_route(source, destination) {
                self.fixed_from.push(self.fixed.len() as u32);
                self.fixed.extend_from_slice(route);
            }
            first += messages;
        }
        if self.has_fixed_routes() {
            self.fixed_from.push(self.fixed.len() as u32);
        }
        let lengths = (0..self.pairs.len() as u32).map(|pair| self.distance(pair));
        self.longest = lengths.max().unwrap_or(0);
    }

    /// By pair, the number of its messages.
    pub fn messages(&self) -> Vec<u32> {
        self.pairs.iter().map(|pair| pair.messages).collect()
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.problem.network().vertices().len()
    }

    /// Number of cells of a table over sources and vertices.
    pub fn cells(&self) -> usize {
        self.pair.len()
    }

    /// The cell of a source and a vertex in such a table.
    #[inline]
    pub fn cell(&self, source: VertexId, v: VertexId) -> usize {
        self.from.cell(source, v)
    }

    /// Whether a vertex is a source.
    #[inline]
    pub fn is_source(&self, v: VertexId) -> bool {
        self.from.has(v)
    }

    /// The pairs of a source, by destination vertex; [`NONE`] where there is none.
    #[inline]
    pub fn pairs_from(&self, source: VertexId) -> &[u32] {
        &self.pair[self.cell(source, 0)..][..self.vertices()]
    }

    /// The distances from a source.
    #[inline]
    pub fn from(&self, source: VertexId) -> &[u16] {
        self.from.row(source)
    }

    /// The distances to a destination.
    #[inline]
    pub fn to(&self, destination: VertexId) -> &[u16] {
        self.to.row(destination)
    }

    /// Whether every pair has only one route.
    pub fn has_fixed_routes(&self) -> bool {
        self.problem.has_fixed_routes()
    }

    /// The only route of a pair, if routes are fixed.
    #[inline]
    pub fn fixed(&self, pair: u32) -> Option<&[ChannelId]> {
        let &first = self.fixed_from.get(pair as usize)?;
        Some(&self.fixed[first as usize..self.fixed_from[pair as usize + 1] as usize])
    }

    /// Calls `act` with every pair of a source whose fixed route has only idle links.
    #[inline]
    pub fn each_idle(
        &self,
        source: VertexId,
        is_idle: impl Fn(ResourceId) -> bool,
        act: impl FnMut(u32),
    ) {
        self.beginnings.each_idle(self.trees[source as usize].clone(), is_idle, act);
    }

    /// Length of the paths of a pair.
    #[inline]
    pub fn distance(&self, pair: u32) -> usize {
        if let Some(route) = self.fixed(pair) {
            return route.len();
        }
        let Pair { source, destination, .. } = self.pairs[pair as usize];
        self.from(source)[destination as usize] as usize
    }

    /// The ends of the link of a resource; for a port, its terminal twice.
    #[inline]
    pub fn ends(&self, resource: ResourceId) -> [VertexId; 2] {
        self.ends[resource as usize]
    }

    /// The send port and the receive port of a pair, where they are limited.
    #[inline]
    pub fn ports(&self, pair: u32) -> [Option<ResourceId>; 2] {
        let Pair { source, destination, .. } = self.pairs[pair as usize];
        let resources = self.problem.resources();
        [resources.send_port(source), resources.receive_port(destination)]
    }

    /// The resource of a channel.
    #[inline]
    pub fn link(&self, c: ChannelId) -> ResourceId {
        self.problem.resources().of_channel(c)
    }

    /// The channels that leave a vertex.
    #[inline]
    pub fn ways(&self, v: VertexId) -> &[Way] {
        self.outgoing.of(v)
    }
}

fn ends(problem: &Problem) -> Vec<[VertexId; 2]> {
    let (network, resources) = (problem.network(), problem.resources());
    let mut ends = vec![[0; 2]; resources.capacities().len()];
    for (id, c) in (0..).zip(network.channels()) {
        ends[resources.of_channel(id) as usize] = [c.from, c.to];
    }
    for v in 0..network.vertices().len() as VertexId {
        let ports = [resources.send_port(v), resources.receive_port(v)];
        ports.into_iter().flatten().for_each(|port| ends[port as usize] = [v; 2]);
    }
    ends
}
