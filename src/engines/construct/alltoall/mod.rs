//! Total exchanges, where everybody sends everybody else a message of its own, by wormhole switching:
//! on networks of some structure every step is known beforehand.

mod affine;
mod disjoint;
mod draft;
mod hypercube;
mod permutations;
mod ring;
mod torus;

use crate::problem::Problem;
use crate::rng::Rng;
use crate::schedule::Plan;
use std::sync::Arc;

/// Lines of an affine plane, on balanced dragonflies.
pub fn affine(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    total(problem).and_then(affine::plan)
}

/// Complementary sets of dimensions, on hypercubes.
pub fn hypercube(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    total(problem).and_then(hypercube::plan)
}

/// Opposite messages, on two-dimensional tori.
pub fn torus(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    total(problem).and_then(torus::plan)
}

/// Opposite messages or pairs of vertices, on rings.
pub fn ring(problem: &Arc<Problem>, _: &mut Rng) -> Option<Plan> {
    total(problem).and_then(ring::plan)
}

/// A permutation a step, where the network passes it.
pub fn permutations(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    total(problem).and_then(|problem| permutations::plan(problem, rng))
}

/// The problem, if it is a total exchange.
fn total(problem: &Problem) -> Option<&Problem> {
    draft::is_total(problem).then_some(problem)
}
