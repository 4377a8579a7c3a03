//! Even rings of n vertices in n - 1 steps: for each part the ring is cut at another link into a path.
//! Both halves collect towards the two middle vertices, these exchange, and both spread. Every channel
//! is busy in every step. Messages in pieces take each step once for each piece.

use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};

/// The schedule of an all-reduce of an even ring of full-duplex links, with all of its vertices.
pub fn even_ring(problem: &Problem) -> Option<Plan> {
    let (round, channels) = ring(problem)?;
    let n = round.len();
    let half = n / 2;
    let pieces = problem.pieces() as usize;
    let mut plan = Plan::new(((n - 1) * pieces) as u32);
    let roots = problem.receivers();
    let mut push = |step: usize, part: usize, gathers: bool, ahead: bool, place: usize| {
        let message = if gathers { part + n } else { part };
        let channel = channels[usize::from(!ahead)][place % n];
        for piece in 0..pieces {
            plan.push(step * pieces + piece, (message * pieces + piece) as MessageId, [channel]);
        }
    };
    for part in 0..roots.len() {
        for step in 0..half - 1 {
            push(step, part, false, true, part + step);
            push(step, part, false, false, part + n - 1 - step);
            push(half + step, part, true, false, part + half - 1 - step);
            push(half + step, part, true, true, part + half + step);
        }
        push(half - 1, part, false, true, part + half - 1);
        push(half - 1, part, false, false, part + half);
    }
    plan.tidy();
    Some(plan)
}

/// The vertices around the ring, and by direction (ahead, back) and place the channel that leaves it.
fn ring(problem: &Problem) -> Option<(Vec<VertexId>, [Vec<ChannelId>; 2])> {
    let network = problem.network();
    let n = network.vertices().len();
    let is_ring = n >= 4
        && problem.groups().is_none()
        && n.is_multiple_of(2)
        && problem.receivers().len() == n
        && problem.ports().limit(2) == 2
        && (0..n as VertexId).all(|v| network.outgoing(v).len() == 2)
        && network.channels().iter().all(|c| c.reverse.is_some() && !c.exclusive);
    if !is_ring {
        return None;
    }
    let mut round = vec![0];
    let (mut ahead, mut back) = (Vec::new(), vec![0; n]);
    for place in 0..n {
        let (v, before) = (round[place], place.checked_sub(1).map(|before| round[before]));
        let next = network.outgoing(v).iter().copied();
        let channel = next.into_iter().find(|&c| Some(network.channel(c).to) != before)?;
        ahead.push(channel);
        back[(place + 1) % n] = network.channel(channel).reverse?;
        if place + 1 < n {
            round.push(network.channel(channel).to);
        }
    }
    let mut all = round.clone();
    all.sort_unstable();
    all.dedup();
    let closes = network.channel(ahead[n - 1]).to == round[0];
    (all.len() == n && closes).then_some((round, [ahead, back]))
}
