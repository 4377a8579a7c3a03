//! Broadcasts of one message: a tree that grows as fast as is easily found. It is rarely the best, but
//! it is there at once, also on networks of thousands of vertices, where a search takes its time.

mod stored;
mod wormhole;

use crate::problem::{Content, Problem, Switching};
use crate::rng::Rng;
use crate::schedule::Plan;
use std::sync::Arc;

/// A tree of wormhole paths, where there is one message.
pub fn wormhole(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    tidied(problem, Switching::Wormhole, wormhole::plan)
}

/// A tree of shortest paths, where one message is stored and forwarded.
pub fn stored(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    tidied(problem, Switching::StoreAndForward, stored::plan)
}

fn tidied(problem: &Problem, switching: Switching, plan: fn(&Problem) -> Plan) -> Option<Plan> {
    let is_one = problem.collective.content() == Content::Common && problem.messages() == 1;
    (is_one && problem.switching == switching).then(|| {
        let mut plan = plan(problem);
        plan.tidy();
        plan
    })
}
