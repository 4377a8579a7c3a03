//! Distances, counted in channels, by breadth-first search.

use crate::{ChannelId, Network, VertexId};
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

// Girth: the number of links of the shortest cycle. The two channels of one link are no cycle, two
// parallel links are a cycle of length 2; one-way channels are followed in their direction.

/// The length of the shortest cycle; none if there is no cycle.
pub fn girth(net: &Network) -> Option<u32> {
    let mut shortest = None;
    let mut scratch = Scratch { row: vec![UNREACHABLE; net.vertices().len()], queue: vec![] };
    for c in 0..net.channels().len() as ChannelId {
        let back = scratch.way_back(net, c, shortest.unwrap_or(UNREACHABLE));
        shortest = back.or(shortest);
    }
    shortest
}

struct Scratch {
    row: Vec<u32>,
    queue: Vec<VertexId>,
}

impl Scratch {
    /// The length of the shortest cycle through channel `c` that does not use the same link
    /// backwards, if it is less than `limit`.
    fn way_back(&mut self, net: &Network, c: ChannelId, limit: u32) -> Option<u32> {
        let channel = net.channel(c);
        self.queue.push(channel.to);
        self.row[channel.to as usize] = 1;
        let mut next = 0;
        let mut found = None;
        while let (Some(&v), None) = (self.queue.get(next), found) {
            next += 1;
            let length = self.row[v as usize] + 1;
            if length >= limit {
                break;
            }
            for &out in net.outgoing(v) {
                let to = net.channel(out).to;
                if Some(out) == channel.reverse {
                    continue;
                }
                if to == channel.from {
                    found = Some(length);
                    break;
                }
                if self.row[to as usize] == UNREACHABLE {
                    self.row[to as usize] = length;
                    self.queue.push(to);
                }
            }
        }
        for v in self.queue.drain(..) {
            self.row[v as usize] = UNREACHABLE;
        }
        found
    }
}

// Degrees: the numbers of channels that leave and enter a vertex, whatever their capacity.

/// The least and the largest numbers of channels of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Degrees {
    /// Least and largest number of channels that leave.
    pub out: (usize, usize),
    /// Least and largest number of channels that enter.
    pub into: (usize, usize),
}

/// Degrees over some vertices; none if there are no vertices.
pub fn degrees(net: &Network, of: impl Iterator<Item = VertexId>) -> Option<Degrees> {
    of.map(|v| (net.outgoing(v).len(), net.incoming(v).len())).fold(None, |all, (out, into)| {
        let all = all.unwrap_or(Degrees { out: (out, out), into: (into, into) });
        Some(Degrees {
            out: (all.out.0.min(out), all.out.1.max(out)),
            into: (all.into.0.min(into), all.into.1.max(into)),
        })
    })
}
