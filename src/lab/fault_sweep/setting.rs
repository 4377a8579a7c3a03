//! What a fault sweep schedules, under which faults, and how long it searches.

use super::FaultSet;
use ccsched_engines::Engine;
use ccsched_model::problem::{Collective, Request};
use ccsched_network::Network;
use ccsched_network::faults::{self, Fault};
use std::time::Duration;

/// What to schedule, under which faults, and how long to search.
#[derive(Clone, Debug)]
pub struct FaultSweep {
    /// The network, without `faults`.
    pub network: Network,
    /// Faults that are there before the sweep.
    pub faults: Vec<Fault>,
    /// The sets of further faults, such as [`fault_sets`](super::fault_sets) lists them.
    pub sets: Vec<FaultSet>,
    /// What to schedule; requests differ in their collectives alone.
    pub requests: Vec<Request>,
    /// The engine; it must have islands.
    pub engine: Engine,
    /// The seed of every search, and of the sampled automorphisms.
    pub seed: u64,
    /// Iterations of the search in a cell.
    pub iterations: u64,
    /// Wall time of the search in a cell.
    pub time_limit: Option<Duration>,
}

impl FaultSweep {
    /// All faults of a set, those before the sweep first, as schedule files hold them.
    pub fn faults_with(&self, set: &FaultSet) -> Vec<Fault> {
        faults::after(&self.faults, set.records(&self.network))
    }

    /// The label of the fault set with index `set`.
    pub fn label(&self, set: usize) -> String {
        self.sets[set].label(&self.network)
    }

    /// The collectives, in the order of the requests.
    pub fn collectives(&self) -> Vec<Collective> {
        self.requests.iter().map(|request| request.collective).collect()
    }
}
