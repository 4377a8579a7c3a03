//! Which engine searches, with its parameters.

use super::hgsa::Neighbourhood;
use super::{PathsFound, Walker, auto, hgsa, umda};
use crate::Result;
use crate::problem::{Problem, Switching};
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
}

impl Config {
    /// The engine's name.
    pub fn name(&self) -> &'static str {
        match self {
            Config::Hgsa(_) => "hgsa",
            Config::Umda(_) => "umda",
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
        }
    }
}
