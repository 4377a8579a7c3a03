//! Groups side by side: each alone needs as many steps as its own bounds say. (What they share is
//! counted by the bounds of ports, cuts and distances, message by message.)

use super::{Bound, Evidence, quick};
use ccsched_base::cores;
use ccsched_model::problem::{Groups, Problem};

/// Vertices and channels that are looked at for all groups together; of more groups the largest are
/// looked at.
const MOST_WORK: usize = 50_000_000;

/// The largest bound of each name among those of the groups.
pub fn alone(problem: &Problem, groups: &Groups) -> Vec<Bound> {
    let network = problem.network();
    let size = (network.vertices().len() + network.channels().len()).max(1);
    let members = groups.members();
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_key(|&group| std::cmp::Reverse(members[group].len()));
    // A bound of a group searches the network from each of its members.
    let mut left = MOST_WORK;
    let is_affordable = |&group: &usize| {
        let first = left == MOST_WORK;
        let cost = size.saturating_mul(members[group].len());
        left = left.saturating_sub(cost);
        first || left > 0
    };
    let some: Vec<usize> = order.into_iter().filter(is_affordable).collect();
    let of_group = |group: usize| {
        let bounds = problem.alone(group).map(|alone| quick(&alone)).unwrap_or_default();
        let wrap = move |bound: Bound| {
            let evidence = Evidence::Group(group, Box::new(bound.evidence));
            Bound { evidence, ..bound }
        };
        bounds.into_iter().map(wrap).collect::<Vec<Bound>>()
    };
    let mut best: Vec<Bound> = Vec::new();
    for bound in cores::each(some, of_group).into_iter().flatten() {
        match best.iter_mut().find(|b| b.name == bound.name) {
            Some(b) if b.steps < bound.steps => *b = bound,
            Some(_) => {}
            None => best.push(bound),
        }
    }
    best
}
