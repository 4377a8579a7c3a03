//! Constructors return a schedule at once where the structure of the problem gives one away, and a
//! walker that offers such a schedule before it begins to search.

mod allgather;
mod alltoall;
mod broadcast;
mod order;
mod router;
mod stored_scatter;

use crate::problem::Problem;
use crate::rng::rng_of;
use crate::schedule::Plan;
use std::sync::Arc;

/// Islands use the purpose 0 of the generators of a seed, the master uses 1.
const PURPOSE: usize = 2;

/// A schedule that some constructor makes for the problem.
pub fn plan(problem: &Arc<Problem>, seed: u64) -> Option<Plan> {
    let rng = &mut rng_of(seed, 0, PURPOSE);
    broadcast::plan(problem)
        .or_else(|| stored_scatter::plan(problem))
        .or_else(|| allgather::plan(problem, rng))
        .or_else(|| alltoall::plan(problem, rng))
}
