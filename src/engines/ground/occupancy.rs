//! Conflict bookkeeping: the number of uses of each resource in each step.
//!
//! The cost of a cell (resource, step) with n uses and capacity c is the number of pairs among the
//! uses beyond c - 1, which for channels (c = 1) is the number of pairs of transfers in conflict
//! (umda-diameter-degree-networks, section 4.3; hgsa-store-and-forward, section 3.2).

use super::Routes;
use super::routes::Use;
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use ccsched_network::metrics::{UNREACHABLE, distances_to};
use std::ops::Range;

/// Use counts of every (resource, step).
#[derive(Clone, Debug)]
pub struct Occupancy {
    steps: usize,
    /// `counts[resource * steps + step]`.
    counts: Vec<u32>,
    capacity: Vec<u32>,
}

impl Occupancy {
    /// No uses.
    pub fn new(capacity: &[u32], steps: u32) -> Self {
        let steps = steps as usize;
        Occupancy { steps, counts: vec![0; steps * capacity.len()], capacity: capacity.to_vec() }
    }

    /// Forgets all uses.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// The cost that uses starting at `step` would add.
    pub fn price(&self, uses: &[Use], step: u32) -> u64 {
        uses.iter().map(|u| u64::from(self.excess(self.cell(u, step), u))).sum()
    }

    /// Adds to each price the cost that uses would add if they started in the step of its index.
    pub fn price_starts(&self, uses: &[Use], prices: &mut [u32]) {
        for u in uses {
            let first = self.cell(u, 0);
            let capacity = self.capacity[u.resource as usize];
            let counts = &self.counts[first..first + prices.len()];
            for (price, count) in prices.iter_mut().zip(counts) {
                // A value that is not to be taken keeps its price.
                *price = price.saturating_add((count + 1).saturating_sub(capacity));
            }
        }
    }

    /// The cost that removing uses, which are counted here, would save.
    pub fn relief(&self, uses: &[Use], step: u32) -> u64 {
        let relief = |u: &Use| {
            let count = self.counts[self.cell(u, step)];
            u64::from(count.saturating_sub(self.capacity[u.resource as usize]))
        };
        uses.iter().map(relief).sum()
    }

    /// Counts uses; returns the cost they add.
    pub fn add(&mut self, uses: &[Use], step: u32) -> u64 {
        let mut cost = 0;
        for u in uses {
            let cell = self.cell(u, step);
            cost += u64::from(self.excess(cell, u));
            self.counts[cell] += 1;
        }
        cost
    }

    /// Removes uses; returns the cost saved.
    pub fn remove(&mut self, uses: &[Use], step: u32) -> u64 {
        let mut cost = 0;
        for u in uses {
            let cell = self.cell(u, step);
            self.counts[cell] -= 1;
            cost += u64::from(self.excess(cell, u));
        }
        cost
    }

    fn cell(&self, u: &Use, step: u32) -> usize {
        u.resource as usize * self.steps + (step + u.delay) as usize
    }

    /// The cost of one more use of the cell.
    fn excess(&self, cell: usize, u: &Use) -> u32 {
        (self.counts[cell] + 1).saturating_sub(self.capacity[u.resource as usize])
    }
}

// The possible senders of every receiver in a wormhole broadcast, and their paths.
//
// With a radius, only near terminals send to a receiver: the controlled flood of
// umda-diameter-degree-networks, section 4.4, which leaves far fewer paths to choose from.

/// The paths of a broadcast, by receiver, then sender.
#[derive(Clone, Debug)]
pub struct Senders {
    /// The paths of all pairs.
    pub routes: Routes,
    /// A range of pairs for every demand: the possible senders to its destination.
    pub of_demand: Vec<Range<u32>>,
    /// Sender of every pair; ascending among the pairs of one receiver.
    pub of_pair: Vec<VertexId>,
}

impl Senders {
    /// Senders at most `radius` channels away from a receiver; the radius is raised where it would
    /// cut off a terminal.
    pub fn find(problem: &Problem, radius: Option<u32>, seed: u64) -> Self {
        let radius = radius.map(|r| r.max(least_radius(problem)));
        let mut pairs = Vec::new();
        let mut of_receiver = vec![0..0; problem.network().vertices().len()];
        for &to in problem.receivers() {
            let distance = distances_to(problem.network(), to);
            let first = pairs.len() as u32;
            let near = |&from: &VertexId| {
                let d = distance[from as usize];
                d > 0 && d != UNREACHABLE && radius.is_none_or(|r| d <= r)
            };
            pairs.extend(holders(problem).filter(near).map(|from| (from, to)));
            of_receiver[to as usize] = first..pairs.len() as u32;
        }
        let routes = Routes::find(problem, &pairs, problem.routing().listed_slack(), seed);
        let of_demand =
            problem.demands().iter().map(|d| of_receiver[d.destination as usize].clone()).collect();
        Senders { routes, of_demand, of_pair: pairs.iter().map(|&(from, _)| from).collect() }
    }
}

/// Vertices that can hold a message: sources and receivers.
fn holders(problem: &Problem) -> impl Iterator<Item = VertexId> + '_ {
    let is_holder = |v: &VertexId| {
        problem.senders().binary_search(v).is_ok() || problem.receivers().binary_search(v).is_ok()
    };
    problem.network().terminals().filter(is_holder)
}

/// The least radius within which every message can still reach all receivers from its source.
fn least_radius(problem: &Problem) -> u32 {
    let holders: Vec<VertexId> = holders(problem).collect();
    let to: Vec<Vec<u32>> = holders.iter().map(|&v| distances_to(problem.network(), v)).collect();
    let reached = |radius: u32, source: VertexId| {
        let mut seen: Vec<bool> = holders.iter().map(|&v| v == source).collect();
        let mut stack = vec![source];
        while let Some(u) = stack.pop() {
            for (i, &v) in holders.iter().enumerate() {
                // Only receivers get messages of others.
                let receives = problem.receivers().binary_search(&v).is_ok();
                if !seen[i] && receives && to[i][u as usize] <= radius {
                    seen[i] = true;
                    stack.push(v);
                }
            }
        }
        let is_served = |v: &VertexId| holders.binary_search(v).is_ok_and(|i| seen[i]);
        problem.receivers().iter().all(is_served)
    };
    let farthest = to.iter().flatten().copied().filter(|&d| d != UNREACHABLE).max().unwrap_or(1);
    (1..farthest)
        .find(|&radius| problem.senders().iter().all(|&s| reached(radius, s)))
        .unwrap_or(farthest)
}
