//! The network as an undirected weighted graph, and good cuts of it by local search.

use crate::{Network, VertexId};
use std::collections::BTreeMap;

/// An undirected graph. The weight of an edge is the total capacity of the channels between its
/// ends, both directions together.
pub struct Graph {
    /// For every vertex its neighbours and the weights.
    pub edges: Vec<Vec<(usize, u32)>>,
    /// Whether the vertex is a terminal; a cut halves the terminals.
    pub terminal: Vec<bool>,
    /// Number of terminals.
    pub terminals: usize,
}

impl Graph {
    pub fn new(net: &Network) -> Self {
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
    pub fn order(&self, first: usize) -> Vec<usize> {
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
    pub fn cut(&self, side: &[bool]) -> u32 {
        let across = |v: usize| self.edges[v].iter().filter(move |&&(w, _)| side[v] && !side[w]);
        (0..side.len()).flat_map(across).map(|&(_, weight)| weight).sum()
    }

    /// The cut after the first half of the terminals in `order`, with the switches among them, then
    /// improved by exchanging two terminals or moving a switch as long as the cut shrinks.
    pub fn good_cut(&self, order: &[usize]) -> u32 {
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
