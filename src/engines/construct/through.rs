//! Constructions through reductions: constructors, or further reductions, make a schedule of the inner problem, and what
//! the way back drops is re-inserted by first fit; then the steps that this adds are dissolved as far as possible.

use super::recoloured::recoloured;
use super::row::Guarantee::AtBound;
use super::row::Posed;
use super::{FIRST_FIT, Row, first_fit, rows, sorted};
use crate::reduce::Reducer;
use crate::{Method, policy};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// Schedules of the inner problem of which the one that the way back leaves the fewest messages of is taken.
const MOST_TRIED: usize = 2;

/// The schedule of a problem through a reduction, if that applies, and the method.
pub fn through(reducer: &Reducer, problem: &Arc<Problem>, rng: &Rng) -> Option<(Plan, Method)> {
    through_to(u32::MAX, reducer, problem, rng)
}

/// The same, of a schedule of the inner problem that is compared with first fit if it leads to more than `least` steps and
/// all of its messages are carried back.
pub fn through_to(
    least: u32,
    reducer: &Reducer,
    problem: &Arc<Problem>,
    rng: &Rng,
) -> Option<(Plan, Method)> {
    let reduction = (reducer.of)(problem)?;
    let (inner, may_leave) = (reduction.inner(), reduction.may_leave());
    let least = if may_leave == 0 { reduction.steps(least) } else { u32::MAX };
    let compared = |made| compared(made, (inner, least), rng);
    // The fewest messages left, the schedule without them, and the method of the inner one.
    let mut best: Option<(usize, Plan, Method)> = None;
    let mut tried = 0;
    let mut suffices = |(plan, method): (Plan, Method)| {
        let plan = reduction.plan(plan);
        let left = left(problem, &plan);
        if left <= may_leave && best.as_ref().is_none_or(|(least, ..)| left < *least) {
            best = Some((left, plan, method));
        }
        tried += 1;
        left == 0 || tried == MOST_TRIED
    };
    let (proven, _) = sorted(&rows());
    let posed = &Posed::new(inner);
    let of_row = |row: &Row| {
        let made = row.made(posed, rng)?;
        Some(if row.guarantee == AtBound { made } else { compared(made) })
    };
    let through_other = |other| through_to(least, other, inner, rng).map(compared);
    let mut is_over = proven.iter().any(|row| of_row(row).is_some_and(&mut suffices));
    for other in reducer.over {
        is_over = is_over || through_other(other).is_some_and(&mut suffices);
    }
    if reducer.fits && !is_over {
        FIRST_FIT.made(posed, rng).map(&mut suffices);
    }
    let (left, plan, method) = best?;
    let method = reduction.method(method);
    if left == 0 {
        return Some((plan, method));
    }
    let steps = plan.len();
    let plan = first_fit::completed(problem, plan);
    Some((recoloured(problem, plan, steps), method))
}

/// The messages that a schedule lacks: of a scatter by wormhole switching, because no other way back
/// drops any.
fn left(problem: &Problem, plan: &Plan) -> usize {
    if problem.switching().stores() || problem.collective().content().is_common() {
        return 0;
    }
    problem.demands().len() - plan.steps().map(|step| step.len()).sum::<usize>()
}

// Schedules of constructors compared with first fit: what rows within some percent of a bound and reductions lose depends
// on the network, and first fit loses less on some.

/// A schedule, or that of first fit if it is shorter. First fit is not asked if the schedule is its own or of the `least`
/// steps that are known to be needed, or where the policy is not to wait for it.
pub fn compared(
    (plan, method): (Plan, Method),
    (problem, least): (&Arc<Problem>, u32),
    rng: &Rng,
) -> (Plan, Method) {
    let first_fit = Method::Construction(FIRST_FIT.name.into());
    if method == first_fit || !policy::compares(problem, plan.len(), least) {
        return (plan, method);
    }
    match first_fit::plan(problem, &mut rng.clone()) {
        Some(fitted) if fitted.len() < plan.len() => (fitted, first_fit),
        _ => (plan, method),
    }
}
