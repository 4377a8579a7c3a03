//! All-to-all scatters with store-and-forward switching from a construction for wormhole switching:
//! the messages of a step follow those of the steps before it hop by hop. Where each terminal sends
//! and receives in every step, little more is added than the length of the paths.

use super::draft;
use super::sample::channels_and_paths;
use crate::engines::construct::CONSTRUCTORS;
use crate::engines::journeys::{MOST_HOPS, along};
use crate::problem::{Problem, Switching};
use crate::rng::Rng;
use crate::schedule::Plan;
use std::sync::Arc;

/// The schedule, if there is such a construction.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let is_stored = problem.switching == Switching::StoreAndForward;
    if !is_stored || !draft::is_exchange(problem) || is_long(problem) {
        return None;
    }
    let twin = Arc::new(Problem { switching: Switching::Wormhole, ..problem.clone() });
    let mut constructors = CONSTRUCTORS.iter().take_while(|c| !c.is_first_fit());
    let plan = constructors.find_map(|c| (c.plan)(&twin, rng))?;
    let messages = plan.transfers().map(|t| (t.message, t.channels));
    Some(along(problem, messages).plan(problem))
}

/// Whether the messages have too many hops to be justified in good time.
fn is_long(problem: &Problem) -> bool {
    let (channels, paths) = channels_and_paths(problem);
    channels * problem.demands.len() > MOST_HOPS * paths
}
