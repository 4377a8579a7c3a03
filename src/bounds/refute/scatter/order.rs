//! Symmetry breaking: wormhole steps are interchangeable, and so are messages of one pair; of all
//! schedules that differ only in that, one is enough. With the demands in a fixed order, it is the
//! one whose steps, demand by demand, are lexicographically first: each demand comes in a step of
//! an earlier demand or in the first unused step, and of two demands of one pair the second comes
//! no earlier than the first. The order begins with a greedily found set of demands of which no two
//! fit in one step: the solver then knows their steps.

use super::walks::Walks;
use crate::refute::clauses::Clauses;
use crate::refute::meaning::{Group, Meaning};
use batsat::Lit;
use ccsched_model::problem::{Problem, ResourceId};
use std::cmp::Reverse;

/// By demand and step: whether its message comes in that step. The clauses hold in one schedule of
/// each class of equivalent ones.
pub fn steps(
    problem: &Problem,
    steps: usize,
    all: &[Walks],
    clauses: &mut Clauses<'_>,
) -> Vec<Vec<Lit>> {
    let mut comes = vec![Vec::new(); all.len()];
    // By step, whether an earlier demand comes in it.
    let mut taken = vec![clauses.no(); steps];
    let order = order(problem, all, &|| clauses.are_given_up());
    if let Some(record) = clauses.record() {
        record.order.clone_from(&order);
    }
    for (place, &demand) in order.iter().enumerate() {
        if clauses.are_given_up() {
            return comes;
        }
        let line: Vec<Lit> = (0..steps)
            .map(|step| match step > place {
                true => clauses.no(),
                false => clauses.variable(Meaning::Step { demand, step }),
            })
            .collect();
        clauses.any(&line);
        clauses.at_most(1, &line, Group::Steps(demand));
        for step in 1..steps.min(place + 1) {
            clauses.implies(line[step], &[taken[step - 1]]);
        }
        for (step, &literal) in line.iter().enumerate().take(place + 1) {
            let before = taken[step];
            taken[step] = clauses.variable(Meaning::Taken { place, step });
            clauses.implies(taken[step], &[before, literal]);
        }
        comes[demand] = line;
    }
    let ends = |d: usize| (problem.demands()[d].source, problem.demands()[d].destination);
    let mut by_ends = order;
    // Stable: demands of one pair keep their order.
    by_ends.sort_by_key(|&d| ends(d));
    for pair in by_ends.windows(2).filter(|pair| ends(pair[0]) == ends(pair[1])) {
        tell_order(&comes[pair[0]], &comes[pair[1]], clauses);
    }
    comes
}

/// The second comes in the step of the first or in a later one.
fn tell_order(first: &[Lit], second: &[Lit], clauses: &mut Clauses<'_>) {
    for (step, &literal) in second.iter().enumerate() {
        clauses.implies(literal, &first[..=step]);
    }
}

/// Demands that exclude each other first, then the others; among these, demands that need the most
/// resources first.
fn order(problem: &Problem, all: &[Walks], stop: &dyn Fn() -> bool) -> Vec<usize> {
    let needs: Vec<Vec<ResourceId>> = all.iter().map(|walks| needed(problem, walks)).collect();
    let mut by_resource = vec![Vec::new(); problem.resources().capacities().len()];
    for (demand, needs) in needs.iter().enumerate() {
        needs.iter().for_each(|&r| by_resource[r as usize].push(demand));
    }
    // Of equals the first.
    let mut order = by_resource.into_iter().min_by_key(|d| Reverse(d.len())).unwrap_or_default();
    let mut others: Vec<usize> = (0..all.len()).filter(|d| !order.contains(d)).collect();
    others.sort_by_key(|&d| (Reverse(needs[d].len()), all[d].hops.len()));
    let conflict = |a: usize, b: usize| needs[a].iter().any(|r| needs[b].contains(r));
    others.retain(|&d| {
        let fits = !stop() && order.iter().all(|&member| conflict(d, member));
        if fits {
            order.push(d);
        }
        !fits
    });
    order.extend(others);
    order
}

/// The resources of capacity 1 that every walk of a demand takes.
fn needed(problem: &Problem, walks: &Walks) -> Vec<ResourceId> {
    let mut found = walks.at_ends.clone();
    found.extend(walks.hops.iter().flat_map(|hop| &hop.takes));
    found.sort_unstable();
    found.dedup();
    let capacities = problem.resources().capacities();
    found.retain(|&r| capacities[r as usize] == 1 && walks.needs(r));
    found
}
