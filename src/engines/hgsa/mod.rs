//! HGSA, the hybrid of parallel simulated annealing and genetic operators
//! (hgsa-store-and-forward, sections 3.2 and 3.3). This module is the work of one island;
//! [`crate::islands`] holds the exchange through the master.

mod annealer;
mod cooling;
mod crossover;
pub mod genes;
mod metropolis;
mod shorten;

pub use annealer::Annealer;
pub use cooling::Cooling;

use super::{PathsFound, Walker, auto};
use crate::problem::{Content, Ports, Problem, Switching};
use genes::{Flood, Forest, Scatter};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The moves of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Neighbourhood {
    /// Simulated annealing of genes, as in the papers.
    Paper,
    /// The moves of [`super::search`], which beat the papers': guided ejection for scatters,
    /// ejection chains and flood and repair for broadcasts.
    Search,
}

impl Neighbourhood {
    /// The name, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Neighbourhood::Paper => "paper",
            Neighbourhood::Search => "search",
        }
    }
}

/// The parameters of an island.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Params {
    /// The moves.
    pub neighbourhood: Neighbourhood,
    /// The cooling schedule.
    pub cooling: Cooling,
    /// Share of the moves that swap the places of two transfers.
    pub swap_share: f64,
    /// With [`Neighbourhood::Search`], whether to search for scatters also under groups of
    /// automorphisms.
    pub symmetry: bool,
    /// Whether islands adopt others' solutions; if `None`, only with the moves of the papers.
    pub exchange: Option<bool>,
    /// Probability that the better child of a crossover is mutated. Parents always are.
    pub child_mutation: f64,
    /// Share of the genes that a mutation changes; at least one gene.
    pub mutated_share: f64,
    /// The second heuristic applies if at most this number of transfers end last.
    pub most_longest: usize,
    /// Largest distance from sender to receiver in a wormhole all-to-all broadcast
    /// (umda-diameter-degree-networks, section 4.4). Raised where it would cut off a terminal.
    pub radius: u32,
}

impl Params {
    /// The parameters that users may set, by option name.
    pub fn named(&self) -> Vec<(&'static str, Value)> {
        let moves: Vec<(&'static str, Value)> = match self.neighbourhood {
            Neighbourhood::Paper => vec![
                ("hot", self.cooling.hot.into()),
                ("cold", self.cooling.cold.into()),
                ("round", self.cooling.first_round.into()),
                ("swaps", self.swap_share.into()),
                ("radius", self.radius.into()),
            ],
            Neighbourhood::Search => vec![("symmetry", self.symmetry.into())],
        };
        let both = [
            ("neighbourhood", self.neighbourhood.name().into()),
            ("exchange", self.exchanges().into()),
        ];
        both.into_iter().chain(moves).collect()
    }

    /// Whether islands adopt others' solutions.
    pub fn exchanges(&self) -> bool {
        self.exchange.unwrap_or(self.neighbourhood == Neighbourhood::Paper)
    }
}

impl Default for Params {
    fn default() -> Self {
        Params {
            neighbourhood: Neighbourhood::Paper,
            cooling: Cooling::default(),
            swap_share: 0.25,
            symmetry: true,
            exchange: None,
            child_mutation: 0.5,
            mutated_share: 0.01,
            most_longest: 16,
            radius: 1,
        }
    }
}

/// The walker of an island for a problem, and the number of paths it chooses from.
pub fn walker(
    problem: &Arc<Problem>,
    params: Params,
    seed: u64,
) -> (Box<dyn Walker>, Option<PathsFound>) {
    match params.neighbourhood {
        Neighbourhood::Paper => annealer(problem, params, seed),
        Neighbourhood::Search => {
            let Params { symmetry, .. } = params;
            let params = auto::Params { symmetry, exchange: params.exchanges() };
            auto::searcher(problem, params, seed)
        }
    }
}

/// The walker with the papers' moves.
fn annealer(
    problem: &Arc<Problem>,
    params: Params,
    seed: u64,
) -> (Box<dyn Walker>, Option<PathsFound>) {
    let problem = problem.clone();
    match (problem.collective.content(), problem.switching) {
        (Content::Personal, _) => {
            let scatter = Scatter::new(problem, seed);
            let found = PathsFound::of(scatter.routes().table());
            (Box::new(Annealer::new(scatter, params)), Some(found))
        }
        (Content::Common, Switching::Wormhole) => {
            // A single message has room for long paths, and so have messages behind a narrow port;
            // otherwise many messages are flooded from neighbour to neighbour.
            let floods = problem.messages() > 1 && problem.ports == Ports(None);
            let radius = floods.then_some(params.radius);
            let forest = Forest::new(problem, radius, seed);
            let found = PathsFound::of(forest.routes().table());
            (Box::new(Annealer::new(forest, params)), Some(found))
        }
        (Content::Common, Switching::StoreAndForward) => {
            let flood = Flood::new(problem, seed);
            let found = PathsFound::of(flood.routes().table());
            (Box::new(Annealer::new(flood, params)), Some(found))
        }
    }
}
