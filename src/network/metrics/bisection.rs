//! Bisection: the least total capacity of the channels, in both directions, between two halves of
//! the terminals; the halves differ by at most one terminal, and each switch is on the side that is
//! best. (Column B_c of umda-diameter-degree-networks, table 8, some of whose entries this
//! corrects.)
//!
//! Local search yields a good cut, the congestion of an even spread a lower bound; if they differ,
//! branch and bound decides, unless it reaches its limit.

use super::crossing_bound;
use super::halves::Graph;
use crate::Network;

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
    let mut search = Search::new(&graph, &orders[0], best, limit);
    search.branch(0, 0);
    if search.left > 0 { Bisection::Exact(search.best) } else { Bisection::AtMost(search.best) }
}

/// Depth-first search over the sides of the vertices, in a fixed order.
struct Search<'g> {
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

impl<'g> Search<'g> {
    fn new(graph: &'g Graph, order: &'g [usize], best: u32, limit: u64) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(i, &v)| place[v] = i);
        let half = graph.terminals.div_ceil(2);
        let pull = vec![[0; 2]; order.len()];
        Search { graph, order, place, pull, room: [half; 2], best, left: limit }
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
