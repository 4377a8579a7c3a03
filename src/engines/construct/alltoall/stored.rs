//! All-to-all scatters with store-and-forward switching from a construction for wormhole switching:
//! the messages of a step follow those of the steps before it hop by hop. Where each terminal sends
//! and receives in every step, little more is added than the length of the paths.

use super::pipelined::pipelined;
use super::sample::channels_and_paths;
use crate::engines::construct::{HOP_BY_HOP, WITHIN_LIMITS, plan_before};
use crate::engines::journeys::{earliest, shortest, shuffled};
use crate::problem::{Problem, Switching};
use crate::rng::Rng;
use crate::schedule::{Plan, Step};
use std::sync::Arc;

/// Hops of all orders of the steps together that are tried, and most orders. With more hops, the steps follow each
/// other as they are or in one order, and the schedule is justified only after it has been shown.
const TRIED: usize = 600_000;
const MOST_TRIES: usize = 4;

/// The schedule, if there is such a construction.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let is_stored = problem.switching.stores();
    if !is_stored || !problem.is_exchange() {
        return None;
    }
    let twin = Arc::new(Problem { switching: Switching::Wormhole, ..problem.clone() });
    // With limited ports, messages that stop at every vertex hardly keep to the steps of those that do not.
    let own = if problem.resources.have_ports() { WITHIN_LIMITS } else { HOP_BY_HOP };
    let plan = plan_before(own, &twin, rng)?;
    // Messages that stop nowhere are the same with either switching.
    let is_direct = plan.longest_path() == 1;
    Some(if is_direct { plan } else { followed(problem, &plan, hops(problem), rng) })
}

/// The schedule whose messages follow those of a wormhole plan with `hops` hops.
fn followed(problem: &Problem, plan: &Plan, hops: usize, rng: &mut Rng) -> Plan {
    let steps: Vec<&Step> = plan.steps().collect();
    let of_step = |step: usize| steps[step].iter().map(|t| (t.message, t.channels));
    if hops <= TRIED {
        let tries = (TRIED / hops.max(1)).min(MOST_TRIES);
        return shortest(problem, (steps.len(), of_step), tries, rng).plan(problem);
    }
    pipelined(problem, plan).unwrap_or_else(|| {
        let messages = shuffled(steps.len(), rng).into_iter().flat_map(of_step);
        earliest(problem, messages).plan(problem)
    })
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
    fn many_hops_are_not_justified_and_take_a_few_steps_more() {
        for topology in ["mesh:4x4", "hypercube:5", "torus:8x8", "fat-tree:16"] {
            let switching = Switching::StoreAndForward;
            let request = Request { switching, ..Request::new(Collective::Aas) };
            let problem = Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap());
            let twin = Arc::new(Problem { switching: Switching::Wormhole, ..(*problem).clone() });
            let rng = &mut rng_of(1, 0, 0);
            let of_twin = plan_before(HOP_BY_HOP, &twin, rng).unwrap();
            let [few, many] = [hops(&problem), TRIED + 1].map(|hops| {
                let plan = followed(&problem, &of_twin, hops, rng);
                let file = plan.record(&problem, &[], Provenance::default());
                assert!(verify(&file).is_empty(), "{topology}");
                plan.len()
            });
            let most = of_twin.len() + 3 * of_twin.longest_path();
            assert!(few <= many && many <= most, "{topology}: {few} and {many} of {most}");
        }
    }
}
