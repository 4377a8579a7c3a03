//! What the search reads and never changes: the pairs to serve, and the distances from sources and
//! to destinations.

use crate::network::metrics::{UNREACHABLE, distances_from, distances_to};
use crate::network::{ChannelId, VertexId};
use crate::problem::{Problem, ResourceId};
use std::sync::Arc;

/// No pair, or no row.
pub const NONE: u32 = u32::MAX;

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
    vertices: usize,
    /// By row of a source, then vertex: the pair, or [`NONE`].
    pair: Vec<u32>,
    /// By vertex: its row, if it is a source, and if it is a destination.
    source_row: Vec<u32>,
    destination_row: Vec<u32>,
    /// By row of a source, then vertex: the distance from it.
    from: Vec<u16>,
    /// By row of a destination, then vertex: the distance to it.
    to: Vec<u16>,
    /// By resource: the ends of one of its channels; for a port, its terminal twice.
    ends: Vec<[VertexId; 2]>,
}

impl Ground {
    /// Prepares a problem.
    pub fn new(problem: Arc<Problem>) -> Self {
        let vertices = problem.network.vertices().len();
        let mut ground = Ground {
            pairs: Vec::new(),
            longest: 0,
            vertices,
            pair: Vec::new(),
            source_row: vec![NONE; vertices],
            destination_row: vec![NONE; vertices],
            from: Vec::new(),
            to: Vec::new(),
            ends: ends(&problem),
            problem,
        };
        ground.number_pairs();
        ground
    }

    fn number_pairs(&mut self) {
        let near = |d: &u32| if *d == UNREACHABLE { u16::MAX } else { *d as u16 };
        let problem = self.problem.clone();
        let same = |a: &crate::problem::Demand, b: &crate::problem::Demand| {
            (a.source, a.destination) == (b.source, b.destination)
        };
        let mut first = 0;
        for copies in problem.demands.chunk_by(same) {
            let (source, destination) = (copies[0].source, copies[0].destination);
            if self.source_row[source as usize] == NONE {
                self.source_row[source as usize] = (self.from.len() / self.vertices) as u32;
                self.from.extend(distances_from(&problem.network, source).iter().map(near));
                self.pair.resize(self.from.len(), NONE);
            }
            if self.destination_row[destination as usize] == NONE {
                self.destination_row[destination as usize] = (self.to.len() / self.vertices) as u32;
                self.to.extend(distances_to(&problem.network, destination).iter().map(near));
            }
            let cell = self.cell(source, destination);
            self.pair[cell] = self.pairs.len() as u32;
            self.longest = self.longest.max(self.from[cell] as usize);
            let messages = copies.len() as u32;
            self.pairs.push(Pair { source, destination, first, messages });
            first += messages;
        }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Number of cells of a table over sources and vertices.
    pub fn cells(&self) -> usize {
        self.pair.len()
    }

    /// The cell of a source and a vertex in such a table.
    #[inline]
    pub fn cell(&self, source: VertexId, v: VertexId) -> usize {
        self.source_row[source as usize] as usize * self.vertices + v as usize
    }

    /// Whether a vertex is a source.
    #[inline]
    pub fn is_source(&self, v: VertexId) -> bool {
        self.source_row[v as usize] != NONE
    }

    /// The pairs of a source, by destination vertex; [`NONE`] where there is none.
    #[inline]
    pub fn pairs_from(&self, source: VertexId) -> &[u32] {
        &self.pair[self.cell(source, 0)..][..self.vertices]
    }

    /// The distances from a source.
    #[inline]
    pub fn from(&self, source: VertexId) -> &[u16] {
        &self.from[self.cell(source, 0)..][..self.vertices]
    }

    /// The distances to a destination.
    #[inline]
    pub fn to(&self, destination: VertexId) -> &[u16] {
        let row = self.destination_row[destination as usize] as usize;
        &self.to[row * self.vertices..][..self.vertices]
    }

    /// Length of the shortest paths of a pair.
    #[inline]
    pub fn distance(&self, pair: u32) -> usize {
        let Pair { source, destination, .. } = self.pairs[pair as usize];
        self.from[self.cell(source, destination)] as usize
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
        let resources = &self.problem.resources;
        [resources.send_port(source), resources.receive_port(destination)]
    }

    /// The resource of a channel.
    #[inline]
    pub fn link(&self, c: ChannelId) -> ResourceId {
        self.problem.resources.of_channel(c)
    }

    /// Calls `act` for every resource of a transfer along a path.
    #[inline]
    pub fn uses(&self, pair: u32, path: &[ChannelId], mut act: impl FnMut(ResourceId)) {
        path.iter().for_each(|&c| act(self.link(c)));
        self.ports(pair).into_iter().flatten().for_each(act);
    }
}

fn ends(problem: &Problem) -> Vec<[VertexId; 2]> {
    let Problem { network, resources, .. } = problem;
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
