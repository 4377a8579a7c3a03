//! A schedule in less time where links differ in their delays: a step lasts as long as the longest of its paths, so
//! long links are put into the same steps. The largest delay of a step is lowered, and what no longer fits finds
//! another place by ejection (board.rs), over other ways too (ways.rs). A step more may pay where it makes others
//! shorter.

mod board;
mod ways;

use board::Board;
use ccsched_base::rng::rng_of;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use rand::RngExt as _;
use ways::Ways;

/// Places that are looked at in all attempts together, and attempts without gain that end the search.
const LOOKS: usize = 40_000_000;
const IDLE: usize = 300;
/// Moves without fewer waiting transfers that end an attempt: some, and some for each that waits.
const PATIENCE: (usize, usize) = (200, 20);
/// The probability of an attempt with a step more, and the most lowered steps of it.
const GROWS: f64 = 0.3;
const MOST_LOWERED: usize = 24;
/// The most transfers, and places in all steps.
const MOST_TRANSFERS: usize = 100_000;
const MOST_PLACES: usize = 20_000_000;

/// Why the steps of a schedule cannot be regrouped, if they cannot.
pub fn obstacle(problem: &Problem, plan: &Plan) -> Option<&'static str> {
    let transfers: usize = plan.steps().map(|step| step.len()).sum();
    let places: usize = problem.resources().capacities().iter().map(|&c| c as usize).sum();
    if !problem.is_plain() {
        return Some(
            "it is for collectives whose messages go apart, with wormhole or store-and-forward switching",
        );
    }
    let is_large = transfers > MOST_TRANSFERS || places.saturating_mul(plan.len()) > MOST_PLACES;
    is_large.then_some("the schedule is too large for it")
}

/// The schedule of less time; none if none was found. A step takes `of_step_ns` beside its longest path, a channel its
/// delay, and `least_ns` is what no schedule undercuts, all in nanoseconds.
pub fn regrouped(
    problem: &Problem,
    plan: &Plan,
    (of_step_ns, delays): (u64, &[u64]),
    (least_ns, seed): (u64, u64),
    is_over: &dyn Fn() -> bool,
) -> Option<Plan> {
    if obstacle(problem, plan).is_some() {
        return None;
    }
    let ways = Ways::of(problem, plan, delays);
    let (classes, mut rng) = (ways.delays(), rng_of(seed, 0, 0));
    let first = Board::of(&ways, problem.resources().capacities(), plan.len());
    let begin = first.total(of_step_ns);
    let (mut best, mut total) = (first, begin);
    let (mut left, mut idle) = (LOOKS, 0);
    while left > 0 && idle < IDLE && total > least_ns && !is_over() {
        idle += 1;
        let mut board = best.clone();
        let grows = rng.random_bool(GROWS);
        if grows {
            let before = rng.random_range(0..=board.most.len() as u32);
            board.insert(before, classes[rng.random_range(0..classes.len())]);
        }
        for _ in 0..if grows { MOST_LOWERED } else { 1 } {
            let mut next = board.clone();
            let step = rng.random_range(0..next.most.len() as u32);
            let lower = classes.partition_point(|&class| class < next.most[step as usize]);
            let in_step = next.delays_in(step);
            let target = match (rng.random_bool(0.5), in_step.len()) {
                (true, 2..) => Some(in_step[in_step.len() - 2]),
                _ => lower.checked_sub(1).map(|below| classes[rng.random_range(0..=below)]),
            };
            match target {
                Some(most) if next.lower(step, most) => (),
                // The step is as short as any: it goes.
                _ if next.most.len() > 1 && !in_step.is_empty() => next.remove(step),
                _ => continue,
            }
            let patience = PATIENCE.0 + PATIENCE.1 * next.waiting.len();
            if !next.settle(patience, &mut left, &mut rng) {
                continue;
            }
            board = next;
            let mut tight = board.clone();
            tight.tighten();
            let its = tight.total(of_step_ns);
            if its <= total {
                idle = if its < total { 0 } else { idle };
                (best, total) = (tight, its);
                break;
            }
        }
    }
    (total < begin).then(|| best.plan())
}
