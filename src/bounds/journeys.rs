//! Journeys: with store-and-forward switching a message needs a step for every channel of its path.
//! A terminal sends a limited number of messages in a step; of those with at least a certain
//! distance to go, the last to leave still has that distance to go. A receiver is the mirror image:
//! the first message has that distance to go, and then a limited number arrive in a step.

use super::{Bound, Evidence, load};
use crate::network::VertexId;
use crate::network::metrics::{distances_from, distances_to};
use crate::problem::{Content, Problem, Switching};
use std::cmp::Reverse;

pub fn bound(problem: &Problem) -> Option<Bound> {
    if problem.switching == Switching::Wormhole || problem.collective.content() == Content::Common {
        return None;
    }
    let n = problem.network.vertices().len();
    let (mut away, mut back) = (vec![Vec::new(); n], vec![Vec::new(); n]);
    for d in &problem.demands {
        away[d.source as usize].push(d.destination);
        back[d.destination as usize].push(d.source);
    }
    let at = |v: VertexId| {
        let network = &problem.network;
        let leaving = Journeys { others: &away[v as usize], rate: problem.sends_at_once(v) };
        let coming = Journeys { others: &back[v as usize], rate: problem.receives_at_once(v) };
        let leave = leaving.steps(|| distances_from(network, v));
        leave.max(coming.steps(|| distances_to(network, v)))
    };
    let steps: Vec<u32> = (0..n as VertexId).map(at).collect();
    let (slowest, &steps) = (0..).zip(&steps).max_by_key(|&(v, steps)| (steps, Reverse(v)))?;
    Some(Bound { name: "journeys", steps, evidence: Evidence::Vertex(slowest) })
}

/// The messages between one terminal and others, in one direction.
struct Journeys<'o> {
    others: &'o [VertexId],
    /// Messages that can leave, or arrive, in a step.
    rate: usize,
}

impl Journeys<'_> {
    fn steps(&self, distances: impl FnOnce() -> Vec<u32>) -> u32 {
        if self.others.is_empty() {
            return 0;
        }
        let distances = distances();
        let mut far: Vec<u32> = self.others.iter().map(|&v| distances[v as usize]).collect();
        far.sort_unstable_by_key(|&distance| Reverse(distance));
        let last = |(number, distance): (u64, u32)| load::steps(number, self.rate) + distance - 1;
        (1..).zip(far).map(last).max().unwrap_or(0)
    }
}
