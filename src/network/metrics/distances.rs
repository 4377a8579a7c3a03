//! Distances, counted in channels, by breadth-first search.

use crate::{Network, VertexId};
use std::collections::VecDeque;

/// The distance of vertices without a path.
pub const UNREACHABLE: u32 = u32::MAX;

/// Distances between all pairs of vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    vertices: usize,
    flat: Vec<u32>,
}

impl Distances {
    /// Searches from every vertex.
    pub fn new(net: &Network) -> Self {
        let vertices = net.vertices().len();
        let mut flat = vec![UNREACHABLE; vertices * vertices];
        let mut queue = Vec::with_capacity(vertices);
        for (v, row) in flat.chunks_mut(vertices).enumerate() {
            search(net, v as VertexId, row, &mut queue);
        }
        Distances { vertices, flat }
    }

    /// Channels on a shortest path; [`UNREACHABLE`] if there is none.
    pub fn get(&self, from: VertexId, to: VertexId) -> u32 {
        self.flat[from as usize * self.vertices + to as usize]
    }

    /// Distances from one vertex, by vertex.
    pub fn from(&self, v: VertexId) -> &[u32] {
        &self.flat[v as usize * self.vertices..][..self.vertices]
    }
}

/// Distances from one vertex, by vertex.
pub fn distances_from(net: &Network, v: VertexId) -> Vec<u32> {
    distances_from_any(net, vec![v])
}

/// Distances from the nearest of some vertices, by vertex.
pub fn distances_from_any(net: &Network, mut starts: Vec<VertexId>) -> Vec<u32> {
    let mut row = vec![UNREACHABLE; net.vertices().len()];
    search_along(|v| net.heads(v), &mut row, &mut starts);
    row
}

/// Distances to one vertex, by vertex.
pub fn distances_to(net: &Network, v: VertexId) -> Vec<u32> {
    distances_to_any(net, vec![v])
}

/// Distances to one vertex on ways between which there are only switches, by vertex.
pub fn distances_over_switches(net: &Network, v: VertexId) -> Vec<u32> {
    let mut row = vec![UNREACHABLE; net.vertices().len()];
    let incoming = |u| {
        let channels = if u == v || !net.is_terminal(u) { net.incoming(u) } else { &[] };
        channels.iter().map(|&c| net.channel(c).from)
    };
    search_along(incoming, &mut row, &mut vec![v]);
    row
}

/// Distances to the nearest of some vertices, by vertex.
pub fn distances_to_any(net: &Network, mut ends: Vec<VertexId>) -> Vec<u32> {
    let mut row = vec![UNREACHABLE; net.vertices().len()];
    let incoming = |v| net.incoming(v).iter().map(|&c| net.channel(c).from);
    search_along(incoming, &mut row, &mut ends);
    row
}

/// By vertex, the two nearest of some vertices, itself among them, each with its distance over `neighbours`. One search
/// from all of them together, in which each vertex is reached from two.
pub fn two_nearest<I: Iterator<Item = VertexId>>(
    net: &Network,
    starts: &[VertexId],
    neighbours: impl Fn(VertexId) -> I,
) -> Vec<[Option<(u32, VertexId)>; 2]> {
    let mut found = vec![[None; 2]; net.vertices().len()];
    let mut queue: VecDeque<_> = starts.iter().map(|&v| (v, 0, v)).collect();
    while let Some((v, distance, start)) = queue.pop_front() {
        match &mut found[v as usize] {
            [first @ None, _] => *first = Some((distance, start)),
            [Some((_, first)), second @ None] if *first != start => {
                *second = Some((distance, start))
            }
            _ => continue,
        }
        queue.extend(neighbours(v).map(|w| (w, distance + 1, start)));
    }
    found
}

/// Distances over the ordered pairs of different terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// The longest distance.
    pub diameter: u32,
    /// The sum of the distances.
    pub sum: u64,
    /// Pairs with a path.
    pub pairs: u64,
    /// Pairs without a path.
    pub unreachable: u64,
}

impl Spread {
    /// The mean distance; none if no pair has a path.
    pub fn mean(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.sum as f64 / self.pairs as f64)
    }
}

/// Sums up the distances between terminals, a row at a time.
pub fn spread(net: &Network) -> Spread {
    let mut spread = Spread::default();
    let mut row = vec![0; net.vertices().len()];
    let mut queue = Vec::new();
    for from in net.terminals() {
        row.fill(UNREACHABLE);
        search(net, from, &mut row, &mut queue);
        for to in net.terminals().filter(|&to| to != from) {
            match row[to as usize] {
                UNREACHABLE => spread.unreachable += 1,
                d => {
                    spread.pairs += 1;
                    spread.sum += d as u64;
                    spread.diameter = spread.diameter.max(d);
                }
            }
        }
    }
    spread
}

/// Fills a row, at first [`UNREACHABLE`] throughout, with the distances from one vertex.
fn search(net: &Network, from: VertexId, row: &mut [u32], queue: &mut Vec<VertexId>) {
    queue.clear();
    queue.push(from);
    search_along(|v| net.heads(v), row, queue);
}

/// Fills a row with distances over `neighbours` from the vertices in the queue. It ends when all vertices
/// are reached: in a dense network long before all channels are looked at.
fn search_along<I: Iterator<Item = VertexId>>(
    neighbours: impl Fn(VertexId) -> I,
    row: &mut [u32],
    queue: &mut Vec<VertexId>,
) {
    // Starts may be repeated.
    queue.retain(|&start| std::mem::replace(&mut row[start as usize], 0) == UNREACHABLE);
    let mut next = 0;
    while queue.len() < row.len() {
        let Some(&v) = queue.get(next) else { break };
        next += 1;
        for w in neighbours(v) {
            if row[w as usize] == UNREACHABLE {
                row[w as usize] = row[v as usize] + 1;
                queue.push(w);
            }
        }
    }
}
