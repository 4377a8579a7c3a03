//! Total distance over channels: the channels that all deliveries need, over those that a step
//! offers (umda-diameter-degree-networks, section 3: the sum of shortest paths over P d).

use super::{Bound, Evidence, load};
use crate::network::VertexId;
use crate::network::metrics::{distances_from, distances_to};
use crate::problem::{Content, Problem, Switching};

pub fn bound(problem: &Problem) -> Option<Bound> {
    let work = if problem.collective.content() == Content::Common {
        broadcast_work(problem)
    } else {
        scatter_work(problem)
    };
    Some(Bound {
        name: "distance",
        steps: load::steps(work, problem.resources.capacity_of_links()),
        evidence: Evidence::Nothing,
    })
}

fn scatter_work(problem: &Problem) -> u64 {
    let of_source = problem.demands.chunk_by(|a, b| a.source == b.source);
    of_source
        .map(|demands| {
            let distance = distances_from(&problem.network, demands[0].source);
            demands.iter().map(|d| u64::from(distance[d.destination as usize])).sum::<u64>()
        })
        .sum()
}

/// Every delivery of a broadcast takes at least the distance from the nearest terminal, which may
/// have the message; one channel with store-and-forward, where every vertex can keep the message.
fn broadcast_work(problem: &Problem) -> u64 {
    let nearest = |v: VertexId| {
        if problem.switching == Switching::StoreAndForward {
            return 1;
        }
        let distance = distances_to(&problem.network, v);
        let others = problem.network.terminals().filter(|&u| u != v);
        others.map(|u| u64::from(distance[u as usize])).min().unwrap_or(0)
    };
    let of_receiver =
        |&v: &VertexId| nearest(v) * problem.senders.iter().filter(|&&s| s != v).count() as u64;
    problem.receivers.iter().map(of_receiver).sum()
}
