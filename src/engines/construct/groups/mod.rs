//! Collectives side by side, each among members of its own. Two constructions, of which the shorter schedule is
//! taken: all members of all groups go through shifts, or exclusive ors, of the ranks of their groups at the same
//! time (`rotated`); or each group has the schedule that it would have alone (`own`). `together` puts the steps of
//! several schedules on one network.

mod found;
mod own;
mod rotated;
mod together;

use super::first_fit;
use super::recoloured::recoloured;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use found::{Found, Group};
pub use own::in_whole;
use std::sync::Arc;

/// If more than one of this many messages is of no group, or has no path in its step, first fit needs about as few
/// steps.
const LEAST_SHARE: usize = 5;

/// The shorter of the two schedules, if there is one.
pub fn plan(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    if problem.pieces() > 1 {
        return None;
    }
    let Found { groups, left } = found::of(problem)?;
    let is_scatter = problem.collective().content().is_personal();
    let may_leave = problem.messages() / LEAST_SHARE;
    if left > may_leave || (left > 0 && problem.switching().stores()) {
        return None;
    }
    let finished = |plan: Plan| match is_scatter && problem.switching().holds_paths() {
        true => {
            let steps = plan.len();
            recoloured(problem, first_fit::completed(problem, plan), steps)
        }
        false => plan,
    };
    let rotated = rotated(problem, &groups, may_leave, rng).map(finished);
    let least = least(problem);
    if rotated.as_ref().is_some_and(|plan| plan.len() <= least) {
        return rotated;
    }
    let plans: Option<Vec<Plan>> =
        groups.iter().map(|group| own::plan(problem, group, rng)).collect();
    let own = plans.map(|plans| finished(together::plan(problem, &plans, rng)));
    let mut plan = rotated.into_iter().chain(own).min_by_key(Plan::len)?;
    plan.tidy();
    Some(plan)
}

/// All members through the ranks of their groups, and the other groups each by its own schedule.
fn rotated(
    problem: &Arc<Problem>,
    groups: &[Group],
    may_leave: usize,
    rng: &mut Rng,
) -> Option<Plan> {
    if problem.switching().stores() {
        return None;
    }
    let (even, others): (Vec<&Group>, Vec<&Group>) = groups.iter().partition(|g| g.is_exchange());
    let rotated = rotated::plan(problem, &even, may_leave, rng)?;
    if others.is_empty() {
        return Some(rotated);
    }
    let own = |group: &&Group| own::plan(problem, group, rng);
    let mut plans: Vec<Plan> = others.iter().map(own).collect::<Option<_>>()?;
    plans.push(rotated);
    Some(together::plan(problem, &plans, rng))
}

/// Steps that a terminal needs at least for what it receives, and for what it sends to one destination each.
fn least(problem: &Problem) -> usize {
    let vertices = problem.network().vertices().len();
    let (mut sent, mut received) = (vec![0_usize; vertices], vec![0_usize; vertices]);
    for d in problem.demands() {
        received[d.destination as usize] += 1;
        sent[d.source as usize] += usize::from(problem.collective().content().is_personal());
    }
    let steps = |v: usize| {
        let [out, into] = [problem.sends_at_once(v as u32), problem.receives_at_once(v as u32)];
        sent[v].div_ceil(out.max(1)).max(received[v].div_ceil(into.max(1)))
    };
    (0..vertices).map(steps).max().unwrap_or(0)
}
