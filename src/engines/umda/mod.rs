//! UMDA, the univariate marginal distribution algorithm: the serial engine of
//! umda-multistage-networks, umda-diameter-degree-networks and umda-fault-tolerance (section 4 of
//! the first two). Where the papers leave an order or the genes to change open, each file states
//! the choice. Island models are compared with UMDA, so it follows the papers and adds nothing.
//! Wormhole networks only.

mod broadcast;
mod population;
mod scatter;
mod walker;

use super::Walker;
use super::row::{EngineRow, Runs};
use crate::Engine;
use crate::row::{OPEN, Parameter, Range, Values, values};
pub use broadcast::Broadcast;
use ccsched_bounds as bounds;
use ccsched_model::problem::Problem;
pub use population::{Allele, Dice, Encoding, Fitness, Marginals, Population, tournament};
pub use scatter::{Scatter, swap};
use std::sync::Arc;
pub use walker::Umda;

/// The engine.
pub static ROW: EngineRow = EngineRow {
    name: "umda",
    help: "Univariate marginal distribution algorithm of the literature; serial, wormhole only",
    parameters: &PARAMETERS,
    defaults: DEFAULTS,
    is_serial: true,
    runs: Runs::Islands(|problem, values, seed| walker(problem, values.into(), seed)),
    ..EngineRow::BASE
};

/// The walker for a problem.
pub fn walker(problem: &Arc<Problem>, params: Params, seed: u64) -> Box<dyn Walker> {
    let radius = params.radius.or_else(|| controlled_flood(problem).then_some(1));
    let encoding = Encoding::new(problem.clone(), radius, seed);
    Box::new(Umda::new(Arc::new(encoding), params))
}

/// Whether an all-to-all broadcast has a larger lower bound than its one-to-all broadcasts: the
/// papers then use a controlled flood (umda-diameter-degree-networks, section 4.4).
fn controlled_flood(problem: &Problem) -> bool {
    let bounds = bounds::all(problem);
    let steps = |name| bounds.iter().find(|b| b.name == name).map_or(0, |b| b.steps);
    problem.messages() > 1 && steps("ports") > steps("growth")
}

// Parameters of UMDA; the defaults are those of section 4.5 of umda-multistage-networks and
// umda-diameter-degree-networks, as far as the papers give them.

/// Deliveries of a broadcast that a mutation changes by default.
const MUTATED_DELIVERIES: u32 = 8;

/// Generations without a better individual after which a population begins anew by default.
const RESTART_AFTER: f64 = 1000.0;

/// The parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Number of individuals; even, so that half of them are parents and half are replaced.
    pub population: u32,
    /// Probability that a new individual is mutated.
    pub mutation: f64,
    /// Applications of the mutation operator to a mutated individual. The papers swap two time
    /// slots of a scatter once, and test paths of "particular" deliveries of a broadcast, without a
    /// number. Defaults: 1 for a scatter, `MUTATED_DELIVERIES` for a broadcast.
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
        Params::from(&DEFAULTS)
    }
}

impl Params {
    /// Applications of the mutation operator to a mutated individual of a problem.
    pub fn mutated(&self, problem: &Problem) -> u32 {
        let is_broadcast = problem.collective().content().is_common();
        self.mutated_genes.unwrap_or(if is_broadcast { MUTATED_DELIVERIES } else { 1 })
    }
}

/// Their defaults, in the same order.
const DEFAULTS: Values = values([60.0, 0.9, OPEN, OPEN, 0.05, RESTART_AFTER]);

/// The parameters that users may set.
const PARAMETERS: [Parameter; 6] = [
    Parameter::new("population", "Number of individuals", Range::Even(1_000_000)),
    Parameter::share("mutation", "Probability that a new individual mutates"),
    Parameter::new(
        "mutated-genes",
        "Genes changed by a mutation: swaps of two time slots in a scatter, deliveries with a \
               new time slot, source and path in a broadcast",
        Range::Count(u32::MAX as u64),
    )
    .open("1 swap, 8 deliveries"),
    Parameter::new(
        "radius",
        "Longest distance of a transfer in a broadcast; raised where it would leave a terminal \
               unreachable",
        Range::Count(u32::MAX as u64),
    )
    .open("1 for aab if its bound is above that of oab, else no limit")
    .serving(is_common),
    Parameter::share(
        "injected",
        "Share of a broadcast's initial population that starts with all deliveries in step 0",
    )
    .serving(is_common),
    Parameter::count(
        "restart-after",
        "Generations without a better individual after which the population begins anew",
    ),
];

fn is_common(problem: &Problem) -> bool {
    problem.collective().content().is_common()
}

impl From<&Values> for Params {
    fn from(&[population, mutation, genes, radius, injected, restart, ..]: &Values) -> Self {
        let given = |value: f64| (value != OPEN).then_some(value);
        Params {
            population: population as u32,
            mutation,
            mutated_genes: given(genes).map(|n| n as u32),
            radius: given(radius).map(|n| n as u32),
            injected,
            restart_after: given(restart).map(|n| n as u64),
        }
    }
}

impl From<Params> for Engine {
    fn from(p: Params) -> Self {
        let number = |n: Option<u32>| n.map_or(OPEN, f64::from);
        let restart = p.restart_after.map_or(OPEN, |n| n as f64);
        let (genes, radius) = (number(p.mutated_genes), number(p.radius));
        let of = [p.population.into(), p.mutation, genes, radius, p.injected, restart];
        Engine::with(&ROW, values(of))
    }
}
