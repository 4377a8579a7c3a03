//! Broadcast growth: in a step everybody who has the message informs at most as many others as it
//! has ports and channels. With d channels everywhere this is log_{d+1} P (umda-diameter-degree-
//! networks, section 3); here those with most channels are taken to be informed first.

use super::{Bound, Evidence};
use crate::network::VertexId;
use crate::problem::{Problem, Switching};

pub fn bound(problem: &Problem) -> Option<Bound> {
    if !problem.collective.is_broadcast() {
        return None;
    }
    let steps = |&v: &VertexId| (growth(problem, v), std::cmp::Reverse(v));
    let slowest = problem.senders.iter().copied().max_by_key(steps)?;
    Some(Bound {
        name: "growth",
        steps: growth(problem, slowest),
        evidence: Evidence::Vertex(slowest),
    })
}

/// Steps until a message of `source` can be at enough vertices.
fn growth(problem: &Problem, source: VertexId) -> u32 {
    let network = &problem.network;
    let rate = |v: VertexId| {
        let channels = network.outgoing(v).len();
        if network.is_terminal(v) { problem.ports.limit(channels) } else { channels }
    };
    let helps = |&v: &VertexId| {
        v != source && (problem.switching == Switching::StoreAndForward || network.is_terminal(v))
    };
    let mut rates: Vec<usize> =
        (0..network.vertices().len() as VertexId).filter(helps).map(rate).collect();
    rates.sort_unstable_by(|a, b| b.cmp(a));
    let goal = 1 + problem.receivers.iter().filter(|&&v| v != source).count();
    let mut informed = 1;
    let mut steps = 0;
    while informed < goal {
        let others = &rates[..(informed - 1).min(rates.len())];
        let new = rate(source) + others.iter().sum::<usize>();
        if new == 0 {
            return 0;
        }
        informed += new;
        steps += 1;
    }
    steps
}
