//! The default engine: a constructor where one applies, then the search of the collective, which
//! beats the moves of the papers, and on several islands an annealer beside it.

mod offer;
mod paired;
mod race;
mod sums;
mod wider;

use super::parameter::{Field, Parameter};
use super::policy::Search;
use super::reduce::{self, Lifted, Reduction};
use super::search::allgather::AllgatherSearch;
use super::search::broadcast::BroadcastSearch;
use super::search::hosts::HostHops;
use super::search::joined::Joined;
use super::{PathsFound, Walker, construct, policy};
use ccsched_model::problem::Problem;
use offer::Offer;
use paired::Paired;
use race::Race;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use sums::Sums;
use wider::Wider;

/// The parameters of searches for scatters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Params {
    /// Whether to search also for schedules that a group of automorphisms preserves.
    pub symmetry: bool,
}

impl Default for Params {
    fn default() -> Self {
        Params { symmetry: true }
    }
}

/// The parameters that users may set.
pub(super) const PARAMETERS: &[Parameter<Params>] = &[Parameter {
    name: "symmetry",
    help: "Whether to search for scatters also under groups of automorphisms",
    default: "",
    field: Field::Flag(|p| Some(p.symmetry), |p, is| p.symmetry = is),
    applies: |_| true,
}];

/// The best walker for a problem, and the number of paths it chooses from, if it lists paths.
pub fn walker(
    problem: &Arc<Problem>,
    params: Params,
    seed: u64,
) -> (Box<dyn Walker>, Option<PathsFound>) {
    if problem.collective().is_all_reduce() {
        return (Box::new(Sums::new(problem, params, seed)), None);
    }
    if problem.groups().is_some() {
        let search = AllgatherSearch::new(problem, seed);
        let found = search.paths();
        return (Box::new(search), Some(found));
    }
    if problem.collective().joins() {
        return (Box::new(Joined::new(problem, seed)), None);
    }
    if !problem.is_plain() {
        return (Box::new(HostHops::new(problem)), None);
    }
    if let Some((wider, found)) = Wider::of(problem, params, seed) {
        return (Box::new(wider), found);
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
    let search = move || paired(&problem, params, seed).0;
    (Box::new(Offer::new(plan, method, search)), None)
}

/// The search walker for a problem, without a constructor; with an annealer beside it, if that is the policy.
fn paired(
    problem: &Arc<Problem>,
    params: Params,
    seed: u64,
) -> (Box<dyn Walker>, Option<PathsFound>) {
    let (search, found) = searcher(problem, params, seed);
    if !policy::anneals(problem) {
        return (search, found);
    }
    (Box::new(Paired::new(search, problem.clone(), seed)), found)
}

/// The search walker for a problem, without a constructor and without an annealer: for the messages that a construction
/// leaves, if one does, else for the innermost problem of its exact reductions.
pub fn searcher(
    problem: &Arc<Problem>,
    params: Params,
    seed: u64,
) -> (Box<dyn Walker>, Option<PathsFound>) {
    let rest =
        policy::keeps_construction(problem).then(|| construct::unfinished(problem)).flatten();
    if let Some(rest) = rest {
        let search = Race::new(rest.inner().clone(), params, seed);
        return (Box::new(Lifted::new(Arc::new(rest), Box::new(search))), None);
    }
    if let Some(reduction) = reduce::exact(problem) {
        let (search, found) = searcher(reduction.inner(), params, seed);
        return (Box::new(Lifted::new(reduction, search)), found);
    }
    match policy::search(problem) {
        Search::Race => (Box::new(Race::new(problem.clone(), params, seed)), None),
        Search::Chains => (Box::new(BroadcastSearch::new(problem.clone())), None),
        Search::Flood => {
            let search = AllgatherSearch::new(problem, seed);
            let found = search.paths();
            (Box::new(search), Some(found))
        }
    }
}
