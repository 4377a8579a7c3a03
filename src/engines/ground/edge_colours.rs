//! Edge colouring of bipartite graphs with the largest degree as the number of colours (König).
//! Edges are coloured one by one. Where no colour is free at both ends, two colours, one free at
//! either end, are exchanged along their alternating path, which never returns.

use ccsched_model::problem::Problem;
use ccsched_network::{ChannelId, VertexId};

/// No edge.
const NONE: usize = usize::MAX;

/// Coloured edges, each from a left to a right vertex, no two of a vertex of one colour.
#[derive(Clone, Debug)]
pub struct Colouring<'e> {
    edges: &'e [[usize; 2]],
    /// Number of colours.
    most: usize,
    /// By side, vertex and colour, the edge.
    at: [Vec<usize>; 2],
    /// By edge, its colour.
    colours: Vec<usize>,
    /// The edges of a path; reused.
    path: Vec<usize>,
}

/// The colours of edges, below the largest degree.
pub fn colours(edges: &[[usize; 2]]) -> Vec<usize> {
    Colouring::new(edges, degree(edges)).into_colours()
}

impl<'e> Colouring<'e> {
    /// Colours edges with `most` colours, at least the largest degree.
    pub fn new(edges: &'e [[usize; 2]], most: usize) -> Self {
        let sizes = [0, 1].map(|side| edges.iter().map(|e| e[side] + 1).max().unwrap_or(0));
        let at = sizes.map(|size| vec![NONE; size * most]);
        let mut colouring =
            Colouring { edges, most, at, colours: vec![NONE; edges.len()], path: Vec::new() };
        for (edge, &[left, right]) in edges.iter().enumerate() {
            // Less than `most` edges of a vertex are coloured, so there is one.
            let wanted = colouring.free(0, left).unwrap_or(0);
            let other = colouring.free(1, right).unwrap_or(0);
            colouring.exchange((1, right), wanted, other);
            colouring.put(edge, wanted);
        }
        colouring
    }

    /// By edge, its colour.
    pub fn into_colours(self) -> Vec<usize> {
        self.colours
    }

    /// The first colour that no edge of a vertex has.
    pub fn free(&self, side: usize, vertex: usize) -> Option<usize> {
        let row = &self.at[side][vertex * self.most..][..self.most];
        row.iter().position(|&e| e == NONE)
    }

    /// Exchanges two colours along the path from a vertex, given by its side and number: its edge of
    /// the first colour, from there the edge of the second, and so on. The vertex must have no edge
    /// of the second colour.
    pub fn exchange(
        &mut self,
        (mut side, mut vertex): (usize, usize),
        first: usize,
        second: usize,
    ) {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let mut colour = first;
        while self.at[side][vertex * self.most + colour] != NONE {
            let next = self.at[side][vertex * self.most + colour];
            path.push(next);
            (side, colour) = (1 - side, if colour == first { second } else { first });
            vertex = self.edges[next][side];
        }
        for &e in &path {
            let colour = self.colours[e];
            (0..2).for_each(|side| self.at[side][self.edges[e][side] * self.most + colour] = NONE);
        }
        for &e in &path {
            self.put(e, if self.colours[e] == first { second } else { first });
        }
        self.path = path;
    }

    fn put(&mut self, edge: usize, colour: usize) {
        self.colours[edge] = colour;
        (0..2).for_each(|side| self.at[side][self.edges[edge][side] * self.most + colour] = edge);
    }
}

/// The largest degree.
pub fn degree(edges: &[[usize; 2]]) -> usize {
    let largest = |side: usize| {
        let mut degrees = vec![0; edges.iter().map(|e| e[side] + 1).max().unwrap_or(0)];
        edges.iter().for_each(|e| degrees[e[side]] += 1);
        degrees.into_iter().max().unwrap_or(0)
    };
    largest(0).max(largest(1))
}

// The channels as edges of a bipartite graph, from senders to receivers. A colour is a set of
// channels that need at most one port of each terminal.

/// The edges of some channels. What a switch sends and receives is not limited: every channel has an end of its own
/// there. The second number is above those of all ends.
pub fn edges(
    problem: &Problem,
    channels: impl Iterator<Item = ChannelId>,
) -> (Vec<[usize; 2]>, usize) {
    let network = problem.network();
    let mut ends = network.vertices().len();
    let mut end = |v: VertexId| {
        if network.is_terminal(v) {
            return v as usize;
        }
        ends += 1;
        ends - 1
    };
    let channels = channels.map(|c| network.channel(c));
    let edges = channels.map(|c| [c.from, c.to].map(&mut end)).collect();
    (edges, ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use std::collections::HashSet;

    #[test]
    fn no_two_edges_of_a_vertex_have_one_colour() {
        let mut rng = ccsched_base::rng::rng_of(1, 0, 0);
        for size in 1..30 {
            let mut vertex = || rng.random_range(0..size);
            let edges: Vec<[usize; 2]> = (0..size * 4).map(|_| [vertex(), vertex()]).collect();
            let colours = colours(&edges);
            let mut seen = HashSet::new();
            for (edge, colour) in edges.iter().zip(colours) {
                assert!(colour < degree(&edges));
                (0..2).for_each(|side| assert!(seen.insert((side, edge[side], colour))));
            }
        }
    }
}
