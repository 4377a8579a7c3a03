//! Halving: the terminals in the depth-first order of a tree whose root is the source. A vertex that
//! has the message is the first of an interval, and sends to the vertex in the middle of it, which
//! takes the second half. So the number of those that have it doubles in every step. No two of these
//! paths share a directed channel: a subtree is an interval of the order, so if paths of two disjoint
//! intervals left it, or entered it, one of the intervals would lie within the other.
//!
//! The tree is the network, if that is one, or a tree of shortest paths from some vertex. Then a path
//! may be longer than routing allows, and another tree is tried.

use ccsched_model::problem::{Problem, Routing};
use ccsched_model::schedule::Plan;
use ccsched_network::metrics::{UNREACHABLE, distances_from, distances_from_any};
use ccsched_network::{ChannelId, Network, VertexId};
use std::collections::VecDeque;
use std::ops::Range;

/// Trees that are tried.
const TREES: usize = 4;

/// The schedule of the first tree whose paths are allowed; none on half-duplex links.
pub fn plan(problem: &Problem) -> Option<Plan> {
    let network = problem.network();
    if network.channels().iter().any(|c| c.exclusive || c.reverse.is_none()) {
        return None;
    }
    roots(problem).into_iter().find_map(|root| Halving::on(problem, root)?.plan())
}

/// Roots of trees: vertices far from all that take part, such as switches of the highest level, and the
/// source.
fn roots(problem: &Problem) -> Vec<VertexId> {
    let (network, source) = (problem.network(), problem.demands()[0].source);
    if is_tree(network) {
        return vec![source];
    }
    let members = problem.demands().iter().map(|d| d.destination).chain([source]).collect();
    let height = distances_from_any(network, members);
    let mut roots: Vec<VertexId> = (0..height.len() as VertexId).collect();
    roots.retain(|&v| height[v as usize] != UNREACHABLE && v != source);
    // The first of equals.
    roots.sort_by_key(|&v| std::cmp::Reverse(height[v as usize]));
    roots.truncate(TREES - 1);
    roots.push(source);
    roots
}

fn is_tree(network: &Network) -> bool {
    network.channels().len() == 2 * (network.vertices().len() - 1)
}

struct Halving<'p> {
    problem: &'p Problem,
    /// Those that take part, in depth-first order from the source.
    order: Vec<VertexId>,
    /// By vertex, the channel to it from the vertex before it in the tree, and its depth from the source.
    last: Vec<Option<ChannelId>>,
    depth: Vec<u32>,
}

impl<'p> Halving<'p> {
    /// The tree of shortest paths from a root, seen from the source.
    fn on(problem: &'p Problem, root: VertexId) -> Option<Self> {
        let (network, source) = (problem.network(), problem.demands()[0].source);
        let n = network.vertices().len();
        // The neighbours in the tree, as channels away from each vertex.
        let mut away: Vec<Vec<ChannelId>> = vec![Vec::new(); n];
        let mut is_met = vec![false; n];
        let mut queue = VecDeque::from([root]);
        is_met[root as usize] = true;
        while let Some(v) = queue.pop_front() {
            for &c in network.outgoing(v) {
                let channel = network.channel(c);
                if !std::mem::replace(&mut is_met[channel.to as usize], true) {
                    away[v as usize].push(c);
                    away[channel.to as usize].push(channel.reverse?);
                    queue.push_back(channel.to);
                }
            }
        }
        let mut takes_part = vec![false; n];
        problem.demands().iter().for_each(|d| takes_part[d.destination as usize] = true);
        takes_part[source as usize] = true;
        let mut halving =
            Halving { problem, order: vec![], last: vec![None; n], depth: vec![0; n] };
        let mut open = vec![source];
        while let Some(v) = open.pop() {
            if takes_part[v as usize] {
                halving.order.push(v);
            }
            for &c in away[v as usize].iter().rev() {
                let channel = network.channel(c);
                if halving.last[v as usize].and_then(|last| network.channel(last).reverse)
                    != Some(c)
                {
                    halving.last[channel.to as usize] = Some(c);
                    halving.depth[channel.to as usize] = halving.depth[v as usize] + 1;
                    open.push(channel.to);
                }
            }
        }
        (halving.order.len() == problem.demands().len() + 1).then_some(halving)
    }

    fn plan(&self) -> Option<Plan> {
        let (network, routing) = (self.problem.network(), self.problem.routing());
        // A tree has one path.
        let is_free = routing == Routing::Any || is_tree(network);
        let message = self.problem.demands()[0].message;
        let mut plan = Plan::new(0);
        let mut intervals: Vec<Range<usize>> = std::iter::once(0..self.order.len()).collect();
        let mut step = 0;
        while intervals.iter().any(|interval| interval.len() > 1) {
            for at in 0..intervals.len() {
                let whole = intervals[at].clone();
                if whole.len() == 1 {
                    continue;
                }
                let middle = whole.start + whole.len().div_ceil(2);
                let (from, to) = (self.order[whole.start], self.order[middle]);
                let path = self.path(from, to);
                if !is_free {
                    let distance = distances_from(network, from)[to as usize];
                    if path.len() as u32 > distance.saturating_add(routing.slack()) {
                        return None;
                    }
                }
                plan.push(step, message, path);
                intervals[at] = whole.start..middle;
                intervals.push(middle..whole.end);
            }
            step += 1;
        }
        Some(plan)
    }

    /// The path in the tree.
    fn path(&self, mut from: VertexId, mut to: VertexId) -> Vec<ChannelId> {
        let network = self.problem.network();
        let (mut up, mut down) = (Vec::new(), Vec::new());
        while from != to {
            let deeper_to = self.depth[to as usize] >= self.depth[from as usize];
            let v = if deeper_to { &mut to } else { &mut from };
            let Some(c) = self.last[*v as usize] else { break };
            *v = network.channel(c).from;
            match deeper_to {
                true => down.push(c),
                false => up.extend(network.channel(c).reverse),
            }
        }
        up.extend(down.into_iter().rev());
        up
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;

    /// The steps of the schedule from the last terminal, which is valid.
    fn steps(topology: &str, request: Request) -> Option<usize> {
        let network = spec::parse(topology).unwrap();
        let last = network.terminals().last().unwrap();
        let source = Some(network.vertex_name(last).to_string());
        let problem = Request { source, ..request }.pose(network, vec![]).unwrap();
        let plan = plan(&problem)?;
        let wrong = verify(&plan.record(&problem, &[], Provenance::default()));
        assert!(wrong.is_empty(), "{topology}: {wrong:?}");
        Some(plan.len())
    }

    #[test]
    fn the_message_reaches_twice_as_many_in_every_step() {
        let request = Request::new(Collective::Oab);
        for (topology, most) in [
            ("binary-tree:32", Some(5)),
            ("full-binary-tree:31", Some(5)),
            ("mesh:9", Some(4)),
            ("fat-tree:16", Some(4)),
            ("ring:8,half", None),
            ("kautz:2,3", None),
        ] {
            assert_eq!(steps(topology, request.clone()), most, "{topology}");
        }
        // No half of a ring is longer than a shortest path.
        assert_eq!(steps("ring:9", request), Some(4));
    }
}
