//! Bisection: the least total capacity of the channels, in both directions, between two halves of
//! the terminals; the halves differ by at most one terminal, and each switch is on the side that is
//! best. (Column B_c of umda-diameter-degree-networks, table 8, some of whose entries this
//! corrects.)
//!
//! Local search yields a good cut, the congestion of an even spread a lower bound; if they differ,
//! branch and bound decides, unless it reaches its limit.

use super::UNREACHABLE;
use crate::{Network, VertexId};
use std::collections::BTreeMap;

/// Nodes of the search tree after which a search that may take some seconds gives up.
pub const NODE_LIMIT: u64 = 100_000_000;

/// Approximate number of local searches, which start from evenly chosen terminals.
const STARTS: usize = 64;

/// What is known of the bisection, in channels of capacity 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bisection {
    /// The bisection.
    Exact(u32),
    /// An upper bound: the search reached its limit.
    AtMost(u32),
}

/// The bisection of a network; the search gives up after `limit` nodes.
pub fn bisection(net: &Network, limit: u64) -> Bisection {
    let graph = Graph::new(net);
    let starts = (0..graph.terminal.len()).filter(|&v| graph.terminal[v]);
    let starts = starts.step_by(graph.terminals.div_ceil(STARTS));
    let orders: Vec<Vec<usize>> = starts.map(|v| graph.order(v)).collect();
    // Every network has a terminal, so there is an order.
    let best = orders.iter().map(|order| graph.good_cut(order)).min().unwrap_or(0);
    if best <= crossing_bound(net) {
        return Bisection::Exact(best);
    }
    let mut search = BranchAndBound::new(&graph, &orders[0], best, limit);
    search.branch(0, 0);
    if search.left > 0 { Bisection::Exact(search.best) } else { Bisection::AtMost(search.best) }
}

/// Depth-first search over the sides of the vertices, in a fixed order.
struct BranchAndBound<'g> {
    graph: &'g Graph,
    order: &'g [usize],
    /// Position of every vertex in the order.
    place: Vec<usize>,
    /// Weight of the edges from a vertex to the placed vertices of each side.
    pull: Vec<[u32; 2]>,
    /// Number of terminals that each side still takes.
    room: [usize; 2],
    best: u32,
    left: u64,
}

impl<'g> BranchAndBound<'g> {
    fn new(graph: &'g Graph, order: &'g [usize], best: u32, limit: u64) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(i, &v)| place[v] = i);
        let half = graph.terminals.div_ceil(2);
        let pull = vec![[0; 2]; order.len()];
        BranchAndBound { graph, order, place, pull, room: [half; 2], best, left: limit }
    }

    /// Places the vertices from `depth` on. `bound` is the cut so far plus, for every unplaced
    /// vertex, the lesser of its weights to the two sides: no completion has a smaller cut.
    fn branch(&mut self, depth: usize, bound: u32) {
        self.left = self.left.saturating_sub(1);
        if bound >= self.best || self.left == 0 {
            return;
        }
        let Some(&v) = self.order.get(depth) else {
            self.best = bound;
            return;
        };
        let terminal = self.graph.terminal[v] as usize;
        let [a, b] = self.pull[v];
        let first = (b > a) as usize;
        // The sides are symmetric, so the first vertex need not try the second side.
        let sides = if depth == 0 { &[0][..] } else { &[first, 1 - first][..] };
        for &side in sides {
            if self.room[side] < terminal {
                continue;
            }
            self.room[side] -= terminal;
            let more = self.put(v, side, depth) + self.pull[v][1 - side] - a.min(b);
            self.branch(depth + 1, bound + more);
            self.take(v, side, depth);
            self.room[side] += terminal;
        }
    }

    /// Puts a vertex on a side; returns the increase of the unplaced vertices' part of the bound.
    fn put(&mut self, v: usize, side: usize, depth: usize) -> u32 {
        let mut raised = 0;
        for &(w, weight) in &self.graph.edges[v] {
            if self.place[w] > depth {
                let pull = &mut self.pull[w];
                let before = pull[0].min(pull[1]);
                pull[side] += weight;
                raised += pull[0].min(pull[1]) - before;
            }
        }
        raised
    }

    fn take(&mut self, v: usize, side: usize, depth: usize) {
        for &(w, weight) in &self.graph.edges[v] {
            if self.place[w] > depth {
                self.pull[w][side] -= weight;
            }
        }
    }
}

