//! The pieces of an all-reduce of one part beside each other, each by a schedule for the whole part: every
//! step of it, as a whole, takes the first step after the one before that has room. Schedules that use
//! other channels in each step, as those that begin with another dimension, fill one another's gaps.

use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;

/// The schedule, whose pieces take some schedules for whole messages in turn; none without such.
pub fn pieces(problem: &Problem, whole: &[Plan]) -> Option<Plan> {
    if problem.pieces() == 1 || whole.is_empty() {
        return whole.first().cloned();
    }
    let (network, resources) = (problem.network(), problem.resources());
    let capacities = resources.capacities();
    // By schedule, then step, what its transfers take together.
    let of_step = |step: &ccsched_model::schedule::Step| {
        let mut taken = vec![0; capacities.len()];
        for (path, _) in step.joined(1) {
            resources.uses(network, problem.switching(), path, |r, _| taken[r as usize] += 1);
        }
        (0..).zip(taken).filter(|&(_, count)| count > 0).collect::<Vec<(usize, u32)>>()
    };
    let needs: Vec<Vec<_>> = whole.iter().map(|plan| plan.steps().map(of_step).collect()).collect();
    let mut used: Vec<Vec<u32>> = Vec::new();
    let mut plan = Plan::default();
    for piece in 0..problem.pieces() {
        let kind = piece as usize % whole.len();
        let mut at = 0;
        for (step, needs) in whole[kind].steps().zip(&needs[kind]) {
            let has_room =
                |used: &Vec<u32>| needs.iter().all(|&(r, count)| used[r] + count <= capacities[r]);
            while used.get(at).is_some_and(|used| !has_room(used)) {
                at += 1;
            }
            used.resize_with(used.len().max(at + 1), || vec![0; capacities.len()]);
            needs.iter().for_each(|&(r, count)| used[at][r] += count);
            for t in step.iter() {
                plan.push(at, t.message * problem.pieces() as MessageId + piece, t.channels);
            }
            at += 1;
        }
    }
    plan.tidy();
    Some(plan)
}
