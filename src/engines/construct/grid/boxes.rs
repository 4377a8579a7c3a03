//! All-to-all scatter of meshes and tori with three sides of even length, from the circuits of their
//! lines or rings (factors.rs).
//!
//! Choose a factor of each dimension. As on two sides (circuits.rs), a message goes along a circuit
//! of its block in each dimension, or stays. The messages of circuits of blocks X, Y, Z use all
//! lines along x at Y and Z, all lines along y at X and Z, and all along z at X and Y. So pairs of
//! blocks are resources, and the colours of the products are steps.
//!
//! Products come in halves that mirror each other: in all dimensions with two circuits a block, one
//! half has the opposite circuits of the other. On tori, the halves run in opposite directions, so
//! they share a step; on meshes they take two. A block of two opposite vertices has one circuit,
//! which runs forward in one half and backward in the other, and the stay. Where all three
//! dimensions have such blocks, the seven products (c for circuit, s for stay, the sign for the
//! direction) are ccc, and ccs with ssc, and, csc with scs, and scc with css; each line is used once
//! in a half.
//!
//! The most products over a resource are the number of steps, and for sides of even length their sum
//! is the bound; the colours are found by a search, for every choice of kinds of blocks once.

use super::circuits::{circuit, kinds};
use super::factors::{Block, factors};
use super::moves::{Writer, least};
use super::{Dice, factors};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::Grid;
use rand::RngExt;
use std::collections::HashMap;

/// By dimension: a block, which of its two circuits, and whether that runs forward.
type Product = [(usize, usize, bool); 3];

/// The schedule, if the search finds colours.
pub fn plan(problem: &Problem, grid: &Grid, rng: &mut Rng) -> Option<Plan> {
    let &[a, b, c] = &grid.sides[..] else { return None };
    let sides = [factors(a)?, factors(b)?, factors(c)?];
    let choices: Vec<[&[Block]; 3]> = sides[0]
        .iter()
        .flat_map(|x| sides[1].iter().map(move |y| (x, y)))
        .flat_map(|(x, y)| sides[2].iter().map(move |z| [&x[..], &y[..], &z[..]]))
        .collect();
    let mut patterns: HashMap<[Vec<bool>; 3], Pattern> = HashMap::new();
    let mut steps = 0;
    for choice in &choices {
        let pattern =
            patterns.entry(choice.map(kinds)).or_insert_with(|| Pattern::new(*choice, a.is_ring));
        steps += pattern.steps;
    }
    if steps != least(&grid.sides) {
        return None;
    }
    let dice = &mut |limit| rng.random_range(0..limit);
    let mut writer = Writer::new(problem, grid);
    for choice in choices {
        let pattern = patterns.get_mut(&choice.map(kinds))?;
        pattern.colour(dice)?;
        for (turn, chosen) in pattern.products() {
            let moves = [0, 1, 2].map(|i| {
                let (block, of_two, ahead) = chosen[i];
                circuit(grid.sides[i], &choice[i][block], of_two, ahead)
            });
            writer.product(turn, &moves.each_ref().map(|m| &m[..]))?;
        }
        writer.skip(pattern.steps);
    }
    writer.finish()
}

/// The products of three factors, and their steps.
struct Pattern {
    /// Two halves of products, with the resources that they use.
    items: Vec<[Vec<Product>; 2]>,
    uses: Vec<Vec<usize>>,
    /// Steps of a colour: 2 if the halves take a step each.
    pace: usize,
    steps: usize,
    colours: Option<Vec<usize>>,
}

impl Pattern {
    fn new(factors: [&[Block]; 3], is_ring: bool) -> Self {
        let (mut items, mut uses) = (Vec::new(), Vec::new());
        let counts = factors.map(<[Block]>::len);
        for cell in 0..counts.iter().product() {
            let blocks =
                [cell % counts[0], cell / counts[0] % counts[1], cell / counts[0] / counts[1]];
            let largest = counts.into_iter().max().unwrap_or(0);
            let line = |i: usize| {
                let others = [(1, 2), (0, 2), (0, 1)][i];
                (i * largest + blocks[others.0]) * largest + blocks[others.1]
            };
            let is_pair = [0, 1, 2].map(|i| matches!(factors[i][blocks[i]], Block::Pair(_)));
            for halves in halves(is_pair) {
                let moves =
                    |i: &usize| halves.iter().flatten().any(|p| is_pair[*i] || p[*i].0 == 1);
                uses.push([0, 1, 2].into_iter().filter(moves).map(line).collect::<Vec<_>>());
                items.push(halves.map(|half| {
                    let place =
                        |p: [(usize, bool); 3]| [0, 1, 2].map(|i| (blocks[i], p[i].0, p[i].1));
                    half.into_iter().map(place).collect()
                }));
            }
        }
        let mut loads = HashMap::new();
        uses.iter().flatten().for_each(|&line| *loads.entry(line).or_insert(0) += 1);
        let pace = if is_ring { 1 } else { 2 };
        let steps = pace * loads.into_values().max().unwrap_or(0);
        Pattern { items, uses, pace, steps, colours: None }
    }

    fn colour(&mut self, dice: &mut Dice<'_>) -> Option<()> {
        if self.colours.is_none() {
            self.colours = Some(factors::colours(&self.uses, self.steps / self.pace, dice)?);
        }
        Some(())
    }

    /// All products with their steps.
    fn products(&self) -> impl Iterator<Item = (usize, &Product)> {
        let colours = self.colours.iter().flatten();
        colours.zip(&self.items).flat_map(move |(&colour, halves)| {
            let step = move |half: usize| colour * self.pace + half % self.pace;
            let of = move |half: usize| halves[half].iter().map(move |p| (step(half), p));
            of(0).chain(of(1))
        })
    }
}

/// Choices of circuits, each with its direction on a ring, by dimension.
type Half = Vec<[(usize, bool); 3]>;

/// The items of a cell, by whether its blocks have two circuits.
fn halves(is_pair: [bool; 3]) -> Vec<[Half; 2]> {
    let (stay, ahead, back) = ((0, true), (1, true), (1, false));
    let Some(first) = is_pair.iter().position(|&pair| pair) else {
        return vec![
            [vec![[ahead; 3]], vec![[back, back, stay], [stay, stay, back]]],
            [
                vec![[ahead, stay, ahead], [stay, back, stay]],
                vec![[stay, ahead, back], [back, stay, stay]],
            ],
        ];
    };
    let mut items = Vec::new();
    // By dimension a bit: of two circuits the second, or the circuit and not the stay.
    for bits in (0..8usize).filter(|bits| bits >> first & 1 == 0) {
        let half = |mirrored: bool| {
            vec![[0, 1, 2].map(|i| {
                let bit = bits >> i & 1;
                if is_pair[i] { (bit ^ usize::from(mirrored), true) } else { (bit, !mirrored) }
            })]
        };
        items.push([half(false), half(true)]);
    }
    items
}
