//! Scatters whose transfers eject each other: a gene is (path, step) of one delivery, as in the
//! papers, but no two transfers hold one place. A transfer that takes a place ejects its holders,
//! which wait: they keep their genes with the step [`WAITS`], and occupy nothing. The cost is the
//! number of transfers that wait. A swap would eject the holders of both places, and could not be undone, so none is
//! proposed.
//!
//! Where all channels are full, this landscape is smoother than the count of conflicts: a transfer
//! that has lost one channel of its path does not block the others. (The state and the ejections
//! are those of guided ejection, [`crate::search`], after Nagata and Bräysy; there prices
//! decide, here Metropolis.)

mod holders;
mod moves;

use super::Genes;
use super::cheapest::{Prices, Window};
use super::choices::Choices;
use super::frame::Frame;
use crate::{Gene, Routes, WAITS};
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use holders::Holders;
use moves::RELOCATIONS;
use rand::RngExt;
use std::sync::Arc;

/// The share of focused moves that look for a place with a wait on the way.
const SHARE_OF_WAITS: f64 = 0.25;
/// What the saved list must be.
const LIST: &str = "each gene that waits must be once in the list of those";

/// The genes of a scatter, gather or all-to-all.
#[derive(Clone)]
pub struct Ejecting {
    frame: Frame,
    holders: Holders,
    /// The genes that wait, in the order in which moves left them.
    waiting: Vec<u32>,
    /// Index in `waiting` of each gene, if it waits.
    index: Vec<u32>,
    choices: Choices,
    prices: Prices,
    /// The transfers that a move ejects; kept to avoid allocation.
    ejected: Vec<u32>,
}

impl Ejecting {
    /// No genes yet of a problem.
    pub fn new(problem: Arc<Problem>, seed: u64) -> Self {
        let slack = problem.routing().listed_slack();
        Ejecting {
            holders: Holders::new(problem.resources().capacities(), 0),
            waiting: Vec::new(),
            index: Vec::new(),
            choices: Choices::default(),
            prices: Prices::default(),
            ejected: Vec::new(),
            frame: Frame::of_demands(problem, slack, seed),
        }
    }

    /// Lets messages wait on their way, where they are stored.
    pub fn waiting(mut self) -> Self {
        let routes = Routes::clone(&self.frame.routes);
        self.frame.routes =
            Arc::new(routes.with_waits(&self.frame.problem, self.frame.problem.demands().len()));
        self
    }
}

impl Genes for Ejecting {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn resize(&mut self, steps: u32) {
        self.frame.steps = steps;
        self.holders = Holders::new(self.frame.problem.resources().capacities(), steps);
        self.frame.genes.clear();
        self.waiting.clear();
        self.choices = Choices::new(&self.frame.routes, self.frame.problem.demands().len(), steps);
    }

    /// Of genes that contend for a place, the first ones get it.
    fn load(&mut self, genes: &[Gene]) {
        self.holders.clear();
        self.frame.genes.clear();
        self.frame.genes.extend_from_slice(genes);
        self.waiting.clear();
        self.index.clear();
        self.index.resize(genes.len(), 0);
        for (g, &gene) in genes.iter().enumerate() {
            let uses = self.frame.routes.uses(gene.path);
            if gene.step != WAITS && self.holders.is_free(uses, gene.step) {
                self.holders.put(uses, gene.step, g as u32);
            } else {
                self.frame.genes[g].step = WAITS;
                self.wait(g);
            }
        }
    }

    /// The transfers that wait, whose order depends on past moves.
    fn memory(&self) -> Vec<u32> {
        self.waiting.clone()
    }

    fn remember(&mut self, memory: &[u32]) -> Result<(), CommError> {
        let (mut given, mut own) = (memory.to_vec(), self.waiting.clone());
        given.sort_unstable();
        own.sort_unstable();
        if given != own {
            return Err(CommError::Unsound(LIST));
        }
        self.waiting.copy_from_slice(memory);
        for (at, &g) in (0..).zip(memory) {
            self.index[g as usize] = at;
        }
        Ok(())
    }

    fn cost(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn random(&self, g: usize, rng: &mut Rng) -> Gene {
        self.choices.gene(&self.frame.routes, g, rng)
    }

    fn is_in_conflict(&self, g: usize) -> bool {
        self.frame.genes[g].step == WAITS
    }

    fn draw(&self, rng: &mut Rng) -> usize {
        match self.waiting.len() {
            0 => rng.random_range(0..self.frame.genes.len()),
            waiting => self.waiting[rng.random_range(0..waiting)] as usize,
        }
    }

    fn cheapest(&mut self, g: usize, rng: &mut Rng) -> (Gene, u64) {
        let old = self.frame.genes[g];
        let waiting = self.choices.waiting(g);
        let waits = waiting.1 > 0 && rng.random_bool(SHARE_OF_WAITS);
        let range = if waits { waiting } else { self.choices.range(g) };
        let window = Window::draw(range, rng);
        if old.step != WAITS {
            self.lift(g);
        }
        self.prices.clear(self.frame.steps);
        for path in (0..window.len).map(|index| window.path(index)) {
            let present = (path == old.path && old.step != WAITS).then_some(old.step);
            let (uses, duration) = (self.frame.routes.uses(path), self.frame.routes.duration(path));
            let price = |row: &mut [u32]| self.holders.price_starts(uses, row);
            self.prices.add(duration, present, price);
        }
        if old.step != WAITS {
            self.put(g, old);
        }
        let (place, priced) = self.prices.least(rng);
        let gene = place.map(|(row, step)| Gene { path: window.path(row), step });
        (gene.unwrap_or(old), priced)
    }

    fn relocate(&mut self, rng: &mut Rng) -> u64 {
        (0..RELOCATIONS).for_each(|_| self.relocate_one(rng));
        RELOCATIONS
    }

    fn attempt(&mut self, g: usize, gene: Gene, budget: i64) -> bool {
        let old = self.frame.genes[g];
        let before = self.cost() as i64;
        if old.step != WAITS {
            self.lift(g);
        }
        self.ejected.clear();
        if gene.step != WAITS {
            self.list_ejected(gene);
        }
        let waits = i64::from(gene.step == WAITS);
        let after = self.cost() as i64 - 1 + waits + self.ejected.len() as i64;
        if after - before > budget {
            if old.step != WAITS {
                self.put(g, old);
            }
            return false;
        }
        self.frame.genes[g] = gene;
        for i in 0..self.ejected.len() {
            self.lift(self.ejected[i] as usize);
        }
        if gene.step != WAITS {
            self.put(g, gene);
        }
        true
    }

    fn can_be(&self, g: usize, gene: Gene) -> bool {
        let is_own = self.frame.routes.table().of_pair(g).contains(&gene.path);
        is_own && (gene.step == WAITS || gene.step < self.frame.steps && self.fits(gene))
    }

    fn fits(&self, gene: Gene) -> bool {
        gene.step != WAITS && gene.step + self.frame.routes.duration(gene.path) <= self.frame.steps
    }

    fn end(&self, g: usize) -> u32 {
        let gene = self.frame.genes[g];
        if gene.step == WAITS { 0 } else { gene.step + self.frame.routes.duration(gene.path) }
    }
}
