//! Parameters of UMDA; the defaults are those of section 4.5 of umda-multistage-networks and
//! umda-diameter-degree-networks, as far as the papers give them.

use crate::problem::{Content, Problem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Deliveries of a broadcast that a mutation works on unless told otherwise.
pub const MUTATED_DELIVERIES: u32 = 8;

/// The parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Params {
    /// Number of individuals; even, so that half of them are parents and half are replaced.
    pub population: u32,
    /// Probability that a new individual is mutated.
    pub mutation: f64,
    /// How often the mutation operator is applied to an individual that is mutated. The papers swap
    /// two time slots in a scatter, once, and test paths of "particular" deliveries of a broadcast,
    /// of how many they leave open: if it is not given, 1 and [`MUTATED_DELIVERIES`].
    pub mutated_genes: Option<u32>,
    /// How far away a terminal may be that informs another in a broadcast, raised where that would
    /// cut somebody off. If none is given: 1 for an all-to-all broadcast with a larger lower bound
    /// than that of its one-to-all broadcasts, which is the papers' rule, else no limit.
    pub radius: Option<u32>,
    /// Share of the initial population of a broadcast with all time slots set to step 0. The papers
    /// give no number. The default is three individuals of 60: injected ones are unlike each other
    /// and better than what the model mixes from many of them, so that with half a population of
    /// them they stay among the parents for ever and nothing converges.
    pub injected: f64,
}

impl Default for Params {
    fn default() -> Self {
        Params { population: 60, mutation: 0.9, mutated_genes: None, radius: None, injected: 0.05 }
    }
}

impl Params {
    /// How often the mutation operator is applied to an individual of a problem.
    pub fn mutated(&self, problem: &Problem) -> u32 {
        let is_broadcast = problem.collective.content() == Content::Common;
        self.mutated_genes.unwrap_or(if is_broadcast { MUTATED_DELIVERIES } else { 1 })
    }

    /// The parameters that users may set, by option name.
    pub fn named(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("population", self.population.into()),
            ("mutation", self.mutation.into()),
            ("mutated-genes", self.mutated_genes.map_or("auto".into(), Value::from)),
            ("umda-radius", self.radius.map_or("auto".into(), Value::from)),
            ("injected", self.injected.into()),
        ]
    }
}
