//! The cheapest of the shortest paths between two vertices, by dynamic programming along the layers
//! of equal distance.

use crate::network::{ChannelId, Network, VertexId};
use crate::rng::Rng;
use rand::RngExt;

/// Finds paths; kept to avoid allocation.
#[derive(Clone, Debug)]
pub struct Router {
    /// Cost of the cheapest path to a vertex, and its last channel; valid where `mark` equals
    /// `present`.
    cost: Vec<u64>,
    last: Vec<ChannelId>,
    ties: Vec<u32>,
    mark: Vec<u64>,
    present: u64,
    layer: Vec<VertexId>,
    following: Vec<VertexId>,
}

impl Router {
    /// A router for networks of `vertices` vertices.
    pub fn new(vertices: usize) -> Self {
        Router {
            cost: vec![0; vertices],
            last: vec![0; vertices],
            ties: vec![0; vertices],
            mark: vec![0; vertices],
            present: 0,
            layer: Vec::new(),
            following: Vec::new(),
        }
    }

    /// Writes the cheapest of the shortest paths into `path`, a random one among equals. `distance`
    /// is the distance of a vertex to the target.
    pub fn cheapest(
        &mut self,
        network: &Network,
        (from, to): (VertexId, VertexId),
        distance: impl Fn(VertexId) -> u32,
        price: impl Fn(ChannelId) -> u64,
        path: &mut Vec<ChannelId>,
        rng: &mut Rng,
    ) {
        self.present += 1;
        self.layer.clear();
        self.layer.push(from);
        self.cost[from as usize] = 0;
        for left in (0..distance(from)).rev() {
            for &u in &self.layer {
                for &c in network.outgoing(u) {
                    let v = network.channel(c).to;
                    if distance(v) != left {
                        continue;
                    }
                    let i = v as usize;
                    let cost = self.cost[u as usize] + price(c);
                    let is_first = self.mark[i] != self.present;
                    if is_first {
                        self.mark[i] = self.present;
                        self.following.push(v);
                    }
                    if is_first || cost < self.cost[i] {
                        (self.cost[i], self.last[i], self.ties[i]) = (cost, c, 1);
                    } else if cost == self.cost[i] {
                        self.ties[i] += 1;
                        if rng.random_range(0..self.ties[i]) == 0 {
                            self.last[i] = c;
                        }
                    }
                }
            }
            std::mem::swap(&mut self.layer, &mut self.following);
            self.following.clear();
        }
        path.clear();
        let mut v = to;
        while v != from {
            let c = self.last[v as usize];
            path.push(c);
            v = network.channel(c).from;
        }
        path.reverse();
    }
}
