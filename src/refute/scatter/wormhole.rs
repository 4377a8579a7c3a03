//! Clauses of wormhole scatters: each message comes in one step over one walk. Separate variables
//! choose the step and the walk, so that what the solver learns about a walk holds in every step.

use super::walks::Walks;
use super::{Users, order};
use crate::problem::{Problem, ResourceId};
use crate::refute::clauses::Clauses;
use batsat::Lit;
use std::collections::BTreeMap;

/// Adds all clauses about the messages of a schedule of `steps` steps. Returns the uses of every
/// resource.
pub fn tell(problem: &Problem, steps: usize, all: &[Walks], clauses: &mut Clauses<'_>) -> Users {
    let comes = order::steps(problem, steps, all, clauses);
    let mut users = super::nobody(problem, steps);
    for (walks, comes) in all.iter().zip(&comes) {
        for (resource, takes) in takes(walks, clauses) {
            for (users, &comes) in users.iter_mut().zip(comes) {
                users[resource as usize].push(clauses.both(takes, comes));
            }
        }
    }
    users
}

/// Whether a demand's walk takes each of the resources that it may take.
fn takes(walks: &Walks, clauses: &mut Clauses<'_>) -> BTreeMap<ResourceId, Lit> {
    let mut hops_on: BTreeMap<ResourceId, Vec<Lit>> = BTreeMap::new();
    for (hop, literal) in walks.hops.iter().zip(hops(walks, clauses)) {
        for &resource in &hop.takes {
            hops_on.entry(resource).or_default().push(literal);
        }
    }
    let yes = clauses.yes();
    let mut takes: BTreeMap<ResourceId, Lit> = walks.at_ends.iter().map(|&r| (r, yes)).collect();
    for (resource, hops) in hops_on {
        let literal = if walks.needs(resource) { yes } else { clauses.either(&hops) };
        takes.insert(resource, literal);
    }
    takes
}

/// Whether each hop is on the demand's walk: one hop leaves the source, and after each hop to
/// another slot than the last a hop leaves that slot.
fn hops(walks: &Walks, clauses: &mut Clauses<'_>) -> Vec<Lit> {
    let mut into = vec![Vec::new(); walks.slots];
    let mut out_of = vec![Vec::new(); walks.slots];
    let mut literals = Vec::with_capacity(walks.hops.len());
    for hop in &walks.hops {
        let literal = clauses.variable();
        into[hop.to].push(literal);
        out_of[hop.from].push(literal);
        literals.push(literal);
    }
    let last = walks.slots - 1;
    clauses.any(&out_of[0]);
    clauses.any(&into[last]);
    for out in &out_of {
        clauses.at_most(1, out);
    }
    for (hop, &literal) in walks.hops.iter().zip(&literals) {
        if hop.from != 0 {
            clauses.implies(literal, &into[hop.from]);
        }
        if hop.to != last {
            clauses.implies(literal, &out_of[hop.to]);
        }
    }
    literals
}
