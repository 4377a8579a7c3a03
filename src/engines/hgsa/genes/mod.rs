//! The genes of the papers' engines: each gene has a path and a step, and conflicts are counted.
//!
//! A move changes one gene; only the cells of the old and the new path determine its effect.
//! The meaning of a gene differs between scatters, broadcasts in wormhole networks and broadcasts
//! in store-and-forward networks, so each has its own implementation.

mod cheapest;
mod choices;
mod ejecting;
mod flood;
mod forest;
mod frame;
mod scatter;

pub use ejecting::Ejecting;
pub use flood::Flood;
pub use forest::{Forest, LATE};
pub use frame::Frame;
pub use scatter::Scatter;

use crate::{Gene, Routes};
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::schedule::Plan;
use rand::RngExt;

/// Draws in search of a transfer in conflict. When few are left, the last draw is often one without
/// a conflict: such moves, which seldom raise the cost, keep the search from standing still.
const DRAWS: usize = 32;

/// All genes of a solution under a number of steps.
pub trait Genes: Clone + Send {
    /// The problem, the paths, and the values.
    fn frame(&self) -> &Frame;

    /// Number of steps allowed.
    fn steps(&self) -> u32 {
        self.frame().steps
    }

    /// The paths that genes choose from.
    fn routes(&self) -> &Routes {
        &self.frame().routes
    }

    /// Empties everything and allows `steps` steps; [`Genes::load`] must follow.
    fn resize(&mut self, steps: u32);

    /// Adopts a solution and counts its cost from scratch.
    fn load(&mut self, genes: &[Gene]);

    /// State beside the genes on which the search depends; none by default.
    fn memory(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Restores the result of [`Genes::memory`], after the genes.
    ///
    /// # Errors
    /// The memory does not fit these genes.
    fn remember(&mut self, memory: &[u32]) -> Result<(), CommError> {
        if memory.is_empty() { Ok(()) } else { Err(CommError::Unfit("lists")) }
    }

    /// Number of genes: one per delivery.
    fn gene_count(&self) -> usize {
        self.frame().problem.demands().len()
    }

    /// The genes.
    fn genes(&self) -> &[Gene] {
        &self.frame().genes
    }

    /// Weighted conflicts, or transfers without a place; 0 for a valid schedule.
    fn cost(&self) -> u64;

    /// A random value for gene `g`, independent of the others.
    fn random(&self, g: usize, rng: &mut Rng) -> Gene;

    /// A solution to start from: random, or better where the papers have a heuristic for it.
    /// [`Genes::load`] must follow.
    fn start(&mut self, rng: &mut Rng) -> Vec<Gene> {
        (0..self.gene_count()).map(|g| self.random(g, rng)).collect()
    }

    /// A random neighbour of gene `g`: where genes know such values, one that fits the others better than
    /// chance.
    fn propose(&self, g: usize, rng: &mut Rng) -> Gene {
        self.random(g, rng)
    }

    /// The first heuristic (hgsa-store-and-forward, section 3.3), where it is not part of the
    /// meaning of the genes: genes take over what others of their message arrive by earlier.
    fn shorten(&mut self) {}

    /// Whether the transfer of gene `g` has a share in the cost.
    fn is_in_conflict(&self, g: usize) -> bool;

    /// A random gene for a focused move: one in conflict, if a few draws find one.
    fn draw(&self, rng: &mut Rng) -> usize {
        let genes = self.gene_count();
        let mut draws = (0..DRAWS).map(|_| rng.random_range(0..genes));
        let g = draws.find(|&g| self.is_in_conflict(g));
        g.unwrap_or_else(|| rng.random_range(0..genes))
    }

    /// Moves transfers that are not in conflict to other places without conflict, where the genes
    /// do so after each focused move. Returns the number of attempts.
    fn relocate(&mut self, _rng: &mut Rng) -> u64 {
        0
    }

    /// The value of gene `g` other than the present one that costs least, one of several at random,
    /// and the number of values priced. Of very many values a random part is priced. The present
    /// value if there is no other.
    fn cheapest(&mut self, g: usize, rng: &mut Rng) -> (Gene, u64);

    /// Swaps the places of two random transfers: appends the genes to change with their new values
    /// (time-slot swap: umda-multistage-networks, section 4.4). Appends nothing if that is
    /// impossible.
    fn propose_swap(&self, _rng: &mut Rng, _changes: &mut Vec<(usize, Gene)>) {}

    /// Gives gene `g` a new value if the cost rises by at most `budget`. Returns whether it did.
    fn attempt(&mut self, g: usize, gene: Gene, budget: i64) -> bool;

    /// Whether a saved value of gene `g` is one that it can have: one of its paths, in steps that
    /// are allowed.
    fn can_be(&self, g: usize, gene: Gene) -> bool {
        let is_own = self.routes().table().of_pair(g).contains(&gene.path);
        is_own && gene.step < self.steps() && self.fits(gene)
    }

    /// Whether a gene's value fits into the number of steps.
    fn fits(&self, gene: Gene) -> bool {
        gene.step + self.routes().duration(gene.path) <= self.steps()
    }

    /// The step after the last one in which gene `g`'s transfer is under way.
    fn end(&self, g: usize) -> u32 {
        let gene = self.genes()[g];
        gene.step + self.routes().duration(gene.path)
    }

    /// Channels on the path of gene `g`.
    fn length(&self, g: usize) -> usize {
        self.routes().table().channels(self.genes()[g].path).len()
    }

    /// The schedule of a solution of cost 0: the transfers that have a place.
    fn plan(&self, genes: &[Gene]) -> Plan {
        let Frame { problem, routes, steps, .. } = self.frame();
        routes.plan(problem, *steps, genes)
    }
}
