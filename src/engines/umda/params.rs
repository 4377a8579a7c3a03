//! Parameters of UMDA; the defaults are those of section 4.5 of umda-multistage-networks and
//! umda-diameter-degree-networks, as far as the papers give them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Params {
    /// Number of individuals; even, so that half of them are parents and half are replaced.
    pub population: u32,
    /// Probability that a new individual is mutated.
    pub mutation: f64,
    /// How often the mutation operator is applied to an individual that is mutated; the papers
    /// leave it open.
    pub mutated_genes: u32,
    /// How far away a terminal may be that informs another in a broadcast, raised where that would
    /// cut somebody off. If none is given: 1 for an all-to-all broadcast with a larger lower bound
    /// than that of its one-to-all broadcasts, which is the papers' rule, else no limit.
    pub radius: Option<u32>,
    /// Share of the initial population of a broadcast with all time slots set to step 0.
    pub injected: f64,
}

impl Default for Params {
    fn default() -> Self {
        Params { population: 60, mutation: 0.9, mutated_genes: 1, radius: None, injected: 0.5 }
    }
}

impl Params {
    /// The parameters that users may set, by option name.
    pub fn named(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("population", self.population.into()),
            ("mutation", self.mutation.into()),
            ("mutated-genes", self.mutated_genes.into()),
            ("umda-radius", self.radius.map_or("auto".into(), Value::from)),
            ("injected", self.injected.into()),
        ]
    }
}
