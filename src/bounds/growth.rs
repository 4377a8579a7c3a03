//! Broadcast growth: in a step every vertex that has the message informs at most as many others as
//! it has ports and channels towards others (see `holders`). With d channels at every vertex this is log_{d+1} P
//! (umda-diameter-degree-networks, section 3); here the vertices with the most channels are assumed
//! to be informed first. Of the pieces of a message, the last one leaves its source when the others
//! have.

use super::eccentricity::waits;
use super::holders::Holders;
use super::{Bound, Evidence};
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;

pub fn bound(problem: &Problem) -> Option<Bound> {
    if problem.collective().content().is_personal() {
        return None;
    }
    let holders = Holders::of(problem);
    let steps = |&v: &VertexId| (from(&holders, v), std::cmp::Reverse(v));
    let slowest = problem.senders().iter().copied().max_by_key(steps)?;
    let steps = from(&holders, slowest);
    Some(Bound { name: "growth", steps, evidence: Evidence::Vertex(slowest) })
}

/// Steps until enough vertices can have the message of `source`: itself and all receivers.
pub fn growth(problem: &Problem, source: VertexId) -> u32 {
    from(&Holders::of(problem), source)
}

fn from(holders: &Holders<'_>, source: VertexId) -> u32 {
    let goal = 1 + holders.problem.receivers().iter().filter(|&&v| v != source).count();
    let growth = holders.growth(source);
    let waits = waits(holders.problem, growth.rates[0]);
    growth.steps_to(goal).map_or(0, |steps| steps + waits)
}
