//! How large a problem is: what `auto` does first, and with which search.

use crate::problem::Problem;

/// Deliveries, and vertices, from which on a problem is large.
const LARGE: (usize, usize) = (5_000, 400);
/// Deliveries from which on step packing and relay scheduling beat guided ejection.
const MANY: usize = 20_000;

/// Whether `auto` begins with a schedule at once, before bounds that take long and before any
/// search.
pub fn is_large(problem: &Problem) -> bool {
    problem.demands.len() >= LARGE.0 || problem.network.vertices().len() >= LARGE.1
}

/// Whether there are too many deliveries for searches that look at each of them often.
pub fn has_many_messages(problem: &Problem) -> bool {
    problem.demands.len() >= MANY
}
