//! Broadcasts of one message: a tree that grows greedily. It is rarely optimal, but it is ready at
//! once, even on networks of thousands of vertices, where a search is slow.

mod grown;
mod stored;
mod wormhole;

use crate::problem::{Problem, Switching};
use crate::rng::Rng;
use crate::schedule::Plan;
use std::sync::Arc;

/// A tree of wormhole paths, for one message.
pub fn wormhole(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    tidied(problem, Switching::Wormhole, wormhole::plan)
}

/// A tree of shortest paths, for one message by store-and-forward switching.
pub fn stored(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    tidied(problem, Switching::StoreAndForward, stored::plan)
}

fn tidied(problem: &Problem, switching: Switching, plan: fn(&Problem) -> Plan) -> Option<Plan> {
    let is_one = problem.collective.content().is_common() && problem.messages() == 1;
    (is_one && problem.switching == switching).then(|| {
        let mut plan = plan(problem);
        plan.tidy();
        plan
    })
}
