//! In every step, each vertex that has the message sends it as often as its ports allow, over
//! shortest paths whose links have room in that step. Each such vertex owns a cell: the receivers
//! nearer to it than to any other. Dividing a cell repeatedly takes fewer steps than informing its
//! members one by one, so the message travels towards the border of the cell: the whole way suits
//! trees, two thirds suit rings.

use ccsched_bounds as bounds;
use ccsched_model::problem::{Problem, Routing};
use ccsched_model::schedule::{Plan, Step};
use ccsched_network::metrics::{UNREACHABLE, distances_from, distances_from_any};
use ccsched_network::{ChannelId, Network, VertexId};
use std::collections::VecDeque;
use std::ops::Range;

/// Receivers from which on halving, which is quick, comes first.
const MANY_DELIVERIES: usize = 250;
/// The distance of a vertex in no cell yet.
const FAR: u32 = u32::MAX;
/// The parts of the way, in sixths, that are tried in this order.
const SIXTHS: [u32; 3] = [6, 4, 3];

/// The best schedule of those tried.
pub fn plan(problem: &Problem) -> Plan {
    let least = bounds::growth(problem, problem.demands()[0].source) as usize;
    // The tree that grows takes long on a large network.
    let halves_first = problem.demands().len() >= MANY_DELIVERIES;
    let mut best = halves_first.then(|| halved(problem)).flatten();
    if best.as_ref().is_some_and(|plan| plan.len() <= least) {
        return best.unwrap_or_default();
    }
    for sixths in SIXTHS {
        let most = best.as_ref().map_or(usize::MAX, Plan::len);
        best = grow(problem, sixths, most).or(best);
        if best.as_ref().is_some_and(|plan| plan.len() <= least) {
            break;
        }
    }
    let is_longer = |plan: &Plan| plan.len() > least;
    if !halves_first && best.as_ref().is_none_or(is_longer) {
        let shorter = |plan: &Plan| best.as_ref().is_none_or(|best| plan.len() < best.len());
        best = halved(problem).filter(shorter).or(best);
    }
    best.unwrap_or_default()
}

/// A schedule of fewer than `most` steps.
fn grow(problem: &Problem, sixths: u32, most: usize) -> Option<Plan> {
    let mut growth = Growth::new(problem, sixths);
    let mut plan = Plan::new(0);
    while growth.missing > 0 {
        plan.append(growth.step());
        if plan.len() >= most {
            return None;
        }
    }
    Some(plan)
}

/// A partial broadcast.
struct Growth<'p> {
    problem: &'p Problem,
    sixths: u32,
    /// Vertices that have the message.
    informed: Vec<VertexId>,
    /// By vertex, whether it still waits for the message.
    waits: Vec<bool>,
    missing: usize,
    /// By link, its free capacity in this step.
    room: Vec<u32>,
    cells: Cells,
    walk: Walk,
}

/// The nearest vertex with the message for every vertex (its owner), and the distance from it.
struct Cells {
    owner: Vec<VertexId>,
    distance: Vec<u32>,
    /// By owner, the distance of the farthest waiting vertex in its cell.
    radius: Vec<u32>,
    /// By owner, the vertices in its cell that still wait.
    waiting: Vec<u32>,
}

/// A search along shortest paths from one vertex; kept to avoid allocation.
struct Walk {
    /// By vertex, its distance, and the last channel of a path to it whose links all have room;
    /// valid where `mark` equals `present`.
    distance: Vec<u32>,
    last: Vec<Option<ChannelId>>,
    mark: Vec<u32>,
    present: u32,
    queue: VecDeque<VertexId>,
    /// Vertices in the queue to which a path has room. Without any, none beyond is reached.
    open: usize,
}

impl<'p> Growth<'p> {
    fn new(problem: &'p Problem, sixths: u32) -> Self {
        let n = problem.network().vertices().len();
        let mut waits = vec![false; n];
        problem.demands().iter().for_each(|d| waits[d.destination as usize] = true);
        Growth {
            sixths,
            informed: vec![problem.demands()[0].source],
            waits,
            missing: problem.demands().len(),
            room: vec![0; problem.resources().links()],
            cells: Cells {
                owner: vec![0; n],
                distance: vec![FAR; n],
                radius: vec![0; n],
                waiting: vec![0; n],
            },
            walk: Walk {
                distance: vec![0; n],
                last: vec![None; n],
                mark: vec![0; n],
                present: 0,
                queue: VecDeque::new(),
                open: 0,
            },
            problem,
        }
    }

    /// All transfers of a step; senders with the largest cells choose first.
    fn step(&mut self) -> Step {
        let links = self.room.len();
        self.room.copy_from_slice(&self.problem.resources().capacities()[..links]);
        self.cells.find(self.problem, &self.informed, &self.waits);
        let mut senders = self.informed.clone();
        senders.sort_by_key(|&v| std::cmp::Reverse(self.cells.radius[v as usize]));
        let message = self.problem.demands()[0].message;
        let mut step = Step::default();
        for sender in senders {
            for _ in 0..self.problem.sends_at_once(sender) {
                let Some(receiver) = self.receiver(sender) else { break };
                let channels = self.walk.path(self.problem, sender, receiver);
                for &c in &channels {
                    self.room[self.problem.resources().of_channel(c) as usize] -= 1;
                }
                self.waits[receiver as usize] = false;
                self.cells.waiting[self.cells.owner[receiver as usize] as usize] -= 1;
                self.missing -= 1;
                self.informed.push(receiver);
                step.push(message, channels);
            }
        }
        step
    }

