//! The job of an island: the problem, the engine, and the parameters that all islands share. Ranks
//! receive it as bytes.

use super::SearchError;
use super::least_time::OfTime;
use super::master::refuter::Refuter;
use super::migration::Migration;
use ccsched_engines::sized::Form;
use ccsched_engines::{Engine, Walker};
use ccsched_model::problem::{Problem, Request};
use ccsched_model::schedule::Plan;
use ccsched_network::faults::Fault;
use ccsched_network::tables::{Left, UNLIMITED};
use ccsched_network::{Network, Routes};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The default seed.
pub const SEED: u64 = 1;

/// Iterations between two exchanges (hgsa-store-and-forward, section 3.2).
pub const EXCHANGE_EVERY: u64 = 10;

/// Islands of an exchange group. The master of a group receives the genomes of all its islands at
/// each exchange; docs/islands.md counts the bytes.
pub const EXCHANGE_GROUP: usize = 64;

/// The parameters that all islands of a search share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// The seed of all random numbers.
    pub seed: u64,
    /// Iterations between two exchanges.
    pub exchange_every: u64,
    /// Islands of a group: those that exchange with each other at each exchange.
    pub exchange_group: usize,
    /// What islands of a group exchange.
    pub migration: Migration,
    /// The number of steps asked for; if none, as few as possible.
    pub goal: Option<u32>,
    /// The form of a schedule of the least time; none for the fewest steps.
    pub form: Option<Form>,
}

impl Default for Search {
    fn default() -> Self {
        let (exchange_every, exchange_group) = (EXCHANGE_EVERY, EXCHANGE_GROUP);
        let migration = Migration::default();
        Search { seed: SEED, exchange_every, exchange_group, migration, goal: None, form: None }
    }
}

impl Search {
    /// Whether a schedule is as short as asked for: walkers and openings also show longer ones.
    pub fn wants(&self, plan: &Plan) -> bool {
        self.goal.is_none_or(|goal| plan.len() <= goal as usize)
    }
}

/// A problem, the engine and its parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The network without the faulty parts.
    pub network: Network,
    /// The faults.
    pub faults: Vec<Fault>,
    /// The request.
    pub request: Request,
    /// The engine of the islands.
    pub engine: Engine,
    /// The parameters that the islands share.
    pub search: Search,
    /// The table of routes, if it is made already: one that was made within some time is not made twice.
    pub table: Option<Arc<Routes>>,
}

impl Job {
    /// The job of solving a problem.
    pub fn of(problem: &Problem, engine: Engine, search: Search) -> Self {
        let (network, faults) = (problem.network().clone(), problem.faults().to_vec());
        let table = problem.table().cloned();
        Job { network, faults, request: problem.request().clone(), engine, search, table }
    }

    /// Poses the problem.
    ///
    /// # Errors
    /// As [`Request::pose`].
    pub fn pose(&self) -> ccsched_base::Result<Arc<Problem>> {
        self.pose_within(UNLIMITED)
    }

    /// The same; a table of routes that is to be made is improved no longer than some time is left.
    ///
    /// # Errors
    /// As [`Request::pose`].
    pub fn pose_within(&self, left: Left<'_>) -> ccsched_base::Result<Arc<Problem>> {
        let (network, faults) = (self.network.clone(), self.faults.clone());
        let problem = match self.table.as_deref() {
            Some(table) => self.request.pose_along(network, faults, table.clone()),
            None => self.request.pose_within(network, faults, left),
        };
        Ok(Arc::new(problem?))
    }

    /// The refuter that may end a search for the fewest steps by a proof, if the engine is a universal one. With
    /// `aside`, long attempts run on a thread of their own.
    pub(super) fn refuter(&self, problem: &Arc<Problem>, aside: bool) -> Option<Refuter> {
        let refutes = self.engine.is_universal() && self.search.form.is_none();
        refutes.then(|| Refuter::new(problem.clone(), aside))
    }

    /// A closure that makes the walker of an island, which may take long.
    ///
    /// # Errors
    /// The engine cannot schedule the problem.
    pub(super) fn maker(
        &self,
        problem: &Arc<Problem>,
        of_time: Option<OfTime>,
    ) -> Result<Box<dyn FnOnce() -> Box<dyn Walker> + Send>, SearchError> {
        let (engine, seed) = (self.engine, self.search.seed);
        if let Some(form) = self.search.form {
            let (make, problem) = (engine.least_time()?, problem.clone());
            let start = move || of_time.unwrap_or_default().start(&problem, form, seed);
            return Ok(Box::new(move || make(start())));
        }
        let searcher = engine.searcher(problem)?;
        Ok(Box::new(move || {
            let walker = searcher.walker(seed);
            let Some(found) = walker.paths() else { return walker };
            log::debug!("{} paths", found.paths);
            if found.sampled_pairs > 0 {
                log::info!(
                    "{} pairs have more than {} paths; each chooses from a sample of that many",
                    found.sampled_pairs,
                    found.cap
                );
            }
            walker
        }))
    }
}
