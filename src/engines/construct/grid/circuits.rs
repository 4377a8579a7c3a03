//! All-to-all scatter of a mesh, torus or cylinder with two sides, from the circuits of its rows and
//! columns (factors.rs).
//!
//! Choose a factor of the rows and one of the columns. Every vertex then sends along a circuit of
//! its block of coordinates x, or stays, and from there along a circuit of its block of coordinates
//! y, or stays. The messages of a circuit of block X and one of block Y need all rows of Y and all
//! columns of X, and do not conflict among themselves. So they are an edge between the rows of Y and
//! the columns of X, and steps are colours: edges of one vertex of this bipartite graph differ. On
//! rings, the two directions are two vertices; the circuit of two opposite coordinates runs in
//! either direction, and does so for half of its edges. Messages that stay in one dimension have an
//! edge with one free end.
//!
//! The largest degree is the number of steps: for sides of even length n with two circuits a vertex
//! and n/2 circuits a factor, it is n on lines, n/2 on rings, for the longer side. With n/2 factors
//! of each side this is the bound.

use super::factors::{Block, Move, factors, go};
use super::moves::{Writer, least};
use crate::ground::edge_colours::{colours, degree};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::{Grid, Side};
use std::collections::HashMap;

/// The schedule, if it is as short as the bound.
pub fn plan(problem: &Problem, grid: &Grid, _: &mut Rng) -> Option<Plan> {
    let &[rows, columns] = &grid.sides[..] else { return None };
    let [across, down] = [factors(rows)?, factors(columns)?];
    // Factors of the same kinds of blocks have the same graph.
    let mut graphs: HashMap<[Vec<bool>; 2], ConflictGraph> = HashMap::new();
    let mut steps = 0;
    for (x, y) in across.iter().flat_map(|x| down.iter().map(move |y| (x, y))) {
        let graph =
            graphs.entry([kinds(x), kinds(y)]).or_insert_with(|| ConflictGraph::new(x, y, grid));
        steps += graph.steps;
    }
    if steps != least(&grid.sides) {
        return None;
    }
    let mut writer = Writer::new(problem, grid);
    graphs.values_mut().for_each(ConflictGraph::colour);
    for (x, y) in across.iter().flat_map(|x| down.iter().map(move |y| (x, y))) {
        let graph = graphs.get(&[kinds(x), kinds(y)])?;
        for (choice, colour) in graph.products.iter().zip(&graph.colours) {
            let [along_x, along_y] = [(rows, x, choice[0]), (columns, y, choice[1])].map(
                |(side, factor, (block, choice, ahead))| {
                    circuit(side, &factor[block], choice, ahead)
                },
            );
            writer.product(*colour, &[&along_x, &along_y])?;
        }
        writer.skip(graph.steps);
    }
    writer.finish()
}

/// By block, whether it is a pair.
pub fn kinds(factor: &[Block]) -> Vec<bool> {
    factor.iter().map(|block| matches!(block, Block::Pair(_))).collect()
}

/// By dimension: a block, which of its two circuits, and whether that runs forward.
type Product = [(usize, usize, bool); 2];

/// The products of the circuits of two factors, and the bipartite graph of their conflicts.
struct ConflictGraph {
    products: Vec<Product>,
    edges: Vec<[usize; 2]>,
    steps: usize,
    colours: Vec<usize>,
}

impl ConflictGraph {
    fn new(x: &[Block], y: &[Block], grid: &Grid) -> Self {
        let (mut products, mut edges) = (Vec::new(), Vec::new());
        // Free ends have numbers of their own, beyond those of both directions of all blocks.
        let mut free = 2 * x.len().max(y.len());
        for (i, j) in (0..x.len()).flat_map(|i| (0..y.len()).map(move |j| (i, j))) {
            for [a, b] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                let (Some(along_x), Some(along_y)) = (moves(&x[i], a), moves(&y[j], b)) else {
                    continue;
                };
                let ahead = [is_ahead(&x[i], a, b), is_ahead(&y[j], b, a)];
                let mut end = |moves: bool, block: usize, side: Side, ahead: bool| {
                    free += usize::from(!moves);
                    if moves { 2 * block + usize::from(side.is_ring && !ahead) } else { free }
                };
                if along_x || along_y {
                    products.push([(i, a, ahead[0]), (j, b, ahead[1])]);
                    let rows = end(along_x, j, grid.sides[0], ahead[0]);
                    edges.push([rows, end(along_y, i, grid.sides[1], ahead[1])]);
                }
            }
        }
        let steps = degree(&edges);
        ConflictGraph { products, edges, steps, colours: Vec::new() }
    }

    fn colour(&mut self) {
        self.colours = colours(&self.edges);
    }
}

/// Whether the vertices of a block move by a choice; none if there is no such choice.
fn moves(block: &Block, choice: usize) -> Option<bool> {
    match block {
        Block::Single(_, None) if choice == 1 => None,
        Block::Single(..) => Some(choice == 1),
        Block::Pair(_) => Some(true),
    }
}

/// Whether a circuit of a ring runs forward, by its own choice and that of the other dimension.
fn is_ahead(block: &Block, own: usize, other: usize) -> bool {
    match block {
        Block::Pair(_) => own == 0,
        Block::Single(..) => other == 1,
    }
}

/// The moves of a choice.
pub fn circuit(side: Side, block: &Block, choice: usize, ahead: bool) -> Vec<Move> {
    match (block, choice) {
        (Block::Pair(both), _) => both[choice].clone(),
        (Block::Single(stay, _), 0) => stay.clone(),
        (Block::Single(_, back), _) => {
            back.iter().flatten().map(|m| go(side, m.from, m.to, ahead)).collect()
        }
    }
}
