//! What moves do to places: a transfer takes places, loses them, or moves to free ones.

use super::Ejecting;
use super::holders::NOBODY;
use crate::{Gene, WAITS};
use ccsched_base::rng::Rng;
use rand::RngExt;

/// Attempts to move a random transfer to a free place after each focused move. They move the free
/// places around for the waiting transfers.
pub const RELOCATIONS: u64 = 12;

impl Ejecting {
    /// Gives gene `g`, which must wait, a value whose places are free.
    pub(super) fn put(&mut self, g: usize, gene: Gene) {
        self.holders.put(self.frame.routes.uses(gene.path), gene.step, g as u32);
        self.frame.genes[g] = gene;
        let at = self.index[g];
        self.waiting.swap_remove(at as usize);
        if let Some(&moved) = self.waiting.get(at as usize) {
            self.index[moved as usize] = at;
        }
    }

    /// Lets gene `g`, which has a place, wait.
    pub(super) fn lift(&mut self, g: usize) {
        let gene = &mut self.frame.genes[g];
        self.holders.take(self.frame.routes.uses(gene.path), gene.step, g as u32);
        gene.step = WAITS;
        self.wait(g);
    }

    pub(super) fn wait(&mut self, g: usize) {
        self.index[g] = self.waiting.len() as u32;
        self.waiting.push(g as u32);
    }

    /// Lists the transfers that would be ejected by one with this value.
    pub(super) fn list_ejected(&mut self, gene: Gene) {
        self.ejected.clear();
        for u in self.frame.routes.uses(gene.path) {
            let holder = self.holders.ejectable(u, gene.step);
            if holder != NOBODY && !self.ejected.contains(&holder) {
                self.ejected.push(holder);
            }
        }
    }

    /// Moves a random transfer that has a place to a random path, in the first step with free places
    /// from a random one on.
    pub(super) fn relocate_one(&mut self, rng: &mut Rng) {
        let g = rng.random_range(0..self.frame.genes.len());
        if self.frame.genes[g].step == WAITS {
            return;
        }
        let path = self.choices.path(g, rng);
        let uses = self.frame.routes.uses(path);
        let starts = self.frame.steps - self.frame.routes.duration(path) + 1;
        let first = rng.random_range(0..starts);
        let mut steps = (first..starts).chain(0..first);
        if let Some(step) = steps.find(|&step| self.holders.is_free(uses, step)) {
            self.lift(g);
            self.put(g, Gene { path, step });
        }
    }
}
