//! Eccentricity: with store-and-forward switching a message needs a step for every channel of its
//! path. Of the pieces of a message, the last one leaves its source when the others have.

use super::lengths::Lengths;
use super::{Bound, Evidence, load};
use ccsched_model::problem::{Problem, Switching};
use ccsched_network::VertexId;
use std::cmp::Reverse;

/// The bound of the message that goes farthest.
pub(super) fn bound(problem: &Problem, lengths: &Lengths) -> Option<Bound> {
    if problem.switching().holds_paths() {
        return None;
    }
    let steps = |v: VertexId| match lengths.sent(v).len() as u32 {
        0 => 0,
        hops => hops - 1 + waits(problem, problem.sends_at_once(v)),
    };
    let vertices = 0..problem.network().vertices().len() as VertexId;
    let source = vertices.max_by_key(|&v| (steps(v), Reverse(v)))?;
    let steps = steps(source);
    Some(Bound { name: "eccentricity", steps, evidence: Evidence::Vertex(source) })
}

/// Steps until the source has sent the last piece, at this many a step.
pub(super) fn waits(problem: &Problem, rate: usize) -> u32 {
    load::steps(problem.pieces().into(), rate).saturating_sub(1)
}

/// The steps of the bound without pieces, 1 if there is none.
pub fn least(problem: &Problem) -> u32 {
    match problem.switching() {
        Switching::Wormhole | Switching::Hosts => 1,
        Switching::StoreAndForward => Lengths::of(problem).longest().max(1),
    }
}
