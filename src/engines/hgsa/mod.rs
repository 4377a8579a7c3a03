//! HGSA, the hybrid of parallel simulated annealing and genetic operators
//! (hgsa-store-and-forward, sections 3.2 and 3.3). This module is the work of one island;
//! [`crate::islands`] holds the exchange through the master.

mod annealer;
mod cooling;
mod crossover;
pub mod genes;
mod genetic;
mod metropolis;
mod parameters;
mod params;
mod shorten;

pub use annealer::Annealer;
pub use cooling::Cooling;
pub(super) use parameters::PARAMETERS;
pub use params::{Neighbourhood, Params, Restart, Shortening};

use super::{PathsFound, Walker};
use crate::problem::{Content, Ports, Problem, Switching};
use genes::{Ejecting, Flood, Forest, Scatter};
use std::sync::Arc;

/// The walker of an island for a problem, and the number of paths it chooses from.
pub fn walker(
    problem: &Arc<Problem>,
    params: Params,
    seed: u64,
) -> (Box<dyn Walker>, Option<PathsFound>) {
    let frame = (params.cooling(problem), params.restart(problem));
    let problem = problem.clone();
    let is_stored = problem.switching.stores();
    match (problem.collective.content(), problem.switching) {
        (Content::Personal, _) if params.ejects(&problem) => {
            let scatter = Ejecting::new(problem, seed);
            let found = PathsFound::of(scatter.routes().table());
            // An annealer beside a search leaves waiting to the search.
            let waits = is_stored && params.stride == 1;
            let scatter = if waits { scatter.waiting() } else { scatter };
            (Box::new(Annealer::new(scatter, params, frame)), Some(found))
        }
        (Content::Personal, _) => {
            let scatter = Scatter::new(problem, seed);
            let found = PathsFound::of(scatter.routes().table());
            (Box::new(Annealer::new(scatter, params, frame)), Some(found))
        }
        (Content::Common, Switching::Wormhole) => {
            // A single message has room for long paths, and so have messages behind a narrow port;
            // otherwise many messages are flooded from neighbour to neighbour.
            let floods = problem.messages() > 1 && problem.ports == Ports(None);
            let radius = floods.then_some(params.radius);
            let forest = Forest::new(problem, radius, seed);
            let found = PathsFound::of(forest.routes().table());
            (Box::new(Annealer::new(forest, params, frame)), Some(found))
        }
        (Content::Common, Switching::StoreAndForward) => {
            let flood = Flood::new(problem, params.shortening == Shortening::Always, seed);
            let found = PathsFound::of(flood.routes().table());
            (Box::new(Annealer::new(flood, params, frame)), Some(found))
        }
    }
}
