//! UMDA, the univariate marginal distribution algorithm: the serial engine of
//! umda-multistage-networks, umda-diameter-degree-networks and umda-fault-tolerance (section 4 of
//! the first two). Where the papers leave an order or the genes to change open, each file states
//! the choice. Island models are compared with UMDA, so it follows the papers and adds nothing.
//! Wormhole networks only.

mod broadcast;
mod dice;
mod encoding;
mod fitness;
mod model;
mod params;
mod population;
mod scatter;
mod selection;
mod walker;

pub use broadcast::Broadcast;
pub use dice::Dice;
pub use encoding::{Allele, Encoding};
pub use fitness::Fitness;
pub use model::Marginals;
pub use params::{MUTATED_DELIVERIES, Params};
pub use population::Population;
pub use scatter::{Scatter, swap};
pub use selection::tournament;
pub use walker::Umda;

use super::Walker;
use super::row::{EngineRow, Runs};
use ccsched_bounds as bounds;
use ccsched_model::problem::Problem;
use std::sync::Arc;

/// The engine.
pub static ROW: EngineRow = EngineRow {
    name: "umda",
    help: "Univariate marginal distribution algorithm of the literature; serial, wormhole only",
    parameters: &params::PARAMETERS,
    defaults: params::DEFAULTS,
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
