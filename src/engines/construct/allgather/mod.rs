//! All-to-all broadcasts: trees that a group of automorphisms maps to each other, a ring along which
//! all messages are passed on, or gossip.

mod gossip;
mod ring;
mod translates;

use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// Trees that a group of automorphisms maps to each other.
pub fn translates(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    translates::plan(problem, rng)
}

/// A ring of terminals along which all messages are passed on.
pub fn ring(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    ring::plan(problem, rng)
}

/// Channels that carry what their ends lack.
pub fn gossip(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    gossip::plan(problem, rng)
}
