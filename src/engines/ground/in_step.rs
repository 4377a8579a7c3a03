//! What the transfers of one step use, step after step. No count is cleared between steps: each knows the step that it
//! is of.

use ccsched_base::cores;
use ccsched_model::problem::{Problem, ResourceId, Resources};
use ccsched_model::schedule::{Plan, Step};
use ccsched_network::ChannelId;
use std::ops::Range;

/// The uses of all resources in the present step.
pub struct InStep<'r> {
    resources: &'r Resources,
    /// The number of the present step, from 1.
    step: u32,
    /// By resource: the last step in which it was used, and how often.
    uses: Vec<(u32, u32)>,
}

impl<'r> InStep<'r> {
    /// No step yet.
    pub fn new(resources: &'r Resources) -> Self {
        InStep { resources, step: 0, uses: vec![(0, 0); resources.capacities().len()] }
    }

    /// Begins the next step.
    pub fn next(&mut self) {
        self.step += 1;
    }

    /// Whether a resource can carry one more transfer.
    pub fn is_free(&self, resource: ResourceId) -> bool {
        let (step, uses) = self.uses[resource as usize];
        step != self.step || uses < self.resources.capacity(resource)
    }

    /// Counts one more transfer.
    pub fn take(&mut self, resource: ResourceId) {
        let (step, uses) = &mut self.uses[resource as usize];
        if *step != self.step {
            (*step, *uses) = (self.step, 0);
        }
        *uses += 1;
    }

    /// Counts one more transfer of all of some resources, if all of them are free. Returns whether they were.
    pub fn take_all(&mut self, resources: &[ResourceId]) -> bool {
        let are_free = resources.iter().all(|&r| self.is_free(r));
        if are_free {
            resources.iter().for_each(|&r| self.take(r));
        }
        are_free
    }
}

/// What some paths take together in a step: by resource that they use, in order, how often.
pub fn taken<'p>(
    problem: &Problem,
    paths: impl IntoIterator<Item = &'p [ChannelId]>,
) -> Vec<(usize, u32)> {
    let (network, resources) = (problem.network(), problem.resources());
    let mut taken = vec![0; resources.capacities().len()];
    for path in paths {
        resources.uses(network, problem.switching(), path, |r, _| taken[r as usize] += 1);
    }
    (0..).zip(taken).filter(|&(_, count)| count > 0).collect()
}

/// Whether every step of a plan respects the capacities of links and ports. All cores work on it.
pub fn fits(problem: &Problem, plan: &Plan) -> bool {
    let (network, resources, switching) =
        (problem.network(), problem.resources(), problem.switching());
    let steps: Vec<&Step> = plan.steps().collect();
    let all_fit = |part: Range<usize>| {
        let mut used = InStep::new(resources);
        steps[part].iter().all(|step| {
            used.next();
            let mut fits = true;
            for transfer in step.iter() {
                resources.uses(network, switching, transfer.channels, |r, _| {
                    fits &= used.is_free(r);
                    used.take(r);
                });
            }
            fits
        })
    };
    cores::each(plan.parts(Step::channel_steps), all_fit).into_iter().all(|fits| fits)
}
