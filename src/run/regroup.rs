//! A schedule of the fewest steps that is found becomes one of less time, where links differ in their delays: its
//! transfers over long links are put together (engines/regroup).

use crate::islands::{Solution, StopCondition};
use ccsched_bounds as bounds;
use ccsched_engines::regroup::{obstacle, regrouped};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::{Plan, TimeModel};
use ccsched_verify::verify;
use serde::Serialize;

/// Beyond as many nanoseconds a step is not told from one that takes as long.
const MOST_NS: f64 = 1e12;

/// What it has gained.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Regrouped {
    /// Microseconds of the schedule before.
    pub before_us: f64,
    /// Those after.
    pub after_us: f64,
    /// Steps before.
    pub steps_before: usize,
}

/// Whether the steps of a problem may differ in their time although its messages are alike: by the delays of links,
/// or by the lengths of paths that transfers hold.
pub fn differ(problem: &Problem, model: &TimeModel) -> bool {
    let by_length = model.hop_us > 0.0 && problem.switching().holds_paths();
    problem.lengths().is_none() && (problem.network().has_delays() || by_length)
}

/// Puts a schedule of less time in place of that of a solution; what was gained, if anything was. `model` is that of
/// whole messages.
///
/// # Errors
/// Why the schedule cannot be regrouped.
pub fn regroup(
    solution: &mut Solution,
    model: &TimeModel,
    stop: StopCondition<'_>,
) -> Result<Option<Regrouped>, &'static str> {
    let (Some(plan), problem) = (solution.plan.clone(), solution.problem.clone()) else {
        return Ok(None);
    };
    if let Some(why) = obstacle(&problem, &plan) {
        return Err(why);
    }
    let model = model.of_pieces(problem.pieces());
    let ns = |us: f64| (us * 1e3).clamp(0.0, MOST_NS).round() as u64;
    let of_step_ns = ns(model.step_along_us(0.0, None));
    let delays = problem.network().delays_in_ns(ns(model.hop_us));
    let least = solution.bounds.first().map_or(1, |bound| bound.steps);
    let least_ns = bounds::delays::of_steps(&problem, &delays, least)
        .saturating_add(of_step_ns.saturating_mul(u64::from(least)));
    let time_us = |plan: &Plan| plan.time_us(problem.network(), &model, None);
    let is_over = || stop.cuts().is_some();
    let cost = (of_step_ns, &delays[..]);
    let found = regrouped(&problem, &plan, cost, (least_ns, solution.search.seed), &is_over);
    let Some(found) = found.filter(|found| time_us(found) < time_us(&plan)) else {
        return Ok(None);
    };
    // No schedule is shown unverified, and the one before is valid.
    if let Some(why) = verify(&found.record(&problem, &[], Provenance::default())).first() {
        log::error!("internal error, please report it: the regrouped schedule: {why}");
        return Ok(None);
    }
    let told = Regrouped {
        before_us: time_us(&plan),
        after_us: time_us(&found),
        steps_before: plan.len(),
    };
    solution.finish_by_ejection(found);
    Ok(Some(told))
}
