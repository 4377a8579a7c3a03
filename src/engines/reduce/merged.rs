//! Merging of steps: where every link and port carries at least w transfers per step, w steps of a
//! schedule that uses every link once per step fit into one. The messages of a total exchange go
//! straight to their destinations, so the order of the steps does not matter.

use crate::cores;
use crate::problem::Problem;
use crate::schedule::{Plan, Step};

/// The number of steps that merge into one: the least capacity of a link or port.
pub fn factor(problem: &Problem) -> u32 {
    problem.resources().capacities().iter().copied().min().unwrap_or(1)
}

/// By link, the number of transfers that a constructor may send over it in a step before merging.
pub fn shares(problem: &Problem) -> Vec<u64> {
    let factor = factor(problem);
    let links = &problem.resources().capacities()[..problem.resources().links()];
    links.iter().map(|&capacity| u64::from(capacity / factor)).collect()
}

/// The schedule with as many steps merged as fit, or unchanged if they do not fit.
pub fn merged(problem: &Problem, plan: Plan) -> Plan {
    let factor = factor(problem) as usize;
    if factor == 1 {
        return plan;
    }
    let mut short = plan.merged(factor);
    if !fits(problem, &short) {
        return plan;
    }
    short.tidy();
    short
}

/// Whether every step respects the capacities of links and ports. All cores work on it.
pub fn fits(problem: &Problem, plan: &Plan) -> bool {
    let steps: Vec<&Step> = plan.steps().collect();
    cores::each(plan.parts(Step::channel_steps), |part| all_fit(problem, &steps[part]))
        .into_iter()
        .all(|fits| fits)
}

fn all_fit(problem: &Problem, steps: &[&Step]) -> bool {
    let (network, resources, switching) =
        (problem.network(), problem.resources(), problem.switching());
    // By resource: the last step in which it was used, from 1, and how many more transfers it can carry then.
    let capacities = resources.capacities();
    let mut uses = vec![(0, 0); capacities.len()];
    (1..).zip(steps).all(|(number, step)| {
        let mut fits = true;
        for transfer in step.iter() {
            resources.uses(network, switching, transfer.channels, |r, _| {
                let (last, left): &mut (u32, u32) = &mut uses[r as usize];
                if *last != number {
                    (*last, *left) = (number, capacities[r as usize]);
                }
                fits &= *left > 0;
                *left = left.wrapping_sub(1);
            });
        }
        fits
    })
}
