//! Eccentricity: with store-and-forward switching a message needs a step for every channel of its
//! path.

use super::lengths::Lengths;
use super::{Bound, Evidence};
use crate::network::VertexId;
use crate::problem::{Problem, Switching};

/// The bound of the message that goes farthest.
pub(super) fn bound(problem: &Problem, lengths: &Lengths) -> Option<Bound> {
    if problem.switching().holds_paths() {
        return None;
    }
    let steps = lengths.longest();
    let farthest = |v: &VertexId| lengths.sent(*v).len() == steps as usize + 1;
    let source = (0..problem.network().vertices().len() as VertexId).find(farthest)?;
    Some(Bound { name: "eccentricity", steps, evidence: Evidence::Vertex(source) })
}

/// The steps of the bound, 1 if there is none.
pub fn least(problem: &Problem) -> u32 {
    match problem.switching() {
        Switching::Wormhole => 1,
        Switching::StoreAndForward => Lengths::of(problem).longest().max(1),
    }
}
