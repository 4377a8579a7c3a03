//! What an island needs to know to take part in a search: the problem, the engine, and what all
//! islands share. Ranks receive it as bytes.

use super::SearchError;
use super::master::refuter::Refuter;
use crate::engines::{Engine, Walker};
use crate::network::Network;
use crate::network::faults::Fault;
use crate::problem::{Problem, Request};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What all islands of a search share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// The seed of all random numbers.
    pub seed: u64,
    /// Iterations between two exchanges.
    pub exchange_every: u64,
    /// The number of steps asked for; the fewest if none.
    pub goal: Option<u32>,
}

/// A problem and how to search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The network, faults taken out.
    pub network: Network,
    /// What was taken out.
    pub faults: Vec<Fault>,
    /// What is asked for.
    pub request: Request,
    /// The engine of the islands.
    pub engine: Engine,
    /// What the islands share.
    pub search: Search,
}

impl Job {
    /// The job of solving a problem.
    pub fn of(problem: &Problem, engine: Engine, search: Search) -> Self {
        let Problem { network, faults, request, .. } = problem;
        let (network, faults, request) = (network.clone(), faults.clone(), request.clone());
        Job { network, faults, request, engine, search }
    }

    /// Poses the problem.
    ///
    /// # Errors
    /// As [`Request::pose`].
    pub fn pose(&self) -> crate::Result<Arc<Problem>> {
        Ok(Arc::new(self.request.pose(self.network.clone(), self.faults.clone())?))
    }

    /// What ends a search with a proof, where the engine is `auto`; long attempts go on `aside`, on a
    /// thread of their own, if other threads may work for the search.
    pub(super) fn refuter(&self, problem: &Arc<Problem>, aside: bool) -> Option<Refuter> {
        matches!(self.engine, Engine::Auto(_)).then(|| Refuter::new(problem.clone(), aside))
    }

    /// What makes the walker of an island; it takes a while.
    ///
    /// # Errors
    /// Engines that cannot schedule the problem.
    pub(super) fn maker(
        &self,
        problem: &Arc<Problem>,
    ) -> Result<impl FnOnce() -> Box<dyn Walker> + Send + use<>, SearchError> {
        let searcher = self.engine.searcher(problem)?;
        let seed = self.search.seed;
        Ok(move || {
            let (walker, found) = searcher.walker(seed);
            let Some(found) = found else { return walker };
            log::debug!("{} paths", found.paths);
            if found.sampled_pairs > 0 {
                log::info!(
                    "{} pairs have more than {} paths; each chooses from a sample of that many",
                    found.sampled_pairs,
                    found.cap
                );
            }
            walker
        })
    }
}
