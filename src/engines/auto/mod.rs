//! The default engine: a constructor where one applies, then the search of the collective, which
//! beats the moves of the papers, and on several islands an annealer beside it.

mod apart;
mod offer;
mod paired;
mod race;
mod sums;
mod trees;
mod wider;

use super::policy::Search;
use super::reduce::{self, Lifted, Reduction};
use super::row::{EngineRow, Parameter, Runs, values};
use super::search::allgather::AllgatherSearch;
use super::search::broadcast::BroadcastSearch;
use super::search::hosts::HostHops;
use super::search::joined::Joined;
use super::search::multicast::{TreeFlood, TreeSums};
use super::sized;
use super::{Engine, Walker, construct, policy};
use ccsched_bounds as bounds;
use ccsched_model::problem::Problem;
use offer::Offer;
use paired::Paired;
use race::Race;
use std::sync::Arc;
use sums::Sums;
use trees::Beside;
use wider::Wider;

/// The parameters of searches for scatters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Whether to search also for schedules that a group of automorphisms preserves.
    pub symmetry: bool,
}

impl Default for Params {
    fn default() -> Self {
        Params { symmetry: true }
    }
}

impl From<Params> for Engine {
    fn from(params: Params) -> Self {
        Engine::with(&ROW, values([params.symmetry as u8 as f64]))
    }
}

/// The engine.
pub static ROW: EngineRow = EngineRow {
    name: "auto",
    help: "The best method for the problem: constructors, searches, refutation",
    parameters: &[Parameter::flag(
        "symmetry",
        "Whether to search for scatters also under groups of automorphisms",
    )
    .serving(|problem| problem.is_plain() && problem.collective().content().is_personal())],
    defaults: values([1.0]),
    is_universal: true,
    runs: Runs::Islands(|problem, &[symmetry, ..], seed| {
        walker(problem, Params { symmetry: symmetry != 0.0 }, seed)
    }),
    least_time: Some(sized::walker),
    ..EngineRow::BASE
};

/// The best walker for a problem.
pub fn walker(problem: &Arc<Problem>, params: Params, seed: u64) -> Box<dyn Walker> {
    if problem.is_multicast() {
        return over_switches(problem, params, seed);
    }
    if problem.collective().is_all_reduce() {
        return Box::new(Sums::new(problem, params, seed));
    }
    if problem.groups().is_some() {
        return Box::new(AllgatherSearch::new(problem, seed));
    }
    if problem.collective().joins() {
        return Box::new(Joined::new(problem, seed));
    }
    if !problem.is_plain() {
        let inner = problem.clone();
        let search = move || -> Box<dyn Walker> { Box::new(HostHops::new(&inner)) };
        return match construct::between_hosts(problem, seed) {
            Some((plan, method)) => Box::new(Offer::new(plan, method, search)),
            None => search(),
        };
    }
    if let Some(wider) = Wider::of(problem, params, seed) {
        return Box::new(wider);
    }
    // The opening of the run has tried the constructors on a large problem.
    let constructed = match policy::is_large(problem) {
        true => None,
        false => construct::plan(problem, seed),
    };
    let Some((plan, method)) = constructed else {
        return paired(problem, params, seed);
    };
    let problem = problem.clone();
    let search = move || paired(&problem, params, seed);
    Box::new(Offer::new(plan, method, search))
}

/// The walker where switches copy and add up. Schedules without trees are valid there, but take as many steps as
/// without that rule.
fn over_switches(problem: &Arc<Problem>, params: Params, seed: u64) -> Box<dyn Walker> {
    if problem.collective().is_all_reduce() {
        let halves = Box::new(Sums::new(problem, params, seed));
        return Box::new(Beside::new(Box::new(TreeSums::new(problem)), halves, 0));
    }
    let trees = Box::new(TreeFlood::new(problem));
    let Ok(plain) = problem.without_multicast() else { return trees };
    let plain = Arc::new(plain);
    if policy::is_large(&plain) {
        return trees;
    }
    let least = bounds::quick(&plain).first().map_or(1, |bound| bound.steps);
    Box::new(Beside::new(trees, walker(&plain, params, seed), least))
}

/// The search walker for a problem, without a constructor; with an annealer beside it, if that is the policy.
fn paired(problem: &Arc<Problem>, params: Params, seed: u64) -> Box<dyn Walker> {
    let search = searcher(problem, params, seed);
    if !policy::anneals(problem) {
        return search;
    }
    Box::new(Paired::new(search, problem.clone(), seed))
}

/// The search walker for a problem, without a constructor and without an annealer: for the messages that a construction
/// leaves, if one does, else for the innermost problem of its exact reductions.
pub fn searcher(problem: &Arc<Problem>, params: Params, seed: u64) -> Box<dyn Walker> {
    let rest =
        policy::keeps_construction(problem).then(|| construct::unfinished(problem)).flatten();
    if let Some(rest) = rest {
        let search = Race::new(rest.inner().clone(), params, seed);
        return Box::new(Lifted::new(Arc::new(rest), Box::new(search)));
    }
    if let Some(reduction) = reduce::exact(problem) {
        let search = searcher(reduction.inner(), params, seed);
        return Box::new(Lifted::new(reduction, search));
    }
    match policy::search(problem) {
        Search::Race => Box::new(Race::new(problem.clone(), params, seed)),
        Search::Chains => Box::new(BroadcastSearch::new(problem.clone())),
        Search::Flood => Box::new(AllgatherSearch::new(problem, seed)),
    }
}
