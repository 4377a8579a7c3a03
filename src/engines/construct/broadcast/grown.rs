//! A tree that grows step by step, where vertices send few messages at once: in every step each vertex that has
//! the message informs neighbours that lack it. On dense networks the message is at twice as many vertices after
//! every step, while along a tree of shortest paths the source alone would inform all its neighbours.
//!
//! Vertices with the longest way behind them are informed first, by the neighbour that has the fewest others to inform.

use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use std::cmp::Reverse;

/// Number of messages that a vertex can send in a step.
pub(super) fn sends(problem: &Problem, v: VertexId) -> usize {
    problem.sends_at_once(v).max(1)
}

/// The schedule; `takes` has for each needed vertex the steps that it takes behind it. Paths from
/// the source to needed vertices pass needed vertices only.
pub fn plan(problem: &Problem, takes: &[Option<usize>]) -> Plan {
    let source = problem.demands()[0].source;
    let mut growth = Growth::new(problem, takes);
    growth.has[source as usize] = true;
    growth.spread(source);
    let mut plan = Plan::new(0);
    for step in 0.. {
        let informed = growth.step(|c| plan.push(step, problem.demands()[0].message, [c]));
        if informed.is_empty() {
            break;
        }
        informed.into_iter().for_each(|v| growth.spread(v));
    }
    plan
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
    use super::super::stored;
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
            let mut plan = stored::plan(&problem);
            plan.tidy();
            let file = plan.record(&problem, &[], Provenance::default());
            assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
            assert_eq!(plan.len(), steps, "{topology}");
        }
    }
}
