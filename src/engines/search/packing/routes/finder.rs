//! The search for the cheapest shortest path of a pair.

use crate::engines::search::packing::ground::Ground;
use crate::network::{ChannelId, VertexId};
use crate::rng::Rng;
use rand::RngExt;

/// Memory of the search for a route; reused.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    cost: Vec<f32>,
    /// By vertex, the last channel of its path.
    pub last: Vec<ChannelId>,
    mark: Vec<u32>,
    present: u32,
    queue: Vec<VertexId>,
}

impl Finder {
    /// Finds the cheapest shortest path of a pair.
    pub fn cheapest(&mut self, ground: &Ground, pair: u32, price: &[f32], rng: &mut Rng) {
        let ends = ground.pairs[pair as usize];
        let to = ground.to(ends.destination);
        self.cost.resize(ground.vertices(), 0.0);
        self.last.resize(ground.vertices(), 0);
        self.mark.resize(ground.vertices(), 0);
        self.present += 1;
        self.queue.clear();
        self.queue.push(ends.source);
        self.mark[ends.source as usize] = self.present;
        self.cost[ends.source as usize] = 0.0;
        let mut next = 0;
        while let Some(&u) = self.queue.get(next) {
            next += 1;
            // The destination comes last.
            let Some(nearer) = to[u as usize].checked_sub(1) else { break };
            for way in ground.ways(u) {
                let v = way.to as usize;
                if to[v] != nearer {
                    continue;
                }
                let cost = self.cost[u as usize] + price[way.link as usize];
                let is_first = self.mark[v] != self.present;
                if is_first {
                    self.mark[v] = self.present;
                    self.queue.push(v as VertexId);
                }
                if is_first || cost < self.cost[v] || cost == self.cost[v] && rng.random() {
                    (self.cost[v], self.last[v]) = (cost, way.channel);
                }
            }
        }
    }
}
