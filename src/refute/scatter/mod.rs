//! Scatters, gathers and any other traffic: every demand has a message of its own.

mod order;
mod stored;
mod tight;
mod walks;
mod wormhole;

use super::clauses::Clauses;
use crate::problem::{Problem, Switching};
use batsat::Lit;
use walks::Walks;

/// By step and resource, who uses it.
type Users = Vec<Vec<Vec<Lit>>>;

/// Users of everything, none so far.
fn nobody(problem: &Problem, steps: usize) -> Users {
    vec![vec![Vec::new(); problem.resources.capacities().len()]; steps]
}

/// About how many variables it takes to tell of schedules of so many steps; counting ends beyond `most`.
pub fn variables(problem: &Problem, steps: u32, most: usize) -> usize {
    let steps = steps as usize;
    if problem.demands.len().saturating_mul(steps) > most {
        return usize::MAX;
    }
    // Each hop is a variable in each step, or takes something that is.
    let Some(all) = Walks::all(problem, most / steps.max(1)) else { return usize::MAX };
    all.iter().map(|walks| (walks.hops.len() + 1) * steps).sum()
}

/// Tells all about schedules of so many steps.
pub fn tell(problem: &Problem, steps: u32, clauses: &mut Clauses<'_>) {
    let Some(mut all) = Walks::all(problem, usize::MAX) else { return };
    let Some(full) = tight::tighten(problem, steps, &mut all) else {
        // More is to be carried than so many steps can carry.
        clauses.any(&[]);
        return;
    };
    let users = match problem.switching {
        Switching::Wormhole => wormhole::tell(problem, steps as usize, &all, clauses),
        Switching::StoreAndForward => stored::tell(problem, steps as usize, &all, clauses),
    };
    for users in &users {
        for ((users, &capacity), &is_full) in
            users.iter().zip(problem.resources.capacities()).zip(&full)
        {
            clauses.at_most(capacity as usize, users);
            if is_full {
                clauses.at_least(capacity as usize, users);
            }
        }
    }
}
