//! Which engine searches, with its parameters.

use super::hgsa::Neighbourhood;
use super::{PathsFound, Walker, auto, hgsa, umda};
use crate::problem::{Problem, Switching};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// An engine and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Config {
    /// Hybrid of parallel simulated annealing and genetic operators.
    Hgsa(hgsa::Params),
    /// Serial univariate marginal distribution algorithm.
    Umda(umda::Params),
    /// Engines that need no islands.
    Direct(Direct),
}

/// An engine that works alone, without islands: see `direct`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direct {
    /// The exact search for liquid schedules.
    Liquid,
    /// Greedy colouring of the conflict graph.
    Dsatur,
    /// Phases that know nothing of the network.
    RoundRobin,
}

impl Config {
    /// The engine's name.
    pub fn name(&self) -> &'static str {
        match self {
            Config::Hgsa(_) => "hgsa",
            Config::Umda(_) => "umda",
            Config::Direct(Direct::Liquid) => "liquid",
            Config::Direct(Direct::Dsatur) => "dsatur",
            Config::Direct(Direct::RoundRobin) => "round-robin",
        }
    }

    /// Whether it may use all that there is, not only what a paper has.
    pub fn is_auto(&self) -> bool {
        matches!(self, Config::Hgsa(params) if params.neighbourhood == Neighbourhood::Auto)
    }

    /// The parameters that users may set, by option name.
    pub fn parameters(&self) -> Vec<(&'static str, Value)> {
        match self {
            Config::Hgsa(params) => params.named(),
            Config::Umda(params) => params.named(),
            Config::Direct(_) => Vec::new(),
        }
    }

    /// Whether the engine can do what is asked, on so many islands.
    ///
    /// # Errors
    /// What it cannot do.
    pub fn check(&self, switching: Switching, islands: usize) -> Result<()> {
        match self {
            Config::Hgsa(_) => Ok(()),
            Config::Umda(_) => umda::check(switching, islands),
            Config::Direct(_) if islands > 1 => Err(Error::problem(format!(
                "--engine {} works alone, not on {islands} islands or ranks; for several take another \
                 engine, for example --engine auto",
                self.name()
            ))),
            Config::Direct(_) => Ok(()),
        }
    }

    /// The walker of an island, and how many paths it chooses from if it lists
    /// them.
    pub fn walker(
        &self,
        problem: &Arc<Problem>,
        seed: u64,
    ) -> (Box<dyn Walker>, Option<PathsFound>) {
        match self {
            Config::Hgsa(params) if params.neighbourhood == Neighbourhood::Auto => {
                auto::walker(problem, *params, seed)
            }
            Config::Hgsa(params) => hgsa::walker(problem, *params, seed),
            Config::Umda(params) => umda::walker(problem, *params, seed),
            // Whoever has islands asks beforehand.
            Config::Direct(_) => unreachable!("{} has no islands", self.name()),
        }
    }
}
