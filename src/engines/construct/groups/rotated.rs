//! All members of all groups at once: in step t the member of rank i sends to that of rank i XOR t, or i + t modulo the
//! size of its group. A step is one set of pairs, in which a member sends and receives at most once; its paths are found
//! together. Groups that share a member follow each other. Those of one time need as many steps as the largest of them.
//!
//! Messages for all members go straight to each of them, so the steps are in any order.

use super::found::Group;
use crate::construct::closed::disjoint::Disjoint;
use crate::construct::closed::permutations::SCHEMES;
use crate::construct::order;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use std::collections::HashSet;

/// Rerouted paths of all searches, each weighed by the pairs of its step: about a second.
const LOOKS: usize = 20_000_000;

/// A message from one member to another, by their places in the list of all members.
type Sent = (MessageId, (usize, usize));

/// The schedule in which the fewest messages found no path in their step. Of messages with one destination each, these
/// are missing, if they are not more than `may_leave`; others follow in steps of their own.
pub fn plan(problem: &Problem, groups: &[&Group], may_leave: usize, rng: &mut Rng) -> Option<Plan> {
    let mut members: Vec<VertexId> = groups.iter().flat_map(|g| &g.members).copied().collect();
    members.sort_unstable();
    members.dedup();
    if members.is_empty() {
        return None;
    }
    let classes = classes(groups);
    let mut disjoint = Disjoint::new(problem, &members).within(LOOKS);
    let mut best: Option<Tried> = None;
    for order in order::candidates(problem.network(), &members) {
        let mut rank = vec![usize::MAX; members.len()];
        order.iter().enumerate().for_each(|(place, &member)| rank[member] = place);
        for scheme in 0..SCHEMES.len() {
            let steps = steps(&classes, &members, &rank, scheme);
            let tried = best.as_ref().map_or(may_leave + 1, |best| best.left.len());
            let Some(found) = routed(problem, &steps, &mut disjoint, tried, rng) else { continue };
            if found.left.is_empty() {
                return Some(found.plan);
            }
            best = Some(found);
        }
    }
    let Tried { mut plan, left } = best?;
    if problem.collective().content().is_common() {
        follow(&mut plan, left, &mut disjoint, rng);
    }
    Some(plan)
}

/// The transfers with a path in their step, and the others.
struct Tried {
    plan: Plan,
    left: Vec<Sent>,
}

/// The groups in classes, in each of which none share a member; the largest groups first, so that groups of about one
/// size are together.
fn classes<'g>(groups: &[&'g Group]) -> Vec<Vec<&'g Group>> {
    let mut groups = groups.to_vec();
    groups.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
    let mut classes: Vec<(Vec<&Group>, Vec<bool>)> = Vec::new();
    for group in groups {
        let last = *group.members.last().unwrap_or(&0) as usize;
        let is_free = |(_, taken): &&mut (Vec<&Group>, Vec<bool>)| {
            group.members.iter().all(|&v| !taken.get(v as usize).is_some_and(|&is| is))
        };
        let class = match classes.iter_mut().find(is_free) {
            Some(class) => class,
            None => {
                classes.push((Vec::new(), Vec::new()));
                let place = classes.len() - 1;
                &mut classes[place]
            }
        };
        class.0.push(group);
        class.1.resize(class.1.len().max(last + 1), false);
        group.members.iter().for_each(|&v| class.1[v as usize] = true);
    }
    classes.into_iter().map(|(class, _)| class).collect()
}

/// The messages of every step; ranks follow an order of all members.
fn steps(
    classes: &[Vec<&Group>],
    members: &[VertexId],
    rank: &[usize],
    scheme: usize,
) -> Vec<Vec<Sent>> {
    let mut steps: Vec<Vec<Sent>> = Vec::new();
    for class in classes {
        let first = steps.len();
        let longest = class.iter().map(|group| group.members.len()).max().unwrap_or(1);
        steps.resize_with(first + longest - 1, Vec::new);
        for group in class {
            let place = |v: &VertexId| members.partition_point(|other| other < v);
            let mut ranked: Vec<usize> = group.members.iter().map(place).collect();
            ranked.sort_unstable_by_key(|&member| rank[member]);
            let n = ranked.len();
            // An exclusive or stays among the ranks if they are a power of two.
            let scheme = SCHEMES[if n.is_power_of_two() { scheme } else { 1 }];
            for t in 1..n {
                let sent = |i: usize| {
                    let ends = (ranked[i], ranked[scheme(i, t, n)]);
                    Some((group.message(members[ends.0], members[ends.1])?, ends))
                };
                steps[first + t - 1].extend((0..n).filter_map(sent));
            }
        }
    }
    steps
}

/// The paths of all steps; none if as many messages as `tried` or more find none.
fn routed(
    problem: &Problem,
    steps: &[Vec<Sent>],
    disjoint: &mut Disjoint<'_>,
    tried: usize,
    rng: &mut Rng,
) -> Option<Tried> {
    let mut found = Tried { plan: Plan::new(steps.len() as u32), left: Vec::new() };
    // The last steps are the hardest: a scheme that does not work fails early.
    for (number, sent) in steps.iter().enumerate().rev() {
        let pairs: Vec<(usize, usize)> = sent.iter().map(|&(_, pair)| pair).collect();
        let needed = disjoint.channels(&pairs);
        if needed > problem.resources().capacity_of_links() {
            return None;
        }
        let paths = disjoint.most_paths(&pairs, rng);
        put(&mut found, number, sent, paths);
        if found.left.len() >= tried {
            return None;
        }
    }
    Some(found)
}

/// Adds the transfers of a step with their paths, and those without to the others.
fn put(found: &mut Tried, number: usize, sent: &[Sent], paths: Vec<Option<Vec<ChannelId>>>) {
    for (&(message, pair), path) in sent.iter().zip(paths) {
        match path {
            Some(path) => found.plan.push(number, message, path),
            None => found.left.push((message, pair)),
        }
    }
}

/// Messages in steps after the others.
fn follow(plan: &mut Plan, mut left: Vec<Sent>, disjoint: &mut Disjoint<'_>, rng: &mut Rng) {
    // Each member once in a step.
    while !left.is_empty() {
        let (mut senders, mut receivers) = (HashSet::new(), HashSet::new());
        let apart = |&(_, (from, to)): &Sent| {
            let are_free = !senders.contains(&from) && !receivers.contains(&to);
            are_free && senders.insert(from) && receivers.insert(to)
        };
        let (sent, later): (Vec<Sent>, Vec<Sent>) = left.into_iter().partition(apart);
        let pairs: Vec<(usize, usize)> = sent.iter().map(|&(_, pair)| pair).collect();
        let paths = disjoint.most_paths(&pairs, rng);
        let mut found = Tried { plan: std::mem::take(plan), left: later };
        let number = found.plan.len();
        put(&mut found, number, &sent, paths);
        (*plan, left) = (found.plan, found.left);
    }
}
