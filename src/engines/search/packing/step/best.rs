//! The best transfer that still fits into a step: from one source, over all shortest paths through
//! idle channels, or over fixed routes.

use super::Step;
use crate::search::packing::ground::{Ground, NONE, Pair};
use crate::search::packing::values::Values;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{ResourceId, Way};
use ccsched_network::VertexId;
use rand::RngExt;

/// How much the price of a path above that of the cheapest one counts against it.
const WASTE: f32 = 1.5;
/// Exponent of the value of a transfer: a little above 1, so that a step prefers long messages;
/// short ones fit into the last steps.
const EXPONENT: f32 = 1.15;

impl Step {
    /// The pair of the most value that is reached from a source.
    pub(super) fn best(
        &mut self,
        ground: &Ground,
        (source, noise): (VertexId, f32),
        left: &[u32],
        values: &Values,
        rng: &mut Rng,
    ) -> Option<u32> {
        let Ground { problem, .. } = ground;
        let resources = problem.resources();
        let (from, pairs) = (ground.from(source), ground.pairs_from(source));
        let cheapest = values.from(ground, source);
        self.present += 1;
        self.queue.clear();
        self.queue.push(source);
        self.mark[source as usize] = self.present;
        self.cost[source as usize] = 0.0;
        let (mut best, mut next) = (None, 0);
        let mut most = 0.0;
        while let Some(&u) = self.queue.get(next) {
            next += 1;
            let pair = pairs[u as usize];
            if pair != NONE && left[pair as usize] > 0 {
                let least = cheapest[u as usize];
                let waste = WASTE * (self.cost[u as usize] - least);
                let factor = if noise > 0.0 { 1.0 + noise * rng.random::<f32>() } else { 1.0 };
                let worth = (least - waste).max(1e-6) * factor;
                if worth > most && self.has_room(resources.receive_port(u)) {
                    (best, most) = (Some(pair), worth);
                }
            }
            for &Way { to, link, channel } in ground.ways(u) {
                let v = to as usize;
                if from[v] != from[u as usize] + 1 || self.room[link as usize] == 0 {
                    continue;
                }
                let cost = self.cost[u as usize] + values.price(link);
                let is_first = self.mark[v] != self.present;
                if is_first {
                    self.mark[v] = self.present;
                    self.queue.push(v as VertexId);
                }
                if is_first || cost < self.cost[v] || cost == self.cost[v] && rng.random() {
                    (self.cost[v], self.last[v]) = (cost, channel);
                }
            }
        }
        best
    }

    /// The pair of the most value from a source whose fixed route is idle.
    pub(super) fn best_fixed(
        &self,
        ground: &Ground,
        (source, noise): (VertexId, f32),
        left: &[u32],
        values: &Values,
        rng: &mut Rng,
    ) -> Option<u32> {
        let worths = values.from(ground, source);
        let (mut best, mut most) = (None, 0.0);
        let is_idle = |link: ResourceId| self.room[link as usize] > 0;
        ground.each_idle(source, is_idle, |pair| {
            if left[pair as usize] == 0 {
                return;
            }
            let factor = if noise > 0.0 { 1.0 + noise * rng.random::<f32>() } else { 1.0 };
            let v = ground.pairs[pair as usize].destination;
            let worth = worths[v as usize] * factor;
            if worth > most && self.has_room(ground.problem.resources().receive_port(v)) {
                (best, most) = (Some(pair), worth);
            }
        });
        best
    }
}

/// What a transfer of a pair contributes to a step.
pub(super) fn value(ground: &Ground, pair: u32, values: &Values) -> f32 {
    let ports = ground.ports(pair).into_iter().flatten().map(|port| values.price(port));
    let Pair { source, destination, .. } = ground.pairs[pair as usize];
    let value = values.from(ground, source)[destination as usize] + ports.sum::<f32>();
    libm::powf(value, EXPONENT)
}
