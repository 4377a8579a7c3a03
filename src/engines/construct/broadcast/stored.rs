//! Along a tree of shortest paths, every vertex forwards the message first to the child whose
//! subtree takes longest; in a tree no order is better. With limited ports the tree may be a better one that
//! grows step by step.

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
    let grown = grown(problem, &takes);
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

// A tree that grows step by step, where vertices send few messages at once: in every step each vertex that has
// the message informs neighbours that lack it. On dense networks the message is at twice as many vertices after
// every step, while along a tree of shortest paths the source alone would inform all its neighbours.
//
// Vertices with the longest way behind them are informed first, by the neighbour that has the fewest others to inform.

/// Number of messages that a vertex can send in a step.
fn sends(problem: &Problem, v: VertexId) -> usize {
    problem.sends_at_once(v).max(1)
}

/// The schedule; `takes` has for each needed vertex the steps that it takes behind it. Paths from
/// the source to needed vertices pass needed vertices only.
fn grown(problem: &Problem, takes: &[Option<usize>]) -> Plan {
    let source = problem.demands()[0].source;
    let mut growth = Growth::new(problem, takes);
    growth.has[source as usize] = true;
    growth.spread(source);
    let mut grown = Plan::new(0);
    for step in 0.. {
        let informed = growth.step(|c| grown.push(step, problem.demands()[0].message, [c]));
        if informed.is_empty() {
            break;
        }
        informed.into_iter().for_each(|v| growth.spread(v));
    }
    grown
}

struct Growth<'p> {
    problem: &'p Problem,
    takes: &'p [Option<usize>],
    has: Vec<bool>,
    /// By vertex, the channels to vertices that are needed and lack the message.
    open: Vec<usize>,
    /// Vertices that lack the message and have a neighbour that has it.
    next: Vec<VertexId>,
    is_next: Vec<bool>,
    /// By vertex, the messages that it can still send in this step; 0 before it has the message.
    room: Vec<usize>,
}

impl<'p> Growth<'p> {
    fn new(problem: &'p Problem, takes: &'p [Option<usize>]) -> Self {
        let network = problem.network();
        let vertices = 0..network.vertices().len() as VertexId;
        let is_open = |&&c: &&ChannelId| takes[network.channel(c).to as usize].is_some();
        let open = vertices.map(|v| network.outgoing(v).iter().filter(is_open).count()).collect();
        let none = vec![false; takes.len()];
        let (has, is_next, room) = (none.clone(), none, vec![0; takes.len()]);
        Growth { problem, takes, has, open, next: Vec::new(), is_next, room }
    }

    /// A vertex can inform others from now on.
    fn spread(&mut self, v: VertexId) {
        let network = self.problem.network();
        if self.takes[v as usize].is_some() {
            let incoming = network.incoming(v).iter();
            incoming.for_each(|&c| self.open[network.channel(c).from as usize] -= 1);
        }
        for to in network.heads(v) {
            let is_needed = self.takes[to as usize].is_some() && !self.has[to as usize];
            if is_needed && !std::mem::replace(&mut self.is_next[to as usize], true) {
                self.next.push(to);
            }
        }
    }

    /// Calls `send` with the channels of a step; the vertices at their ends.
    fn step(&mut self, mut send: impl FnMut(ChannelId)) -> Vec<VertexId> {
        let network = self.problem.network();
        let mut able = 0;
        for v in (0..self.has.len()).filter(|&v| self.has[v] && self.open[v] > 0) {
            self.room[v] = sends(self.problem, v as VertexId);
            able += 1;
        }
        let takes = self.takes;
        self.next.sort_by_key(|&v| Reverse(takes[v as usize]));
        let mut informed = Vec::new();
        for &v in &self.next {
            if able == 0 {
                break;
            }
            let from = |c: ChannelId| network.channel(c).from as usize;
            let incoming = network.incoming(v).iter().copied();
            let ways = incoming.filter(|&c| self.room[from(c)] > 0);
            let Some(c) = ways.min_by_key(|&c| self.open[from(c)]) else { continue };
            self.room[from(c)] -= 1;
            able -= usize::from(self.room[from(c)] == 0);
            send(c);
            informed.push(v);
        }
        for &v in &informed {
            (self.has[v as usize], self.is_next[v as usize]) = (true, false);
        }
        let is_next = &self.is_next;
        self.next.retain(|&v| is_next[v as usize]);
        informed
    }
}

#[cfg(test)]
mod tests {
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;

    #[test]
    fn the_message_is_at_twice_as_many_vertices_after_each_step() {
        let networks = [
            ("complete:33", 1, 6),
            ("complete:27", 2, 3),
            ("hypercube:6", 1, 6),
            ("full-binary-tree:31", 1, 8),
            ("slim-fly:5", 1, 6),
        ];
        for (topology, ports, steps) in networks {
            let switching = Switching::StoreAndForward;
            let ports = Ports(Some(ports));
            let request = Request { switching, ports, ..Request::new(Collective::Oab) };
            let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
            let mut grown = super::plan(&problem);
            grown.tidy();
            let file = grown.record(&problem, &[], Provenance::default());
            assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
            assert_eq!(grown.len(), steps, "{topology}");
        }
    }
}
