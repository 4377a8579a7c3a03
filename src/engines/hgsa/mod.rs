//! HGSA, the hybrid of parallel simulated annealing and genetic operators
//! (hgsa-store-and-forward, figure 4 and sections 3.2 and 3.3). The paper's algorithm, line by line,
//! with `--set hgsa:neighbourhood=paper,shortening=paper`:
//!
//! | | the paper | the function |
//! |---|---|---|
//! | 1 | every process: give each gene a random path and step | [`Annealer::start`] |
//! | 2 | cut paths short (first heuristic) | [`Annealer::shorten_paths`] |
//! | 3 | repeat until no genes conflict: | `islands::island::Island::search_on` |
//! | 4 | ten times: an iteration at one temperature, then cool | [`Annealer::iterate`], [`Thermostat::cool`](cooling::Thermostat::cool) |
//! | 5 | change the path or the step of a random gene | [`Annealer::mutate_one`] |
//! | 6 | accept the change by Metropolis | `Metropolis::budget` |
//! | 7 | send the solution to the master | [`Annealer::genome`], `islands::island::Island::report` |
//! | 8 | the master: the roulette wheel gives each process another one's solution | `islands::groups::Group::partners`, `islands::groups::spin` |
//! | 9 | two children of the two parents by two-point crossover | `two_point` |
//! | 10 | mutate the best of the four | [`Genetics::choose`](genetic::Genetics::choose), [`Genetics::mutate`](genetic::Genetics::mutate) |
//! | 11 | keep the own solution or take the bred one, by Metropolis; line 2 | [`Annealer::select`] |
//! | 12 | no conflict: end the last genes earlier (second heuristic); seek one step fewer | `shorten()`, [`Annealer::seek`] |
//!
//! This module is the work of one island (lines 1, 2, 4 to 6 and 9 to 12); `ccsched_run::islands` has the
//! loop and the master. docs/engines.md lists the choices that the paper leaves open.
#![allow(rustdoc::private_intra_doc_links)]

mod annealer;
mod cooling;
pub mod genes;
mod genetic;
mod params;

pub use annealer::Annealer;
pub use cooling::Cooling;
pub use params::{Neighbourhood, Params, ROW, Restart, Shortening};

use super::Walker;
use ccsched_model::problem::{Content, Ports, Problem, Switching};
use genes::{Ejecting, Flood, Forest, Scatter};
use std::sync::Arc;

/// The walker of an island for a problem.
pub fn walker(problem: &Arc<Problem>, params: Params, seed: u64) -> Box<dyn Walker> {
    let frame = (params.cooling(problem), params.restart(problem));
    let problem = problem.clone();
    let is_stored = problem.switching().stores();
    match (problem.collective().content(), problem.switching()) {
        (Content::Personal, _) if params.ejects(&problem) => {
            let scatter = Ejecting::new(problem, seed);
            // An annealer beside a search leaves waiting to the search.
            let waits = is_stored && params.stride == 1;
            let scatter = if waits { scatter.waiting() } else { scatter };
            Box::new(Annealer::new(scatter, params, frame))
        }
        (Content::Personal, _) => {
            let scatter = Scatter::new(problem, seed);
            Box::new(Annealer::new(scatter, params, frame))
        }
        (Content::Common, Switching::Wormhole | Switching::Hosts) => {
            // A single message has room for long paths, and so have messages behind a narrow port;
            // otherwise many messages are flooded from neighbour to neighbour.
            let floods = problem.messages() > 1 && problem.ports() == Ports(None);
            let radius = floods.then_some(params.radius);
            let forest = Forest::new(problem, radius, seed);
            Box::new(Annealer::new(forest, params, frame))
        }
        (Content::Common, Switching::StoreAndForward) => {
            let flood = Flood::new(problem, params.shortening == Shortening::Always, seed);
            Box::new(Annealer::new(flood, params, frame))
        }
    }
}
