//! What the demands of a problem look like to broadcasts: who may inform whom, along which paths.

use crate::engines::assignment::Routes;
use crate::network::VertexId;
use crate::network::metrics::{UNREACHABLE, distances_to};
use crate::problem::Problem;
use std::ops::Range;
use std::sync::Arc;

/// The same for all assignments of a problem.
pub struct Shape {
    pub problem: Arc<Problem>,
    pub routes: Routes,
    /// `senders[g]` is a range of pairs in the table: who may send to gene `g`'s destination.
    pub senders: Vec<Range<u32>>,
    /// Sender of every pair; ascending among the pairs of one receiver.
    pub sender_of_pair: Vec<VertexId>,
    /// Sender of every path.
    pub origin: Vec<VertexId>,
    /// Genes of every message.
    pub of_message: Vec<Range<u32>>,
    pub vertices: usize,
}

impl Shape {
    /// The shape of a problem in which terminals are informed by others at most `radius` channels
    /// away, or farther ones where those would not do.
    pub fn new(problem: Arc<Problem>, radius: Option<u32>, seed: u64) -> Self {
        let radius = radius.map(|r| r.max(least_radius(&problem)));
        let mut pairs = Vec::new();
        let mut of_receiver = vec![0..0; problem.network.vertices().len()];
        for &to in &problem.receivers {
            let distance = distances_to(&problem.network, to);
            let first = pairs.len() as u32;
            let near = |&from: &VertexId| {
                let d = distance[from as usize];
                d > 0 && d != UNREACHABLE && radius.is_none_or(|r| d <= r)
            };
            pairs.extend(holders(&problem).filter(near).map(|from| (from, to)));
            of_receiver[to as usize] = first..pairs.len() as u32;
        }
        let routes = Routes::find(&problem, &pairs, problem.routing.slack(), seed);
        let mut origin = Vec::with_capacity(routes.table().len());
        for (pair, &(from, _)) in pairs.iter().enumerate() {
            origin.extend(routes.table().of_pair(pair).map(|_| from));
        }
        let senders =
            problem.demands.iter().map(|d| of_receiver[d.destination as usize].clone()).collect();
        let vertices = problem.network.vertices().len();
        let mut of_message = Vec::new();
        let mut first = 0;
        for demands in problem.demands.chunk_by(|a, b| a.message == b.message) {
            of_message.push(first..first + demands.len() as u32);
            first += demands.len() as u32;
        }
        let sender_of_pair = pairs.iter().map(|&(from, _)| from).collect();
        Shape { problem, routes, senders, sender_of_pair, origin, of_message, vertices }
    }
}

/// Vertices that can have a message: sources and receivers.
fn holders(problem: &Problem) -> impl Iterator<Item = VertexId> + '_ {
    let is_holder = |v: &VertexId| {
        problem.senders.binary_search(v).is_ok() || problem.receivers.binary_search(v).is_ok()
    };
    problem.network.terminals().filter(is_holder)
}

/// The least radius within which every message can still get from its source to all receivers.
fn least_radius(problem: &Problem) -> u32 {
    let holders: Vec<VertexId> = holders(problem).collect();
    let to: Vec<Vec<u32>> = holders.iter().map(|&v| distances_to(&problem.network, v)).collect();
    let reached = |radius: u32, source: VertexId| {
        let mut seen: Vec<bool> = holders.iter().map(|&v| v == source).collect();
        let mut stack = vec![source];
        while let Some(u) = stack.pop() {
            for (i, &v) in holders.iter().enumerate() {
                // Only receivers ever get a message they have not sent.
                let receives = problem.receivers.binary_search(&v).is_ok();
                if !seen[i] && receives && to[i][u as usize] <= radius {
                    seen[i] = true;
                    stack.push(v);
                }
            }
        }
        let is_served = |v: &VertexId| holders.binary_search(v).is_ok_and(|i| seen[i]);
        problem.receivers.iter().all(is_served)
    };
    let farthest = to.iter().flatten().copied().filter(|&d| d != UNREACHABLE).max().unwrap_or(1);
    (1..farthest)
        .find(|&radius| problem.senders.iter().all(|&s| reached(radius, s)))
        .unwrap_or(farthest)
}
