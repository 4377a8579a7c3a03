//! Parameters of UMDA; the defaults are those of section 4.5 of umda-multistage-networks and
//! umda-diameter-degree-networks, as far as the papers give them.

use crate::parameter::{Field, Parameter};
use ccsched_model::problem::Problem;
use serde::{Deserialize, Serialize};

/// Deliveries of a broadcast that a mutation changes by default.
pub const MUTATED_DELIVERIES: u32 = 8;

/// Generations without a better individual after which a population begins anew by default.
const RESTART_AFTER: u64 = 1000;

/// The parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Params {
    /// Number of individuals; even, so that half of them are parents and half are replaced.
    pub population: u32,
    /// Probability that a new individual is mutated.
    pub mutation: f64,
    /// Applications of the mutation operator to a mutated individual. The papers swap two time
    /// slots of a scatter once, and test paths of "particular" deliveries of a broadcast, without a
    /// number. Defaults: 1 for a scatter, [`MUTATED_DELIVERIES`] for a broadcast.
    pub mutated_genes: Option<u32>,
    /// Largest distance from sender to receiver in a broadcast, raised where it would cut off a
    /// terminal. By default 1 for an all-to-all broadcast with a larger lower bound than its
    /// one-to-all broadcasts, which is the papers' rule, else no limit.
    pub radius: Option<u32>,
    /// Share of the initial population of a broadcast with all time slots set to step 0. The papers
    /// give no number. The default is three individuals of 60. Injected individuals differ from
    /// each other and are fitter than mixtures of them, so if they are half of a population, they
    /// stay among the parents for ever and the model does not converge.
    pub injected: f64,
    /// Generations without a better individual after which the population begins anew; if `None`,
    /// never. The papers do not say what a run does once its population has converged.
    pub restart_after: Option<u64>,
}

impl Default for Params {
    fn default() -> Self {
        Params {
            population: 60,
            mutation: 0.9,
            mutated_genes: None,
            radius: None,
            injected: 0.05,
            restart_after: Some(RESTART_AFTER),
        }
    }
}

impl Params {
    /// Applications of the mutation operator to a mutated individual of a problem.
    pub fn mutated(&self, problem: &Problem) -> u32 {
        let is_broadcast = problem.collective().content().is_common();
        self.mutated_genes.unwrap_or(if is_broadcast { MUTATED_DELIVERIES } else { 1 })
    }
}

/// The parameters that users may set.
pub(crate) const PARAMETERS: &[Parameter<Params>] = &[
    Parameter {
        name: "population",
        help: "Number of individuals",
        default: "",
        field: Field::Even(
            1_000_000,
            |p| Some(p.population.into()),
            |p, number| p.population = number as u32,
        ),
        applies: |_| true,
    },
    Parameter {
        name: "mutation",
        help: "Probability that a new individual mutates",
        default: "",
        field: Field::Share(|p| Some(p.mutation), |p, probability| p.mutation = probability),
        applies: |_| true,
    },
    Parameter {
        name: "mutated-genes",
        help: "Genes changed by a mutation: swaps of two time slots in a scatter, deliveries with a \
               new time slot, source and path in a broadcast",
        default: "1 swap, 8 deliveries",
        field: Field::Count(
            u32::MAX as u64,
            |p| p.mutated_genes.map(u64::from),
            |p, genes| p.mutated_genes = Some(genes as u32),
        ),
        applies: |_| true,
    },
    Parameter {
        name: "radius",
        help: "Longest distance of a transfer in a broadcast; raised where it would leave a terminal \
               unreachable",
        default: "1 for aab if its bound is above that of oab, else no limit",
        field: Field::Count(
            u32::MAX as u64,
            |p| p.radius.map(u64::from),
            |p, radius| p.radius = Some(radius as u32),
        ),
        applies: |_| true,
    },
    Parameter {
        name: "injected",
        help: "Share of a broadcast's initial population that starts with all deliveries in step 0",
        default: "",
        field: Field::Share(|p| Some(p.injected), |p, share| p.injected = share),
        applies: |_| true,
    },
    Parameter {
        name: "restart-after",
        help: "Generations without a better individual after which the population begins anew",
        default: "",
        field: Field::Count(
            u64::MAX,
            |p| p.restart_after,
            |p, generations| p.restart_after = Some(generations),
        ),
        applies: |_| true,
    },
];