// The network as an undirected weighted graph, and good cuts of it by local search.

/// An undirected graph. The weight of an edge is the total capacity of the channels between its
/// ends, both directions together.
struct Graph {
    /// For every vertex its neighbours and the weights.
    edges: Vec<Vec<(usize, u32)>>,
    /// Whether the vertex is a terminal; a cut halves the terminals.
    terminal: Vec<bool>,
    /// Number of terminals.
    terminals: usize,
}

impl Graph {
    fn new(net: &Network) -> Self {
        let mut edges = vec![BTreeMap::new(); net.vertices().len()];
        for c in net.channels() {
            *edges[c.from as usize].entry(c.to as usize).or_insert(0) += c.capacity;
            *edges[c.to as usize].entry(c.from as usize).or_insert(0) += c.capacity;
        }
        let terminal: Vec<bool> =
            (0..net.vertices().len() as VertexId).map(|v| net.is_terminal(v)).collect();
        Graph {
            edges: edges.into_iter().map(|e| e.into_iter().collect()).collect(),
            terminals: terminal.iter().filter(|&&t| t).count(),
            terminal,
        }
    }

    /// The vertices in an order in which each has the largest weight to those before it; ties go to
    /// the vertex joined last, which keeps the border of the placed vertices short.
    fn order(&self, first: usize) -> Vec<usize> {
        let n = self.edges.len();
        let mut pull = vec![(0u32, 0); n];
        let mut placed = vec![false; n];
        let mut order = Vec::with_capacity(n);
        let mut next = Some(first);
        while let Some(v) = next {
            placed[v] = true;
            order.push(v);
            for &(w, weight) in &self.edges[v] {
                pull[w] = (pull[w].0 + weight, order.len());
            }
            next = (0..n).filter(|&w| !placed[w]).max_by_key(|&w| (pull[w], n - w));
        }
        order
    }

    /// Weight of the edges between the sides.
    fn cut(&self, side: &[bool]) -> u32 {
        let across = |v: usize| self.edges[v].iter().filter(move |&&(w, _)| side[v] && !side[w]);
        (0..side.len()).flat_map(across).map(|&(_, weight)| weight).sum()
    }

    /// The cut after the first half of the terminals in `order`, with the switches among them, then
    /// improved by exchanging two terminals or moving a switch as long as the cut shrinks.
    fn good_cut(&self, order: &[usize]) -> u32 {
        let mut side = vec![false; order.len()];
        let mut left = self.terminals / 2;
        for &v in order {
            side[v] = left > 0;
            left -= (left > 0 && self.terminal[v]) as usize;
        }
        while let Some((a, b)) = self.best_exchange(&side) {
            side[a] ^= true;
            if b != a {
                side[b] ^= true;
            }
        }
        self.cut(&side)
    }

