//! The restoration heuristic (umda-diameter-degree-networks, section 4.4): senders are vertices
//! that have the message, and deliveries without such a sender are postponed.

use super::{Forest, NEVER};
use crate::Gene;
use crate::hgsa::genes::Genes;
use ccsched_base::rng::Rng;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Draws in search of a sender that has the message.
const DRAWS: usize = 8;

impl Forest {
    /// A start solution: every delivery begins in step 0 and is postponed until a vertex that has
    /// the message can make it without a conflict. A delivery that does not fit into the steps
    /// allowed gets a random gene.
    pub(super) fn restore(&mut self, rng: &mut Rng) -> Vec<Gene> {
        let mut genes: Vec<Option<Gene>> = vec![None; self.gene_count()];
        let mut waiting: Vec<usize> = (0..genes.len()).collect();
        self.occupancy.clear();
        self.received.fill(NEVER);
        for g in 0..genes.len() {
            let source = self.at(g, self.frame.problem.demands()[g].source);
            self.received[source] = -1;
        }
        for step in 0..self.frame.steps {
            waiting.shuffle(rng);
            waiting.retain(|&g| {
                let Some(gene) = self.deliver(g, step, rng) else { return true };
                self.occupancy.add(self.frame.routes.uses(gene.path), step);
                let destination = self.at(g, self.destination(g));
                self.received[destination] = step as i32;
                genes[g] = Some(gene);
                false
            });
        }
        (0..genes.len()).map(|g| genes[g].unwrap_or_else(|| self.random(g, rng))).collect()
    }

    /// A gene for delivery `g` in `step` without a conflict, if a few draws find one.
    fn deliver(&self, g: usize, step: u32, rng: &mut Rng) -> Option<Gene> {
        (0..4 * DRAWS).find_map(|_| {
            let pair = rng.random_range(self.shape.senders[g].clone()) as usize;
            let sender = self.shape.sender_of_pair[pair];
            let path = rng.random_range(self.frame.routes.table().of_pair(pair));
            let is_possible = Self::late(self.received[self.at(g, sender)], step) == 0
                && self.occupancy.price(self.frame.routes.uses(path), step) == 0;
            is_possible.then_some(Gene { path, step })
        })
    }

    /// A path from a sender that has the message before `step`, if a few draws find one.
    pub(super) fn draw_path(&self, g: usize, step: u32, rng: &mut Rng) -> u32 {
        let table = self.frame.routes.table();
        let mut paths = 0..0;
        for _ in 0..DRAWS {
            paths = table.of_pair(rng.random_range(self.shape.senders[g].clone()) as usize);
            let sender = self.shape.origin[paths.start as usize];
            if Self::late(self.received[self.at(g, sender)], step) == 0 {
                break;
            }
        }
        rng.random_range(paths)
    }
}
