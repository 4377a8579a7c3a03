//! All-to-all scatters with store-and-forward switching from a construction for wormhole switching:
//! the messages of a step follow those of the steps before it hop by hop. Where each terminal sends
//! and receives in every step, little more is added than the length of the paths.

use super::draft;
use super::sample::channels_and_paths;
use crate::engines::construct::CONSTRUCTORS;
use crate::engines::journeys::{MOST_HOPS, along, earliest};
use crate::network::ChannelId;
use crate::problem::{MessageId, Problem, Switching};
use crate::rng::Rng;
use crate::schedule::{Plan, PlanBuilder};
use std::sync::Arc;

/// The schedule, if there is such a construction.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let is_stored = problem.switching == Switching::StoreAndForward;
    if !is_stored || !draft::is_exchange(problem) {
        return None;
    }
    let twin = Arc::new(Problem { switching: Switching::Wormhole, ..problem.clone() });
    let mut constructors = CONSTRUCTORS.iter().take_while(|c| !c.is_first_fit());
    let plan = constructors.find_map(|c| (c.plan)(&twin, rng))?;
    let messages = plan.transfers().map(|t| (t.message, t.channels));
    match hops(problem) {
        ..=MOST_HOPS => Some(along(problem, messages).plan(problem)),
        _ => Some(unjustified(problem, messages)),
    }
}

/// The schedule of messages along these paths, where there are too many to be justified.
fn unjustified<'r>(
    problem: &Problem,
    messages: impl Iterator<Item = (MessageId, &'r [ChannelId])>,
) -> Plan {
    let mut builder = PlanBuilder::default();
    earliest(problem, messages, |step, message, c| builder.push(step, message, &[c]));
    builder.build()
}

/// Number of hops of all messages, from the paths of some.
fn hops(problem: &Problem) -> usize {
    let (channels, paths) = channels_and_paths(problem);
    channels * problem.demands.len() / paths.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::spec;
    use crate::problem::{Collective, Request};
    use crate::rng::rng_of;
    use crate::schedule::file::Provenance;
    use crate::verify::verify;

    #[test]
    fn schedules_that_are_not_justified_are_valid_and_a_few_steps_longer() {
        for topology in ["mesh:4x4", "hypercube:5", "torus:8x8", "fat-tree:16"] {
            let switching = Switching::StoreAndForward;
            let request = Request { switching, ..Request::new(Collective::Aas) };
            let problem = Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap());
            let justified = plan(&problem, &mut rng_of(1, 0, 0)).unwrap();
            let twin = Arc::new(Problem { switching: Switching::Wormhole, ..(*problem).clone() });
            let mut constructors = CONSTRUCTORS.iter().take_while(|c| !c.is_first_fit());
            let of_twin = constructors.find_map(|c| (c.plan)(&twin, &mut rng_of(1, 0, 0))).unwrap();
            let messages = of_twin.transfers().map(|t| (t.message, t.channels));
            let long = unjustified(&problem, messages);
            let most = of_twin.len() + of_twin.longest_path();
            assert!((justified.len()..=most).contains(&long.len()), "{topology}: {}", long.len());
            let file = long.record(&problem, &[], Provenance::default());
            assert!(verify(&file).is_empty(), "{topology}");
        }
    }
}
