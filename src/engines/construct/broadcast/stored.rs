//! Along a tree of shortest paths, every vertex forwards the message first to the child whose
//! subtree takes longest; in a tree no order is better. With limited ports the tree may be a better one that
//! grows step by step.

use super::grown::{self, sends};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use std::cmp::Reverse;
use std::collections::VecDeque;

/// The schedule.
pub fn plan(problem: &Problem) -> Plan {
    let (order, into) = tree(problem);
    let (children, takes) = children(problem, &order, &into);
    let along = along(problem, &order, &children);
    if problem.ports().0.is_none() {
        return along;
    }
    let grown = grown::plan(problem, &takes);
    if grown.len() < along.len() { grown } else { along }
}

/// The schedule along the tree.
fn along(problem: &Problem, order: &[VertexId], children: &[Vec<ChannelId>]) -> Plan {
    let source = problem.demands()[0].source;
    let mut plan = Plan::new(0);
    // By vertex, the first step in which it can send the message.
    let mut ready = vec![0; children.len()];
    for &v in order.iter().filter(|&&v| v == source || !children[v as usize].is_empty()) {
        for (place, &c) in children[v as usize].iter().enumerate() {
            let step = ready[v as usize] + place / sends(problem, v);
            ready[problem.network().channel(c).to as usize] = step + 1;
            plan.push(step, problem.demands()[0].message, [c]);
        }
    }
    plan
}

/// The vertices in breadth-first order from the source, and the channel that reaches each.
fn tree(problem: &Problem) -> (Vec<VertexId>, Vec<Option<ChannelId>>) {
    let source = problem.demands()[0].source;
    let mut into = vec![None; problem.network().vertices().len()];
    let mut order = Vec::new();
    let mut queue = VecDeque::from([source]);
    while let Some(v) = queue.pop_front() {
        order.push(v);
        for &c in problem.network().outgoing(v) {
            let to = problem.network().channel(c).to;
            if to != source && into[to as usize].is_none() {
                into[to as usize] = Some(c);
                queue.push_back(to);
            }
        }
    }
    (order, into)
}

/// By vertex, the channels over which it forwards the message: only to subtrees with a receiver,
/// and those that take longest first. Beside them, by vertex that is needed, the steps from its receipt of the
/// message until all its subtree has it.
fn children(
    problem: &Problem,
    order: &[VertexId],
    into: &[Option<ChannelId>],
) -> (Vec<Vec<ChannelId>>, Vec<Option<usize>>) {
    let mut waits = vec![false; into.len()];
    problem.demands().iter().for_each(|d| waits[d.destination as usize] = true);
    let mut children = vec![Vec::new(); into.len()];
    let mut takes = vec![None; into.len()];
    for &v in order.iter().rev() {
        let end = |c: ChannelId| problem.network().channel(c).to as usize;
        let mine: &mut Vec<ChannelId> = &mut children[v as usize];
        mine.sort_by_key(|&c| Reverse(takes[end(c)]));
        let takes_behind = |c: ChannelId| takes[end(c)].unwrap_or(0);
        let behind = (0..).zip(&*mine).map(|(i, &c)| i / sends(problem, v) + 1 + takes_behind(c));
        let behind = behind.max().unwrap_or(0);
        let is_needed = waits[v as usize] || !mine.is_empty();
        takes[v as usize] = is_needed.then_some(behind);
        if let Some(c) = into[v as usize].filter(|_| is_needed) {
            children[problem.network().channel(c).from as usize].push(c);
        }
    }
    (children, takes)
}
