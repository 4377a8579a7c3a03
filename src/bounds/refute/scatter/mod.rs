//! Scatters, gathers and any other traffic: every demand has a message of its own.

mod order;
mod stored;
mod tight;
mod walks;
mod wormhole;

use super::clauses::Clauses;
use super::meaning::Group;
use batsat::Lit;
use ccsched_model::problem::{Problem, Switching};
use walks::Walks;

/// By step and resource, the literals of its uses.
type Users = Vec<Vec<Vec<Lit>>>;

/// No uses yet.
fn no_users(problem: &Problem, steps: usize) -> Users {
    vec![vec![Vec::new(); problem.resources().capacities().len()]; steps]
}

/// Approximate number of variables for schedules of `steps` steps; counting stops above `most`.
pub fn variables(problem: &Problem, steps: u32, most: usize) -> usize {
    let steps = steps as usize;
    if problem.demands().len().saturating_mul(steps) > most {
        return usize::MAX;
    }
    // In each step, each hop is a variable or takes a resource that is one.
    let Some(all) = Walks::all(problem, most / steps.max(1), &|| false) else { return usize::MAX };
    all.iter().map(|walks| (walks.hops.len() + 1) * steps).sum()
}

/// Adds all clauses about schedules of `steps` steps.
pub fn tell(problem: &Problem, steps: u32, clauses: &mut Clauses<'_>) {
    let Some(mut all) = Walks::all(problem, usize::MAX, &|| clauses.are_given_up()) else {
        return;
    };
    let Some(full) = tight::tighten(problem, steps, &mut all, clauses) else {
        // The messages need more than the steps can carry.
        clauses.any(&[]);
        return;
    };
    let users = match problem.switching() {
        Switching::Wormhole | Switching::Hosts => {
            wormhole::tell(problem, steps as usize, &all, clauses)
        }
        Switching::StoreAndForward => stored::tell(problem, steps as usize, &all, clauses),
    };
    for (step, users) in users.iter().enumerate() {
        let capacities = problem.resources().capacities();
        for (((resource, users), &capacity), &is_full) in
            (0..).zip(users).zip(capacities).zip(&full)
        {
            clauses.at_most(capacity as usize, users, Group::Users(resource, step));
            if is_full {
                clauses.at_least(capacity as usize, users, Group::Full(resource, step));
            }
        }
    }
}
