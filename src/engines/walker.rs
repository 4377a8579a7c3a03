//! A walker: a search at a fixed number of steps that islands can hold.

use super::Method;
use crate::comm::CommError;
use crate::rng::Rng;
use crate::routing::{PathId, PathTable};
use crate::schedule::Plan;
use serde::{Deserialize, Serialize};

/// How one delivery is made: along which path, and in which step it starts (from 0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Gene {
    /// Index in the problem's table of paths.
    pub path: PathId,
    /// The first step of the transfer.
    pub step: u32,
}

/// What islands show each other of their solutions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Genome {
    /// Nothing that another could use.
    #[default]
    Nothing,
    /// A complete assignment with conflicts, as the papers' engines have it.
    Genes(Vec<Gene>),
    /// Transfers without a conflict among them; some may still be missing.
    Transfers(Plan),
}

/// A search at a fixed number of steps. Zero cost is a conflict-free schedule.
pub trait Walker: Resume + Copied + Send {
    /// Says which island this is, before anything else; those that have several ways to search begin
    /// with different ones.
    fn settle(&mut self, _island: usize) {}

    /// Searches from now on for a schedule of `steps` steps; what is known is carried over.
    /// Returns the number of solutions evaluated.
    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64;

    /// One iteration: as many proposed moves as there are genes. Returns the number of moves.
    fn iterate(&mut self, rng: &mut Rng) -> u64;

    /// Crosses over with the solution of another island, which may be of another kind. Returns the
    /// number of moves.
    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64;

    /// What is wrong with the present solution; 0 if it is conflict-free.
    fn cost(&self) -> u64;

    /// The present solution, for others to meet.
    fn genome(&self) -> Genome;

    /// How hot the search is, for the progress line; 0 where it does not anneal.
    fn temperature(&self) -> f64 {
        0.0
    }

    /// Shortens a conflict-free solution as far as is easy.
    fn polish(&mut self, _rng: &mut Rng) {}

    /// How many iterations at one number of steps are worth while before a larger one is tried.
    fn patience(&self) -> u64 {
        2000
    }

    /// What has happened since this was asked last, for the trace.
    fn tally(&mut self) -> Tally {
        Tally::default()
    }

    /// How the present solution was found.
    fn method(&self) -> Method;

    /// The schedule that the present solution is, if it costs nothing.
    fn plan(&self) -> Plan;
}

/// A search that can go on from another time.
pub trait Resume {
    /// All that the course of the search depends on, beside what it was made with and the random
    /// numbers to come.
    ///
    /// # Errors
    /// A state that cannot be put into bytes.
    fn save(&self) -> Result<Vec<u8>, CommError>;

    /// Goes on where the walker stood that saved this. It must have been made for the same problem
    /// with the same parameters, and must have settled on the same island.
    ///
    /// # Errors
    /// Bytes that are no such state.
    fn load(&mut self, state: &[u8]) -> Result<(), CommError>;
}

/// Walkers like another one, for other islands.
pub trait Copied {
    /// One of them.
    fn boxed_clone(&self) -> Box<dyn Walker>;
}

impl<W: Walker + Clone + 'static> Copied for W {
    fn boxed_clone(&self) -> Box<dyn Walker> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Walker> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// Counts of what a walker has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Moves that it could accept or refuse.
    pub proposed: u64,
    /// Of these, moves accepted.
    pub accepted: u64,
    /// Solutions of other islands of which it has taken something over.
    pub adopted: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.proposed += other.proposed;
        self.accepted += other.accepted;
        self.adopted += other.adopted;
    }
}

/// How many paths a walker chooses from.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathsFound {
    /// Paths stored.
    pub paths: usize,
    /// Pairs that have more paths than the cap, of which a sample is stored.
    pub sampled_pairs: usize,
    /// Most paths stored for one pair.
    pub cap: usize,
}

impl PathsFound {
    /// Of a table.
    pub fn of(table: &PathTable) -> Self {
        let (sampled_pairs, cap) = table.sampled();
        PathsFound { paths: table.len(), sampled_pairs, cap }
    }
}
