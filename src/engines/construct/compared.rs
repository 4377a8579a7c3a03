//! Schedules of constructors compared with first fit: what rows within some percent of a bound and reductions lose depends
//! on the network, and first fit loses less on some.

use super::{FIRST_FIT, first_fit};
use crate::Method;
use crate::policy;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

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
