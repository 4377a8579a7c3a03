//! Wormhole switching for store-and-forward switching, in all-to-all scatters: the messages of a step follow those of
//! the steps before it hop by hop. Where each terminal sends and receives in every step, little more is added than the
//! length of the paths.

mod pipelined;

use super::Reduction;
use crate::Method;
use crate::ground::sample::channels_and_paths;
use crate::journeys::{earliest, shortest, shuffled};
use ccsched_base::rng::rng_of;
use ccsched_model::problem::{Problem, Switching};
use ccsched_model::schedule::{Plan, Step};
use pipelined::pipelined;
use std::sync::Arc;

/// The name of its schedules.
pub const NAME: &str = "all-to-all construction: hop by hop";
/// Hops of all orders of the steps together that are tried, and most orders. With more hops, the steps follow each
/// other as they are or in one order, and the schedule is justified only after it has been shown.
const TRIED: usize = 600_000;
const MOST_TRIES: usize = 4;

/// A problem, and the same problem with wormhole switching.
#[derive(Debug)]
pub struct HopByHop {
    outer: Arc<Problem>,
    inner: Arc<Problem>,
}

impl HopByHop {
    /// None unless it is a total exchange with store-and-forward switching.
    pub fn of(problem: &Arc<Problem>) -> Option<Self> {
        let applies = problem.switching().stores() && problem.is_exchange();
        let inner = || problem.with_switching(Switching::Wormhole);
        applies.then(|| HopByHop { outer: problem.clone(), inner: Arc::new(inner()) })
    }
}

impl Reduction for HopByHop {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        // Messages that stop nowhere are the same with either switching.
        let is_direct = inner.longest_path() == 1;
        if is_direct { inner } else { followed(&self.outer, &inner, hops(&self.outer)) }
    }

    fn method(&self, _: Method) -> Method {
        Method::Construction(NAME.into())
    }
}

/// The schedule whose messages follow those of a plan for wormhole switching, with about this number of hops; always the
/// same for the same plan.
fn followed(problem: &Problem, plan: &Plan, hops: usize) -> Plan {
    let steps: Vec<&Step> = plan.steps().collect();
    let of_step = |step: usize| steps[step].iter().map(|t| (t.message, t.channels));
    let rng = &mut rng_of(plan.len() as u64, 0, 0);
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
    channels * problem.demands().len() / paths.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;

    #[test]
    fn many_hops_are_not_justified_and_take_a_few_steps_more() {
        for topology in ["mesh:4x4", "hypercube:5", "torus:8x8", "fat-tree:16"] {
            let switching = Switching::StoreAndForward;
            let request = Request { switching, ..Request::new(Collective::Aas) };
            let problem = Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap());
            let reduction = HopByHop::of(&problem).unwrap();
            let (of_twin, _) = construct::plan(reduction.inner(), 1).unwrap();
            let [few, many] = [hops(&problem), TRIED + 1].map(|hops| {
                let plan = followed(&problem, &of_twin, hops);
                let file = plan.record(&problem, &[], Provenance::default());
                assert!(verify(&file).is_empty(), "{topology}");
                plan.len()
            });
            let most = of_twin.len() + 3 * of_twin.longest_path();
            assert!(few <= many && many <= most, "{topology}: {few} and {many} of {most}");
        }
    }
}