    /// The next receiver of a sender: preferably in its own cell, at the distance nearest to the
    /// wanted part of its radius.
    fn receiver(&mut self, sender: VertexId) -> Option<VertexId> {
        let wanted = (self.sixths * self.cells.radius[sender as usize]).div_ceil(6);
        let has_own = self.cells.waiting[sender as usize] > 0;
        let mut best: Option<((bool, u32), VertexId)> = None;
        let walk = self.walk.begin(sender);
        while let Some((v, distance)) = walk.next(self.problem, &self.room) {
            let is_settled = best.is_some_and(|((is_foreign, off), _)| {
                !(is_foreign && has_own) && distance > wanted && distance - wanted > off
            });
            if is_settled {
                break;
            }
            if self.waits[v as usize] && walk.is_reached(v) {
                let is_foreign = self.cells.owner[v as usize] != sender;
                let rank = (is_foreign, distance.abs_diff(wanted));
                if best.is_none_or(|(least, _)| rank < least) {
                    best = Some((rank, v));
                }
            }
        }
        best.map(|(_, v)| v)
    }
}

impl Cells {
    fn find(&mut self, problem: &Problem, informed: &[VertexId], waits: &[bool]) {
        self.distance.fill(FAR);
        self.radius.fill(0);
        self.waiting.fill(0);
        let mut queue: VecDeque<VertexId> = informed.iter().copied().collect();
        for &v in informed {
            (self.owner[v as usize], self.distance[v as usize]) = (v, 0);
        }
        while let Some(v) = queue.pop_front() {
            let (owner, distance) = (self.owner[v as usize], self.distance[v as usize]);
            if waits[v as usize] {
                self.radius[owner as usize] = distance;
                self.waiting[owner as usize] += 1;
            }
            for next in problem.network().heads(v) {
                if self.distance[next as usize] == FAR {
                    (self.owner[next as usize], self.distance[next as usize]) =
                        (owner, distance + 1);
                    queue.push_back(next);
                }
            }
        }
    }
}

impl Walk {
    /// Begins a new search.
    fn begin(&mut self, from: VertexId) -> &mut Self {
        self.present += 1;
        self.queue.clear();
        self.queue.push_back(from);
        (self.mark[from as usize], self.distance[from as usize]) = (self.present, 0);
        self.last[from as usize] = None;
        self.open = 1;
        self
    }

    /// The next vertex and its distance, in order of distance; none if no vertex beyond is reached.
    fn next(&mut self, problem: &Problem, room: &[u32]) -> Option<(VertexId, u32)> {
        if self.open == 0 {
            return None;
        }
        let v = self.queue.pop_front()?;
        let distance = self.distance[v as usize];
        let is_open = distance == 0 || self.is_reached(v);
        self.open -= usize::from(is_open);
        for &c in problem.network().outgoing(v) {
            let to = problem.network().channel(c).to as usize;
            if self.mark[to] != self.present {
                (self.mark[to], self.distance[to]) = (self.present, distance + 1);
                self.last[to] = None;
                self.queue.push_back(to as VertexId);
            }
            let is_free = is_open && room[problem.resources().of_channel(c) as usize] > 0;
            if is_free && self.distance[to] == distance + 1 && self.last[to].is_none() {
                self.last[to] = Some(c);
                self.open += 1;
            }
        }
        Some((v, distance))
    }

    /// Whether a path to a vertex has room on all its links.
    fn is_reached(&self, v: VertexId) -> bool {
        self.last[v as usize].is_some()
    }

    /// The path to a vertex that is reached.
    fn path(&self, problem: &Problem, from: VertexId, mut to: VertexId) -> Vec<ChannelId> {
        let mut path = Vec::new();
        while to != from {
            let Some(c) = self.last[to as usize] else { break };
            path.push(c);
            to = problem.network().channel(c).from;
        }
        path.reverse();
        path
    }
}

// Halving: the terminals in the depth-first order of a tree whose root is the source. A vertex that
// has the message is the first of an interval, and sends to the vertex in the middle of it, which
// takes the second half. So the number of those that have it doubles in every step. No two of these
// paths share a directed channel: a subtree is an interval of the order, so if paths of two disjoint
// intervals left it, or entered it, one of the intervals would lie within the other.
//
// The tree is the network, if that is one, or a tree of shortest paths from some vertex. Then a path
// may be longer than routing allows, and another tree is tried.

/// Trees that are tried.
const TREES: usize = 4;

/// The schedule of the first tree whose paths are allowed; none on half-duplex links.
fn halved(problem: &Problem) -> Option<Plan> {
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
        let halved = halved(&problem)?;
        let wrong = verify(&halved.record(&problem, &[], Provenance::default()));
        assert!(wrong.is_empty(), "{topology}: {wrong:?}");
        Some(halved.len())
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
