//! Journeys: with store-and-forward switching a message needs a step for every channel of its path.
//! A terminal sends a limited number of messages in a step; of those with at least a certain
//! distance to go, the last to leave still has that distance to go. A receiver is the mirror image:
//! the first message has that distance to go, and then a limited number arrive in a step.

use super::lengths::Lengths;
use super::{Bound, Evidence, load};
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use std::cmp::Reverse;

pub fn bound(problem: &Problem, lengths: &Lengths) -> Option<Bound> {
    if problem.switching().holds_paths() || problem.collective().content().is_common() {
        return None;
    }
    let at = |v: VertexId| {
        let leave = steps(lengths.sent(v), problem.sends_at_once(v));
        leave.max(steps(lengths.received(v), problem.receives_at_once(v)))
    };
    let vertices = 0..problem.network().vertices().len() as VertexId;
    let slowest = vertices.max_by_key(|&v| (at(v), Reverse(v)))?;
    Some(Bound { name: "journeys", steps: at(slowest), evidence: Evidence::Vertex(slowest) })
}

/// Steps for these numbers of messages by distance, of which `rate` leave, or arrive, in a step.
fn steps(numbers: &[u32], rate: usize) -> u32 {
    let (mut most, mut farther) = (0, 0);
    for (distance, &number) in numbers.iter().enumerate().rev().filter(|(_, n)| **n > 0) {
        farther += u64::from(number);
        most = most.max(load::steps(farther, rate) + distance as u32 - 1);
    }
    most
}
