//! Along a tree of shortest paths, every vertex forwards the message first to the child whose
//! subtree takes longest; in a tree no order is better.

use crate::network::{ChannelId, VertexId};
use crate::problem::Problem;
use crate::schedule::Plan;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// The schedule.
pub fn plan(problem: &Problem) -> Plan {
    let (order, into) = tree(problem);
    let children = children(problem, &order, &into);
    let source = problem.demands[0].source;
    let mut plan = Plan::new(0);
    // By vertex, the first step in which it can send the message.
    let mut ready = vec![0; into.len()];
    for v in order.into_iter().filter(|&v| v == source || !children[v as usize].is_empty()) {
        for (place, &c) in children[v as usize].iter().enumerate() {
            let step = ready[v as usize] + place / sends(problem, v);
            ready[problem.network.channel(c).to as usize] = step + 1;
            plan.push(step, problem.demands[0].message, [c]);
        }
    }
    plan
}

/// The vertices in breadth-first order from the source, and the channel that reaches each.
fn tree(problem: &Problem) -> (Vec<VertexId>, Vec<Option<ChannelId>>) {
    let source = problem.demands[0].source;
    let mut into = vec![None; problem.network.vertices().len()];
    let mut order = Vec::new();
    let mut queue = VecDeque::from([source]);
    while let Some(v) = queue.pop_front() {
        order.push(v);
        for &c in problem.network.outgoing(v) {
            let to = problem.network.channel(c).to;
            if to != source && into[to as usize].is_none() {
                into[to as usize] = Some(c);
                queue.push_back(to);
            }
        }
    }
    (order, into)
}

/// By vertex, the channels over which it forwards the message: only to subtrees with a receiver,
/// and those that take longest first.
fn children(
    problem: &Problem,
    order: &[VertexId],
    into: &[Option<ChannelId>],
) -> Vec<Vec<ChannelId>> {
    let mut waits = vec![false; into.len()];
    problem.demands.iter().for_each(|d| waits[d.destination as usize] = true);
    let mut children = vec![Vec::new(); into.len()];
    // By vertex, the steps from its receipt of the message until all its subtree has it.
    let mut takes = vec![0; into.len()];
    for &v in order.iter().rev() {
        let end = |c: ChannelId| problem.network.channel(c).to as usize;
        let mine: &mut Vec<ChannelId> = &mut children[v as usize];
        mine.sort_by_key(|&c| Reverse(takes[end(c)]));
        let behind = (0..).zip(&*mine).map(|(i, &c)| i / sends(problem, v) + 1 + takes[end(c)]);
        takes[v as usize] = behind.max().unwrap_or(0);
        let is_needed = waits[v as usize] || !mine.is_empty();
        if let Some(c) = into[v as usize].filter(|_| is_needed) {
            children[problem.network.channel(c).from as usize].push(c);
        }
    }
    children
}

/// Number of messages that a vertex can send in a step.
fn sends(problem: &Problem, v: VertexId) -> usize {
    problem.sends_at_once(v).max(1)
}
