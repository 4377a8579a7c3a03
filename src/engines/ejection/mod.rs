//! Guided ejection search for scatters: path colouring on a partial schedule.
//!
//! A schedule is never in conflict; transfers that have no place wait in a list. A move takes one of
//! them, scans all its paths and steps for the one whose occupants are the cheapest to eject, and
//! puts it there. Who had to eject others gets dearer itself, so that quarrels are settled in the
//! end. Between the moves some placed transfers move to where they are in nobody's way, which keeps
//! the free places wandering. (The weights are those of guided local search, the ejections those of
//! Nagata and Bräysy for vehicle routing; complete assignments as in the papers are far slower.)

mod board;
mod price;

use super::assignment::Routes;
use super::{Gene, Genome, PathsFound, Rng, Walker};
use crate::problem::Problem;
use crate::schedule::Plan;
use board::{Board, FREE};
use price::{ITERATIONS_A_STYLE, OFFSETS, Style};
use rand::RngExt;
use std::sync::Arc;

/// The gene of a transfer without a place.
const UNPLACED: Gene = Gene { path: u32::MAX, step: 0 };
/// Free relocations after every ejection move by weights.
const RELOCATIONS: usize = 20;
/// A guided ejection search.
#[derive(Clone)]
pub struct Ejection {
    problem: Arc<Problem>,
    /// Pair `g` of the table is demand `g`.
    routes: Arc<Routes>,
    board: Board,
    steps: u32,
    genes: Vec<Gene>,
    waiting: Vec<u32>,
    /// How dear it is to eject a transfer.
    weight: Vec<u32>,
    /// Marks the transfers that the cell under scan would eject.
    mark: Vec<u64>,
    marked: u64,
    /// The transfer that the last ejection move has placed.
    newest: u32,
    iteration: u64,
    /// The transfers that a move ejects, kept to allocate nothing.
    ejected: Vec<u32>,
}

impl Ejection {
    /// A search without a number of steps yet; [`Walker::seek`] must follow.
    pub fn new(problem: Arc<Problem>, seed: u64) -> Self {
        let routes = Arc::new(Routes::of_demands(&problem, problem.routing.slack(), seed));
        let genes = problem.demands.len();
        Ejection {
            board: Board::new(problem.resources.capacities(), 0),
            steps: 0,
            genes: vec![UNPLACED; genes],
            waiting: Vec::with_capacity(genes),
            weight: vec![1; genes],
            mark: vec![0; genes],
            marked: 0,
            newest: FREE,
            iteration: 0,
            ejected: Vec::with_capacity(genes),
            problem,
            routes,
        }
    }

    /// How many paths it chooses from.
    pub fn paths(&self) -> PathsFound {
        PathsFound::of(self.routes.table())
    }

    /// Keeps the genes that have free places; the others wait.
    fn take_over(&mut self, genes: &[Gene], rng: &mut Rng) {
        self.board = Board::new(self.problem.resources.capacities(), self.steps);
        self.waiting.clear();
        for (g, &gene) in (0..).zip(genes) {
            let fits = gene != UNPLACED
                && gene.step + self.routes.duration(gene.path) <= self.steps
                && self.board.is_free(self.routes.uses(gene.path), gene.step, FREE);
            if fits {
                self.board.place(&self.routes, g, gene);
                self.genes[g as usize] = gene;
            } else {
                self.genes[g as usize] = UNPLACED;
                self.waiting.push(g);
            }
        }
        // The longest find a place first, while there are many.
        let length = |&g: &u32| {
            let path = self.routes.table().of_pair(g as usize).start;
            (self.routes.table().channels(path).len(), rng.random::<u32>())
        };
        self.waiting.sort_by_cached_key(length);
        let order: Vec<u32> = self.waiting.drain(..).rev().collect();
        for g in order {
            if !self.place_freely(g, rng) {
                self.waiting.push(g);
            }
        }
    }

    /// Puts a transfer where nobody is ejected, if there is such a place.
    fn place_freely(&mut self, g: u32, rng: &mut Rng) -> bool {
        let Some((gene, 0)) = self.cheapest(g, rng) else { return false };
        self.put(g, gene);
        true
    }

    fn put(&mut self, g: u32, gene: Gene) {
        self.board.place(&self.routes, g, gene);
        self.genes[g as usize] = gene;
    }

    /// One ejection move: a random waiting transfer gets its cheapest place.
    fn eject_for_one(&mut self, rng: &mut Rng) {
        let i = rng.random_range(0..self.waiting.len());
        let g = self.waiting.swap_remove(i);
        let (gene, cost) = self.cheapest(g, rng).expect("every transfer has a path that fits");
        if cost > 0 {
            self.clear_for(gene);
            self.weight[g as usize] += 1;
        }
        self.put(g, gene);
        self.newest = g;
    }

    /// Ejects the occupants that `gene` costs.
    fn clear_for(&mut self, gene: Gene) {
        self.marked += 1;
        self.ejected.clear();
        for u in self.routes.uses(gene.path) {
            if let Some(owner) = self.occupant(u, gene.step)
                && self.mark[owner as usize] != self.marked
            {
                self.mark[owner as usize] = self.marked;
                self.ejected.push(owner);
            }
        }
        for i in 0..self.ejected.len() {
            let owner = self.ejected[i];
            self.board.lift(&self.routes, owner, self.genes[owner as usize]);
            self.genes[owner as usize] = UNPLACED;
            self.waiting.push(owner);
        }
    }

    /// Tries to move a random placed transfer to a random free place.
    fn relocate(&mut self, rng: &mut Rng) {
        let g = rng.random_range(0..self.genes.len());
        let old = self.genes[g];
        if old == UNPLACED {
            return;
        }
        let path = rng.random_range(self.routes.table().of_pair(g));
        let Some(last) = self.steps.checked_sub(self.routes.duration(path)) else { return };
        let gene = Gene { path, step: rng.random_range(0..=last) };
        if self.board.is_free(self.routes.uses(path), gene.step, g as u32) {
            self.board.lift(&self.routes, g as u32, old);
            self.put(g as u32, gene);
        }
    }
}

impl Walker for Ejection {
    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.steps = steps;
        self.weight.fill(1);
        let genes = self.genes.clone();
        self.take_over(&genes, rng);
        0
    }

    /// As many moves as genes, picks and relocations counted alike; in both styles as many picks, so
    /// that islands take equally long.
    fn sweep(&mut self, rng: &mut Rng) -> u64 {
        let mut moves = 0;
        while !self.waiting.is_empty() && moves < self.genes.len() {
            self.eject_for_one(rng);
            if self.style() == Style::Weights {
                (0..RELOCATIONS).for_each(|_| self.relocate(rng));
            }
            moves += 1 + RELOCATIONS;
        }
        self.iteration += 1;
        moves as u64
    }

    fn settle(&mut self, island: usize) {
        self.iteration = OFFSETS[island % OFFSETS.len()] * ITERATIONS_A_STYLE;
    }

    fn meet(&mut self, _: &Genome, _: &mut Rng) {}

    fn cost(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn genome(&self) -> Genome {
        Genome::Nothing
    }

    fn temperature(&self) -> f64 {
        0.0
    }

    fn polish(&mut self, _: &mut Rng) {}

    fn boxed_clone(&self) -> Box<dyn Walker> {
        Box::new(self.clone())
    }

    fn plan(&self) -> Plan {
        self.routes.plan(&self.problem, self.steps, &self.genes)
    }
}
