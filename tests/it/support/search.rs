//! A search as the programs make it, without their command line.

use crate::support::checked::{Checker, NEVER};
use ccsched::bounds;
use ccsched::engines::{Config, hgsa};
use ccsched::islands::{Outcome, Search, SearchError, StopCondition, run_on_threads};
use ccsched::problem::Problem;
use std::sync::Arc;

/// Searches on so many threads.
pub fn search(
    problem: &Arc<Problem>,
    params: hgsa::Params,
    seed: u64,
    islands: usize,
    iterations: u64,
) -> Result<Outcome, SearchError> {
    let bound = bounds::all(problem).first().map_or(1, |b| b.steps);
    let (walker, _) = Config::Hgsa(params).walker(problem, seed);
    let search = Search { seed, exchange_every: 10, goal: None };
    let stop = StopCondition::new(iterations, None, &NEVER);
    run_on_threads(walker, &search, islands, bound, stop, &mut Checker(problem))
}
