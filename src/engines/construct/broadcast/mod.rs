//! Broadcasts of one message: a tree that grows as fast as is easily found. It is rarely the best, but
//! it is there at once, also on networks of thousands of vertices, where a search takes its time.

mod stored;
mod wormhole;

use crate::problem::{Content, Problem, Switching};
use crate::schedule::Plan;

/// A schedule, where there is one message.
pub fn plan(problem: &Problem) -> Option<Plan> {
    if problem.collective.content() == Content::Personal || problem.messages() != 1 {
        return None;
    }
    let mut plan = match problem.switching {
        Switching::Wormhole => wormhole::plan(problem),
        Switching::StoreAndForward => stored::plan(problem),
    };
    plan.tidy();
    Some(plan)
}
