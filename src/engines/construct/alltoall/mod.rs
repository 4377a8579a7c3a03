//! Total exchanges, where everybody sends everybody else a message of its own, by wormhole switching:
//! on networks of some structure every step is known beforehand. The constructors use each link once a
//! step, or as often as it is wider than the narrowest; where all links are wide, steps are merged.

mod affine;
mod disjoint;
mod draft;
mod hypercube;
mod merge;
mod permutations;
mod ring;
mod torus;

use crate::problem::Problem;
use crate::rng::Rng;
use crate::schedule::Plan;

/// A schedule, if some constructor has one.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    if !draft::is_total(problem) {
        return None;
    }
    affine::plan(problem)
        .or_else(|| hypercube::plan(problem))
        .or_else(|| torus::plan(problem))
        .or_else(|| ring::plan(problem))
        .or_else(|| permutations::plan(problem, rng))
        .map(|plan| merge::merged(problem, plan))
}
