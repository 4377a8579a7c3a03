//! The possible senders of every receiver in a wormhole broadcast, and their paths.
//!
//! With a radius, only near terminals send to a receiver: the controlled flood of
//! umda-diameter-degree-networks, section 4.4, which leaves far fewer paths to choose from.

use super::Routes;
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use ccsched_network::metrics::{UNREACHABLE, distances_to};
use std::ops::Range;

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
