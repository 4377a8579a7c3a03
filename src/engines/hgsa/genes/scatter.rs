//! Scatters: a gene is (path, step) of one delivery from source to destination
//! (umda-diameter-degree-networks, section 4.2). In store-and-forward networks the message leaves
//! in that step and advances one channel per step.

use super::Genes;
use super::cheapest::{Prices, Window};
use super::choices::Choices;
use crate::engines::{Gene, Occupancy, Routes};
use crate::problem::Problem;
use crate::rng::Rng;
use crate::schedule::Plan;
use rand::RngExt;
use std::sync::Arc;

/// The genes of a scatter, gather or all-to-all.
#[derive(Clone)]
pub struct Scatter {
    problem: Arc<Problem>,
    /// Pair `g` of the table is demand `g`.
    routes: Arc<Routes>,
    occupancy: Occupancy,
    steps: u32,
    genes: Vec<Gene>,
    choices: Choices,
    prices: Prices,
    cost: u64,
}

impl Scatter {
    /// No genes yet of a problem.
    pub fn new(problem: Arc<Problem>, seed: u64) -> Self {
        let routes = Arc::new(Routes::of_demands(&problem, problem.routing().slack(), seed));
        Scatter {
            occupancy: Occupancy::new(problem.resources().capacities(), 0),
            steps: 0,
            genes: Vec::new(),
            choices: Choices::default(),
            prices: Prices::default(),
            cost: 0,
            problem,
            routes,
        }
    }

    /// The paths that genes choose from.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }
}

impl Genes for Scatter {
    fn steps(&self) -> u32 {
        self.steps
    }

    fn resize(&mut self, steps: u32) {
        self.steps = steps;
        self.occupancy = Occupancy::new(self.problem.resources().capacities(), steps);
        self.genes.clear();
        self.choices = Choices::new(&self.routes, self.problem.demands().len(), steps);
    }

    fn load(&mut self, genes: &[Gene]) {
        self.occupancy.clear();
        self.genes.clear();
        self.genes.extend_from_slice(genes);
        let (occupancy, routes) = (&mut self.occupancy, &self.routes);
        self.cost = genes.iter().map(|g| occupancy.add(routes.uses(g.path), g.step)).sum();
    }

    fn gene_count(&self) -> usize {
        self.problem.demands().len()
    }

    fn genes(&self) -> &[Gene] {
        &self.genes
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn random(&self, g: usize, rng: &mut Rng) -> Gene {
        self.choices.gene(&self.routes, g, rng)
    }

    /// Mutation: a new index of the path (if there is more than one) and a new step, either or
    /// both (hgsa-store-and-forward, section 3.2).
    fn propose(&self, g: usize, rng: &mut Rng) -> Gene {
        let old = self.genes[g];
        let mut path = old.path;
        if self.choices.paths(g) > 1 && rng.random_range(0..2) == 0 {
            path = self.choices.path(g, rng);
            let moved = Gene { path, step: old.step };
            if self.fits(moved) && rng.random_range(0..2) == 0 {
                return moved;
            }
        }
        Gene { path, step: self.choices.step(&self.routes, path, rng) }
    }

    fn is_in_conflict(&self, g: usize) -> bool {
        let gene = self.genes[g];
        self.occupancy.relief(self.routes.uses(gene.path), gene.step) > 0
    }

    fn cheapest(&mut self, g: usize, rng: &mut Rng) -> (Gene, u64) {
        let old = self.genes[g];
        let window = Window::draw(self.choices.range(g), rng);
        self.occupancy.remove(self.routes.uses(old.path), old.step);
        self.prices.clear(self.steps);
        for path in (0..window.len).map(|index| window.path(index)) {
            let present = (path == old.path).then_some(old.step);
            let (uses, duration) = (self.routes.uses(path), self.routes.duration(path));
            let price = |row: &mut [u32]| self.occupancy.price_starts(uses, row);
            self.prices.add(duration, present, price);
        }
        self.occupancy.add(self.routes.uses(old.path), old.step);
        let (place, priced) = self.prices.least(rng);
        let gene = place.map(|(row, step)| Gene { path: window.path(row), step });
        (gene.unwrap_or(old), priced)
    }

    /// Two transfers swap their steps.
    fn propose_swap(&self, rng: &mut Rng, changes: &mut Vec<(usize, Gene)>) {
        let (g, h) = (rng.random_range(0..self.genes.len()), rng.random_range(0..self.genes.len()));
        let (a, b) = (self.genes[g], self.genes[h]);
        let swapped = [(g, Gene { step: b.step, ..a }), (h, Gene { step: a.step, ..b })];
        if a.step != b.step && swapped.iter().all(|&(_, gene)| self.fits(gene)) {
            changes.extend(swapped);
        }
    }

    fn attempt(&mut self, g: usize, gene: Gene, budget: i64) -> bool {
        let old = self.genes[g];
        let (old_uses, new_uses) = (self.routes.uses(old.path), self.routes.uses(gene.path));
        let may_share = old.step == gene.step || self.problem.switching().stores();
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
            self.genes[g] = gene;
            self.cost = self.cost + price - relief;
        } else if may_share {
            self.occupancy.add(old_uses, old.step);
        }
        accepted
    }

    fn can_be(&self, g: usize, gene: Gene) -> bool {
        let is_own = self.routes.table().of_pair(g).contains(&gene.path);
        is_own && gene.step < self.steps && self.fits(gene)
    }

    fn fits(&self, gene: Gene) -> bool {
        gene.step + self.routes.duration(gene.path) <= self.steps
    }

    fn end(&self, g: usize) -> u32 {
        let gene = self.genes[g];
        gene.step + self.routes.duration(gene.path)
    }

    fn length(&self, g: usize) -> usize {
        self.routes.table().channels(self.genes[g].path).len()
    }

    fn plan(&self, genes: &[Gene]) -> Plan {
        self.routes.plan(&self.problem, self.steps, genes)
    }
}
