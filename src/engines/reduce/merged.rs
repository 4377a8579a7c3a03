//! Merging of steps: where every link and port carries at least w transfers per step, w steps of a
//! schedule that uses every link once per step fit into one. The messages of a total exchange go
//! straight to their destinations, so the order of the steps does not matter.

use crate::engines::ground::in_step::fits;
use crate::problem::Problem;
use crate::schedule::Plan;

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
