//! The cheapest way, or tree, of a message through channels and steps.

use super::{Use, ends};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_network::metrics::distances_to;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;

/// Not reached.
const NEVER: u32 = u32::MAX;
/// No channel: the message waits.
const WAITS: ChannelId = ChannelId::MAX;
/// What a transfer costs beside those in its way, in parts of a weight, and the most of its noise.
const HOP: u32 = 16;
/// One tree in this number grows from near receivers to far ones.
const NEAR_FIRST: u32 = 4;
const WEIGHT: u32 = 1 << 10;

/// The search for ways; kept to save allocations.
pub struct Ways {
    steps: usize,
    vertices: usize,
    /// By message: its source and its receivers.
    ends: Vec<(VertexId, Vec<VertexId>)>,
    /// By destination, the distances of all vertices, if the ways to it must be shortest.
    distances: Vec<Option<Vec<u32>>>,
    /// By vertex, the steps after which it has the message.
    since: Vec<u32>,
    /// By steps made, then vertex: the cost, and the channel of the last of these steps.
    cost: Vec<u32>,
    by: Vec<ChannelId>,
    uses: Vec<Use>,
}

impl Ways {
    /// For schedules of this number of steps.
    pub fn of(problem: &Problem, steps: usize) -> Self {
        let vertices = problem.network().vertices().len();
        let ends = ends(problem);
        let mut distances = vec![None; vertices];
        if problem.collective().content().is_personal() {
            for d in problem.demands() {
                let to = d.destination as usize;
                distances[to].get_or_insert_with(|| distances_to(problem.network(), d.destination));
            }
        }
        Ways {
            steps,
            vertices,
            ends,
            distances,
            since: vec![NEVER; vertices],
            cost: vec![NEVER; (steps + 1) * vertices],
            by: vec![WAITS; (steps + 1) * vertices],
            uses: Vec::new(),
        }
    }

    /// The uses of the last message.
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// Finds a tree from the source of a message to its receivers, path by path; false if a receiver is too
    /// far.
    pub fn find(
        &mut self,
        problem: &Problem,
        message: MessageId,
        price: impl Fn(usize, ChannelId) -> u32,
        rng: &mut Rng,
    ) -> bool {
        self.uses.clear();
        self.since.fill(NEVER);
        let (source, mut missing) = self.ends[message as usize].clone();
        self.since[source as usize] = 0;
        // Longer ways than the steps allow are none, so slack needs no counting where it allows all.
        let slack = problem.routing().slack() as usize;
        let to = missing[0] as usize;
        let is_bound = |distance: &&Vec<u32>| {
            (distance[source as usize] as usize).saturating_add(slack) < self.steps
        };
        let toward = self.distances[to].as_ref().filter(is_bound).cloned();
        let is_far_first = rng.random_range(0..NEAR_FIRST) > 0;
        while !missing.is_empty() {
            self.fill(problem, toward.as_deref(), &price, rng);
            let last = self.steps * self.vertices;
            let cost = |&v: &VertexId| self.cost[last + v as usize];
            // The way to a far receiver passes near ones early; without noise trees are all alike.
            let rank = |v: &VertexId| match is_far_first {
                true => cost(v),
                false => NEVER - cost(v),
            };
            let Some(next) = missing.iter().copied().max_by_key(rank) else { break };
            if cost(&next) == NEVER {
                return false;
            }
            self.trace(problem, next);
            missing.retain(|&v| self.since[v as usize] == NEVER);
        }
        true
    }

    /// The costs of all vertices after each number of steps.
    fn fill(
        &mut self,
        problem: &Problem,
        toward: Option<&[u32]>,
        price: &impl Fn(usize, ChannelId) -> u32,
        rng: &mut Rng,
    ) {
        let n = self.vertices;
        for (v, &since) in self.since.iter().enumerate() {
            self.cost[v] = if since == 0 { 0 } else { NEVER };
        }
        for step in 0..self.steps {
            let (before, after) = (step * n, (step + 1) * n);
            for v in 0..n {
                let has = self.since[v] as usize <= step + 1;
                self.cost[after + v] = if has { 0 } else { self.cost[before + v] };
                self.by[after + v] = WAITS;
            }
            for (c, ends) in (0..).zip(problem.network().channels()) {
                let (from, to) = (ends.from as usize, ends.to as usize);
                let leads = toward.is_none_or(|distance| distance[to] < distance[from]);
                if self.cost[before + from] == NEVER || self.since[to] != NEVER || !leads {
                    continue;
                }
                let hop = HOP + rng.random_range(0..HOP);
                let cost = price(step, c).saturating_mul(WEIGHT).saturating_add(hop);
                let cost = cost.saturating_add(self.cost[before + from]).min(NEVER - 1);
                if cost < self.cost[after + to] {
                    self.cost[after + to] = cost;
                    self.by[after + to] = c;
                }
            }
        }
    }

    /// Adds the way to a vertex.
    fn trace(&mut self, problem: &Problem, to: VertexId) {
        let (mut v, mut step) = (to as usize, self.steps);
        while self.since[v] as usize > step {
            let c = self.by[step * self.vertices + v];
            step -= 1;
            if c != WAITS {
                self.since[v] = step as u32 + 1;
                self.uses.push((step as u32, c));
                v = problem.network().channel(c).from as usize;
            }
        }
    }
}
