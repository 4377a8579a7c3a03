//! Broadcasts of one message: a tree that grows greedily. It is rarely optimal, but it is ready at
//! once, even on networks of thousands of vertices, where a search is slow.

mod stored;
mod wormhole;

use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;

/// A tree of wormhole paths, for one message.
pub fn wormhole(problem: &Problem) -> Plan {
    tidied(wormhole::plan(problem))
}

/// A tree of shortest paths, for one message by store-and-forward switching.
pub fn stored(problem: &Problem) -> Plan {
    tidied(stored::plan(problem))
}

fn tidied(mut plan: Plan) -> Plan {
    plan.tidy();
    plan
}
