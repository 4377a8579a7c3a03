//! Clauses of wormhole scatters: each message comes in one step over one walk. Separate variables
//! choose the step and the walk, so that what the solver learns about a walk holds in every step.

use super::walks::Walks;
use super::{Users, order};
use crate::refute::clauses::Clauses;
use crate::refute::meaning::{Group, Meaning};
use batsat::Lit;
use ccsched_model::problem::{Problem, ResourceId};
use std::collections::BTreeMap;

/// Adds all clauses about the messages of a schedule of `steps` steps. Returns the uses of every
/// resource.
pub fn tell(problem: &Problem, steps: usize, all: &[Walks], clauses: &mut Clauses<'_>) -> Users {
    let comes = order::steps(problem, steps, all, clauses);
    let mut users = super::no_users(problem, steps);
    for (demand, (walks, comes)) in all.iter().zip(&comes).enumerate() {
        if clauses.are_given_up() {
            break;
        }
        for (resource, takes) in takes(problem, demand, walks, clauses) {
            for ((step, users), &comes) in users.iter_mut().enumerate().zip(comes) {
                let meaning = Meaning::TakesIn { demand, resource, step };
                users[resource as usize].push(clauses.both(takes, comes, meaning));
            }
        }
    }
    users
}

/// Whether a demand's walk takes each of the resources that it may take.
fn takes(
    problem: &Problem,
    demand: usize,
    walks: &Walks,
    clauses: &mut Clauses<'_>,
) -> BTreeMap<ResourceId, Lit> {
    let mut hops_on: BTreeMap<ResourceId, Vec<Lit>> = BTreeMap::new();
    for (hop, literal) in walks.hops.iter().zip(hops(problem, demand, walks, clauses)) {
        for &resource in &hop.takes {
            hops_on.entry(resource).or_default().push(literal);
        }
    }
    let yes = clauses.yes();
    let mut takes: BTreeMap<ResourceId, Lit> = walks.at_ends.iter().map(|&r| (r, yes)).collect();
    for (resource, hops) in hops_on {
        let literal = match walks.needs(resource) {
            true => yes,
            false => clauses.either(&hops, Meaning::Takes { demand, resource }),
        };
        takes.insert(resource, literal);
    }
    takes
}

/// Whether each hop is on the demand's walk: one hop leaves the source, and after each hop to
/// another slot than the last a hop leaves that slot.
fn hops(problem: &Problem, demand: usize, walks: &Walks, clauses: &mut Clauses<'_>) -> Vec<Lit> {
    let (slots, made) = (walks.places(problem), walks.hops_before());
    let mut into = vec![Vec::new(); walks.slots];
    let mut out_of = vec![Vec::new(); walks.slots];
    let mut literals = Vec::with_capacity(walks.hops.len());
    for hop in &walks.hops {
        let made = made[hop.from].unwrap_or(0);
        let literal = clauses.variable(Meaning::Hop { demand, made, channel: hop.channel });
        into[hop.to].push(literal);
        out_of[hop.from].push(literal);
        literals.push(literal);
    }
    let last = walks.slots - 1;
    clauses.any(&out_of[0]);
    clauses.any(&into[last]);
    for (out, &slot) in out_of.iter().zip(&slots) {
        clauses.at_most(1, out, Group::Out(demand, slot));
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
