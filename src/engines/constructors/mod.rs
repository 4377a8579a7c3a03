//! Constructors return a schedule at once where the structure of the problem gives one away, and a
//! walker that offers such a schedule before it begins to search.

mod all_gather;
mod exchange;
mod offer;
mod one_root;
mod one_to_all;
mod order;
mod router;

pub use offer::Offer;

use crate::engines::rng_of;
use crate::problem::Problem;
use crate::schedule::Plan;
use std::sync::Arc;

/// Islands use the purpose 0 of the generators of a seed, the master uses 1.
const PURPOSE: usize = 2;

/// A schedule that some constructor makes for the problem.
pub fn plan(problem: &Arc<Problem>, seed: u64) -> Option<Plan> {
    let rng = &mut rng_of(seed, 0, PURPOSE);
    one_to_all::plan(problem)
        .or_else(|| one_root::plan(problem))
        .or_else(|| all_gather::plan(problem, rng))
        .or_else(|| exchange::plan(problem, rng))
}