    /// The exchange that reduces the cut most, if any does; a switch moves alone, as `(v, v)`.
    fn best_exchange(&self, side: &[bool]) -> Option<(usize, usize)> {
        let gain = |v: usize| -> i64 {
            let sign = |w: usize| if side[w] == side[v] { -1 } else { 1 };
            self.edges[v].iter().map(|&(w, weight)| sign(w) * weight as i64).sum()
        };
        let gains: Vec<i64> = (0..side.len()).map(gain).collect();
        let switches = (0..side.len()).filter(|&v| !self.terminal[v] && gains[v] > 0);
        let switch = switches.max_by_key(|&v| (gains[v], std::cmp::Reverse(v)));
        let mut best = switch.map_or((0, None), |v| (gains[v], Some((v, v))));
        // No pair gains more than its two ends together, so most pairs need no look.
        let [here, there] = [false, true].map(|of| {
            let mut terminals: Vec<usize> =
                (0..side.len()).filter(|&v| self.terminal[v] && side[v] == of).collect();
            terminals.sort_by_key(|&v| std::cmp::Reverse(gains[v]));
            terminals
        });
        for &a in &here {
            for &b in &there {
                if gains[a] + gains[b] <= best.0 {
                    break;
                }
                let both = gains[a] + gains[b] - 2 * self.weight(a, b);
                if both > best.0 {
                    best = (both, Some((a, b)));
                }
            }
        }
        best.1
    }

    fn weight(&self, a: usize, b: usize) -> i64 {
        self.edges[a].iter().find(|&&(w, _)| w == b).map_or(0, |&(_, weight)| weight as i64)
    }
}

// The load of the channels under an even spread of all pairs, and the bound that it implies for
// every cut (the argument of umda-diameter-degree-networks, section 3, reversed): if no channel
// carries more than L times its capacity, channels of total capacity K carry at most K L, so a cut
// that P pairs cross has a capacity of at least P / L.

/// The load of every channel when each ordered pair of different terminals sends one message,
/// spread evenly over its shortest paths.
pub fn channel_loads(net: &Network) -> Vec<f64> {
    let mut loads = vec![0.0; net.channels().len()];
    for source in net.terminals() {
        spread_from(net, source, &mut loads);
    }
    loads
}

/// Adds the loads of one source: counts the shortest paths outwards, then distributes the load
/// backwards (Brandes' accumulation).
fn spread_from(net: &Network, source: VertexId, loads: &mut [f64]) {
    let n = net.vertices().len();
    let mut distance = vec![UNREACHABLE; n];
    let mut paths = vec![0.0f64; n];
    let mut order = vec![source];
    distance[source as usize] = 0;
    paths[source as usize] = 1.0;
    let mut next = 0;
    while let Some(&v) = order.get(next) {
        next += 1;
        for &c in net.outgoing(v) {
            let to = net.channel(c).to as usize;
            if distance[to] == UNREACHABLE {
                distance[to] = distance[v as usize] + 1;
                order.push(to as VertexId);
            }
            if distance[to] == distance[v as usize] + 1 {
                paths[to] += paths[v as usize];
            }
        }
    }
    let mut load = vec![0.0f64; n];
    for &v in order.iter().skip(1).rev() {
        let v = v as usize;
        load[v] += net.is_terminal(v as VertexId) as u32 as f64;
        for &c in net.incoming(v as VertexId) {
            let from = net.channel(c).from as usize;
            if distance[from] != UNREACHABLE && distance[from] + 1 == distance[v] {
                let share = load[v] * paths[from] / paths[v];
                loads[c as usize] += share;
                load[from] += share;
            }
        }
    }
}

/// A lower bound on the capacity of the channels, both directions together, between two halves of
/// the terminals that differ by at most one terminal. Zero if some terminal cannot reach another.
pub fn crossing_bound(net: &Network) -> u32 {
    let terminals = net.terminals().count() as u64;
    let crossing = 2 * (terminals / 2) * terminals.div_ceil(2);
    let channels = net.channels().iter();
    let loads: Vec<f64> =
        channels.zip(channel_loads(net)).map(|(c, load)| load / f64::from(c.capacity)).collect();
    let most = loads.iter().copied().fold(0.0, f64::max);
    let apart = super::spread(net).unreachable > 0;
    // If numbers of paths exceed the range of f64, loads are not finite and nothing is known.
    if apart || most == 0.0 || !loads.iter().all(|load| load.is_finite()) {
        return 0;
    }
    // The loads are sums of fractions; the margin is far larger than their rounding errors.
    (crossing as f64 / most - 1e-6).ceil() as u32
}
