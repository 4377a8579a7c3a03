//! All-to-all scatters with store-and-forward switching from a construction for wormhole switching in which all paths
//! of a step are equally long: the steps follow each other as they are, those with the shortest paths first, and every
//! message moves a hop a step. On fat trees and multistage networks no two of them meet.
//!
//! There the hop of a message is a level, on the way up as on the way down. On the way up step k is at level l
//! in step k + l. On the way down, from level m, it is there in step k + 2m - l: as m never falls from one step to the
//! next, the steps stay apart. In all that takes the length of the last path, less one, beyond the steps of
//! the construction.

use crate::ground::in_step::fits;
use ccsched_base::cores;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::{Plan, Step};

/// The schedule, if all paths of a step are equally long and no hops are in conflict.
pub fn pipelined(problem: &Problem, plan: &Plan) -> Option<Plan> {
    let mut steps: Vec<(usize, &Step)> = plan.steps().map(equal).collect::<Option<_>>()?;
    steps.sort_by_key(|&(length, _)| length);
    let longest = steps.last()?.0;
    // By step, the hops of the messages that begin up to its end.
    let ends = cores::ends(steps.iter().map(|(_, step)| step.channel_steps()));
    let last = steps.len() - 1;
    let of_step = |number: usize, hops: &mut Vec<_>| {
        let under_way = (number + 1).saturating_sub(longest)..number.min(last) + 1;
        for (began, &(length, step)) in under_way.clone().zip(&steps[under_way]) {
            let hop = number - began;
            if hop < length {
                hops.extend(step.iter().map(|t| (t.message, t.channels[hop])));
            }
        }
    };
    let plan = Plan::of_hops(last + longest, |number| ends[number.min(last)], of_step);
    fits(problem, &plan).then_some(plan)
}

/// A step and the length of its paths, if all are equally long.
fn equal(step: &Step) -> Option<(usize, &Step)> {
    let length = step.longest_path();
    step.iter().all(|t| t.channels.len() == length).then_some((length, step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct;
    use ccsched_model::problem::{Collective, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;
    use std::sync::Arc;

    /// The schedule of a network and the steps of its construction, with the longest path.
    fn of(topology: &str) -> Option<(Plan, usize, usize)> {
        let request = Request::new(Collective::Aas);
        let wormhole = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let (twin, _) = construct::plan(&Arc::new(wormhole.clone()), 1).unwrap();
        let problem = wormhole.with_switching(Switching::StoreAndForward);
        let plan = pipelined(&problem, &twin)?;
        let file = plan.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
        Some((plan, twin.len(), twin.longest_path()))
    }

    #[test]
    fn steps_of_trees_and_stages_follow_each_other() {
        for topology in ["fat-tree:16", "fat-tree:64", "omega:16", "butterfly:32"] {
            let (plan, steps, longest) = of(topology).unwrap();
            assert_eq!(plan.len(), steps + longest - 1, "{topology}");
        }
    }

    #[test]
    fn steps_with_paths_of_several_lengths_do_not() {
        assert!(of("mesh:4x4").is_none());
    }
}
