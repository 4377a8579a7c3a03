//! Scatters: a gene is (path, step) of one delivery from source to destination
//! (umda-diameter-degree-networks, section 4.2). In store-and-forward networks the message leaves
//! in that step and advances one channel per step.

use super::{Choices, Frame, Genes, Prices, Window};
use crate::{Gene, Occupancy};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use rand::RngExt;
use std::sync::Arc;

/// The genes of a scatter, gather or all-to-all.
#[derive(Clone)]
pub struct Scatter {
    frame: Frame,
    occupancy: Occupancy,
    choices: Choices,
    prices: Prices,
    cost: u64,
}

impl Scatter {
    /// No genes yet of a problem.
    pub fn new(problem: Arc<Problem>, seed: u64) -> Self {
        let slack = problem.routing().listed_slack();
        Scatter {
            occupancy: Occupancy::new(problem.resources().capacities(), 0),
            choices: Choices::default(),
            prices: Prices::default(),
            cost: 0,
            frame: Frame::of_demands(problem, slack, seed),
        }
    }
}

impl Genes for Scatter {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn resize(&mut self, steps: u32) {
        self.frame.steps = steps;
        self.occupancy = Occupancy::new(self.frame.problem.resources().capacities(), steps);
        self.frame.genes.clear();
        self.choices = Choices::new(&self.frame.routes, self.frame.problem.demands().len(), steps);
    }

    fn load(&mut self, genes: &[Gene]) {
        self.occupancy.clear();
        self.frame.genes.clear();
        self.frame.genes.extend_from_slice(genes);
        let (occupancy, routes) = (&mut self.occupancy, &self.frame.routes);
        self.cost = genes.iter().map(|g| occupancy.add(routes.uses(g.path), g.step)).sum();
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn random(&self, g: usize, rng: &mut Rng) -> Gene {
        self.choices.gene(&self.frame.routes, g, rng)
    }

    /// Mutation: a new index of the path (if there is more than one) and a new step, either or
    /// both (hgsa-store-and-forward, section 3.2).
    fn propose(&self, g: usize, rng: &mut Rng) -> Gene {
        let old = self.frame.genes[g];
        let mut path = old.path;
        if self.choices.paths(g) > 1 && rng.random_range(0..2) == 0 {
            path = self.choices.path(g, rng);
            let moved = Gene { path, step: old.step };
            if self.fits(moved) && rng.random_range(0..2) == 0 {
                return moved;
            }
        }
        Gene { path, step: self.choices.step(&self.frame.routes, path, rng) }
    }

    fn is_in_conflict(&self, g: usize) -> bool {
        let gene = self.frame.genes[g];
        self.occupancy.relief(self.frame.routes.uses(gene.path), gene.step) > 0
    }

    fn cheapest(&mut self, g: usize, rng: &mut Rng) -> (Gene, u64) {
        let old = self.frame.genes[g];
        let window = Window::draw(self.choices.range(g), rng);
        self.occupancy.remove(self.frame.routes.uses(old.path), old.step);
        self.prices.clear(self.frame.steps);
        for path in (0..window.len).map(|index| window.path(index)) {
            let present = (path == old.path).then_some(old.step);
            let (uses, duration) = (self.frame.routes.uses(path), self.frame.routes.duration(path));
            let price = |row: &mut [u32]| self.occupancy.price_starts(uses, row);
            self.prices.add(duration, present, price);
        }
        self.occupancy.add(self.frame.routes.uses(old.path), old.step);
        let (place, priced) = self.prices.least(rng);
        let gene = place.map(|(row, step)| Gene { path: window.path(row), step });
        (gene.unwrap_or(old), priced)
    }

    /// Two transfers swap their steps.
    fn propose_swap(&self, rng: &mut Rng, changes: &mut Vec<(usize, Gene)>) {
        let (g, h) = (
            rng.random_range(0..self.frame.genes.len()),
            rng.random_range(0..self.frame.genes.len()),
        );
        let (a, b) = (self.frame.genes[g], self.frame.genes[h]);
        let swapped = [(g, Gene { step: b.step, ..a }), (h, Gene { step: a.step, ..b })];
        if a.step != b.step && swapped.iter().all(|&(_, gene)| self.fits(gene)) {
            changes.extend(swapped);
        }
    }

    fn attempt(&mut self, g: usize, gene: Gene, budget: i64) -> bool {
        let old = self.frame.genes[g];
        let (old_uses, new_uses) =
            (self.frame.routes.uses(old.path), self.frame.routes.uses(gene.path));
        let may_share = old.step == gene.step || self.frame.problem.switching().stores();
        // If the old and the new uses share no cell, the relief can be read without removing them.
        let relief = if may_share {
            self.occupancy.remove(old_uses, old.step)
        } else {
            self.occupancy.relief(old_uses, old.step)
        };
        let price = self.occupancy.price(new_uses, gene.step);
        let accepted = price as i64 - relief as i64 <= budget;
        if accepted {
            if !may_share {
                self.occupancy.remove(old_uses, old.step);
            }
            self.occupancy.add(new_uses, gene.step);
            self.frame.genes[g] = gene;
            self.cost = self.cost + price - relief;
        } else if may_share {
            self.occupancy.add(old_uses, old.step);
        }
        accepted
    }
}
