//! The cheapest route of the message to a receiver in store-and-forward networks, where it advances
//! one channel per step: dynamic programming over (step, vertex) from the receiver back. Every
//! vertex on the route, switches too, keeps the message. So a route starts at any vertex with the
//! message and leads through vertices that get it later or not at all; these are evicted and get
//! the message from the route.

use super::tree::{Delivery, NOBODY, Tree};
use ccsched_base::rng::Rng;
use ccsched_network::{ChannelId, Network, VertexId};
use rand::RngExt;

/// The cost of what is impossible.
const IMPOSSIBLE: u64 = u64::MAX;
/// The cost of an eviction, relative to a hop to a vertex without a demand.
const EVICTION: u64 = 1 << 12;

/// Finds the cheapest routes; reused to avoid allocation.
#[derive(Clone, Debug, Default)]
pub struct HopScan {
    /// The cost of the best route from a vertex that has the message before a step, by step, then
    /// vertex.
    cost: Vec<u64>,
    /// The first hop of that route, if it is in this step.
    hop: Vec<Option<ChannelId>>,
}

impl HopScan {
    /// Writes the cheapest route to `v`, ties at random. Returns whether there is one.
    pub fn cheapest(
        &mut self,
        network: &Network,
        (tree, wanted): (&Tree, &[bool]),
        v: VertexId,
        route: &mut Vec<(VertexId, Delivery)>,
        rng: &mut Rng,
    ) -> bool {
        let n = network.vertices().len();
        self.walk_back(network, (tree, wanted), v, rng);
        let (mut least, mut start, mut ties) = (IMPOSSIBLE, (0, 0), 0);
        for u in (0..n as VertexId).filter(|&u| tree.is_placed(u)) {
            let step = tree.ready(u);
            let cost = self.cost[step as usize * n + u as usize];
            if cost == IMPOSSIBLE || cost > least {
                continue;
            }
            ties = if cost < least { 1 } else { ties + 1 };
            least = cost;
            if rng.random_range(0..ties) == 0 {
                start = (u, step);
            }
        }
        if least == IMPOSSIBLE {
            return false;
        }
        self.note(network, start, v, route);
        true
    }

    fn walk_back(
        &mut self,
        network: &Network,
        (tree, wanted): (&Tree, &[bool]),
        v: VertexId,
        rng: &mut Rng,
    ) {
        let n = network.vertices().len();
        let steps = tree.steps();
        self.cost.clear();
        self.cost.resize(n * (steps as usize + 1), IMPOSSIBLE);
        self.hop.clear();
        self.hop.resize(n * steps as usize, None);
        self.cost[steps as usize * n + v as usize] = 0;
        for step in (0..steps).rev() {
            let (now, later) = (step as usize * n, (step as usize + 1) * n);
            for u in 0..n as VertexId {
                // Waiting; at equal cost a hop at once is preferred.
                let (mut best, mut hop, mut ties) = (self.cost[later + u as usize], None, 0);
                let at_port = tree.at_port(u, step);
                for &c in network.outgoing(u).iter().filter(|_| u != v) {
                    let to = network.channel(c).to;
                    let rest = self.cost[later + to as usize];
                    // A vertex that has the message by then is a better start.
                    if rest == IMPOSSIBLE || rest > best || tree.has_before(to, step + 1) {
                        continue;
                    }
                    let holder = tree.holder(c, step);
                    let load = |w: VertexId| if w == NOBODY { 0 } else { tree.load(w) };
                    let again = if tree.is_placed(to) { tree.load(to) } else { 0 };
                    let port = if at_port == holder { 0 } else { load(at_port) };
                    let idle = u64::from(!wanted[to as usize]);
                    let cost = rest + EVICTION * (load(holder) + again + port) + idle;
                    if cost > best {
                        continue;
                    }
                    ties = if cost < best { 1 } else { ties + 1 };
                    best = cost;
                    if ties == 1 || rng.random_range(0..ties) == 0 {
                        hop = Some(c);
                    }
                }
                self.cost[now + u as usize] = best;
                self.hop[now + u as usize] = hop;
            }
        }
    }

    /// Writes the best route from a vertex that has the message before a step.
    fn note(
        &self,
        network: &Network,
        (mut u, mut step): (VertexId, u32),
        v: VertexId,
        route: &mut Vec<(VertexId, Delivery)>,
    ) {
        let n = network.vertices().len();
        route.clear();
        while u != v {
            if let Some(c) = self.hop[step as usize * n + u as usize] {
                let to = network.channel(c).to;
                // A loop at no cost is no better than waiting.
                if let Some(before) = route.iter().position(|(w, _)| *w == to) {
                    route.truncate(before + 1);
                } else {
                    route.push((to, Delivery { sender: u, step, path: vec![c] }));
                }
                u = to;
            }
            step += 1;
        }
    }
}
