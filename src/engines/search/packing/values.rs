//! The value of sending a message now: the price of its cheapest path, summed over the prices of
//! the planned loads. These prices approximate the dual of the congestion program, so a step of the
//! highest value relieves the bottlenecks most, whatever paths it uses.

use super::ground::{Ground, NONE};
use super::routes::Routes;
use ccsched_network::{ChannelId, VertexId};
use serde::{Deserialize, Serialize};

/// The least value of a channel, so that idle channels are worth using.
const FLOOR: f32 = 1e-3;
/// What counts of the present price; the rest is that of the steps before. Planned loads are whole
/// numbers and change with every plan, so that a single price tells little.
const FRESH: f32 = 0.05;

/// Values of all pairs, at the mean prices of the last steps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Values {
    /// By resource: its mean price.
    price: Vec<f32>,
    /// By source and vertex: the value of a message.
    value: Vec<f32>,
    /// The source whose values are computed next.
    next: u32,
}

impl Values {
    /// Takes the present prices, and computes the values of some sources anew: of all, if there are
    /// none yet.
    pub fn update(&mut self, ground: &Ground, routes: &Routes, sources: usize) {
        let prices = routes.prices().iter().map(|price| price.max(FLOOR));
        if self.price.is_empty() {
            self.price.extend(prices);
        } else {
            self.price
                .iter_mut()
                .zip(prices)
                .for_each(|(mean, now)| *mean += FRESH * (now - *mean));
        }
        let vertices = ground.vertices() as VertexId;
        let mut left = sources;
        if self.value.is_empty() {
            self.value.resize(ground.cells(), 0.0);
            left = usize::MAX;
        }
        let mut seen = Vec::with_capacity(ground.vertices());
        for _ in 0..vertices {
            if left == 0 {
                return;
            }
            let source = self.next;
            self.next = (self.next + 1) % vertices;
            if ground.is_source(source) {
                self.update_one(ground, source, &mut seen);
                left -= 1;
            }
        }
    }

    /// Whether there are none yet.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    fn update_one(&mut self, ground: &Ground, source: VertexId, seen: &mut Vec<VertexId>) {
        let from = ground.from(source);
        let base = ground.cell(source, 0);
        let row = &mut self.value[base..base + ground.vertices()];
        row.fill(f32::INFINITY);
        row[source as usize] = 0.0;
        if ground.has_fixed_routes() {
            let price = |&c: &ChannelId| self.price[ground.link(c) as usize];
            for &pair in ground.pairs_from(source).iter().filter(|&&pair| pair != NONE) {
                let route = ground.fixed(pair).unwrap_or_default();
                let destination = ground.pairs[pair as usize].destination;
                row[destination as usize] = route.iter().map(price).sum();
            }
            return;
        }
        seen.clear();
        seen.push(source);
        let mut next = 0;
        while let Some(&u) = seen.get(next) {
            next += 1;
            for way in ground.ways(u) {
                let v = way.to as usize;
                if from[v] == from[u as usize] + 1 {
                    if row[v] == f32::INFINITY {
                        seen.push(v as VertexId);
                    }
                    row[v] = row[v].min(row[u as usize] + self.price[way.link as usize]);
                }
            }
        }
    }

    /// The prices of all resources together.
    pub fn total(&self) -> f32 {
        self.price.iter().sum()
    }

    /// The price of a resource.
    #[inline]
    pub fn price(&self, resource: u32) -> f32 {
        self.price[resource as usize]
    }

    /// The value of a message from a source to every vertex, without its ports.
    #[inline]
    pub fn from(&self, ground: &Ground, source: VertexId) -> &[f32] {
        &self.value[ground.cell(source, 0)..][..ground.vertices()]
    }
}
