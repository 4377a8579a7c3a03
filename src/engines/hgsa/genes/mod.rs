//! Complete assignments: every gene has a path and a step, and conflicts are counted.
//!
//! A move changes one gene; its effect is found by looking at the cells of the old and the new
//! path alone. What genes mean differs between scatters, broadcasts in wormhole networks and
//! broadcasts in store-and-forward networks, so there is one implementation for each.

mod choices;
mod flood;
mod forest;
mod occupancy;
mod routes;
mod scatter;
mod senders;

pub use flood::Flood;
pub use forest::{Forest, LATE};
pub use occupancy::Occupancy;
pub use routes::{Routes, Use};
pub use scatter::Scatter;
pub use senders::Senders;

use crate::comm::CommError;
use crate::engines::Gene;
use crate::rng::Rng;
use crate::schedule::Plan;

/// A complete assignment under a number of steps.
pub trait Genes: Clone + Send {
    /// Number of steps allowed.
    fn steps(&self) -> u32;

    /// Empties everything and allows `steps` steps; [`Genes::load`] must follow.
    fn resize(&mut self, steps: u32);

    /// Takes over a solution and counts its cost from nothing.
    fn load(&mut self, genes: &[Gene]);

    /// What the course of a search depends on beside the genes: nothing, unless it is said.
    fn memory(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Takes over what [`Genes::memory`] has said, after the genes.
    ///
    /// # Errors
    /// What is not from such an assignment.
    fn remember(&mut self, memory: &[u32]) -> Result<(), CommError> {
        if memory.is_empty() { Ok(()) } else { Err(CommError::Unfit("lists")) }
    }

    /// Number of genes: one a delivery.
    fn gene_count(&self) -> usize;

    /// The solution.
    fn genes(&self) -> &[Gene];

    /// Weighted conflicts; 0 for a valid schedule.
    fn cost(&self) -> u64;

    /// A random value for gene `g`, whatever the others are.
    fn random(&self, g: usize, rng: &mut Rng) -> Gene;

    /// A solution to start from: random, or better where the papers have a heuristic for it.
    /// [`Genes::load`] must follow.
    fn start(&mut self, rng: &mut Rng) -> Vec<Gene> {
        (0..self.gene_count()).map(|g| self.random(g, rng)).collect()
    }

    /// A random neighbour of gene `g` that fits the others better than chance.
    fn propose(&self, g: usize, rng: &mut Rng) -> Gene;

    /// Two random transfers exchange their places: the genes to change, and their new values
    /// (time-slot swap: umda-multistage-networks, section 4.4). Nothing if they cannot.
    fn propose_swap(&self, rng: &mut Rng, changes: &mut Vec<(usize, Gene)>);

    /// Gives gene `g` a new value if the cost rises by at most `budget`. Says whether it did.
    fn attempt(&mut self, g: usize, gene: Gene, budget: i64) -> bool;

    /// Whether a gene's value fits into the number of steps.
    fn fits(&self, gene: Gene) -> bool;

    /// The step after the last one in which gene `g`'s transfer is under way.
    fn end(&self, g: usize) -> u32;

    /// Channels on the path of gene `g`.
    fn length(&self, g: usize) -> usize;

    /// The schedule of a solution of cost 0.
    fn plan(&self, genes: &[Gene]) -> Plan;
}
