//! When to try to prove that nothing better is left to seek: after so many iterations without a
//! better schedule, first with few conflicts, later with more. All of it depends on iterations and
//! conflicts alone, so it is the same on threads and on ranks.

use crate::problem::Problem;
use crate::refute::{Verdict, is_worthwhile, refute};

/// Iterations without success, and the conflicts that an attempt may then take.
const ATTEMPTS: [(u64, u64); 3] = [(200, 2_000), (2_000, 20_000), (20_000, 200_000)];

/// Whether after `quiet` iterations without success, the last `exchange_every` of them since this
/// was last asked, an attempt is due that shows that no schedule has `steps` steps.
pub fn shows(
    problem: &Problem,
    steps: u32,
    (quiet, exchange_every): (u64, u64),
    stop: &dyn Fn() -> bool,
) -> bool {
    let is_due = |&&(after, _): &&(u64, u64)| quiet >= after && quiet - after < exchange_every;
    let Some(&(_, conflicts)) = ATTEMPTS.iter().find(is_due) else { return false };
    if steps == 0 || !is_worthwhile(problem, steps) {
        return false;
    }
    let verdict = refute(problem, steps, conflicts, stop);
    log::debug!("schedules of {steps} steps, {conflicts} conflicts: {verdict:?}");
    verdict == Verdict::Impossible
}
