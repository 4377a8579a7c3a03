//! What is best for a problem, whatever it takes: a constructor where one knows a schedule at once,
//! else the walkers that beat the papers' moves.

mod offer;
mod race;

use super::hgsa::Params;
use super::search::allgather::AllgatherSearch;
use super::search::broadcast::BroadcastSearch;
use super::{PathsFound, Walker, construct};
use crate::problem::{Content, Problem};
use offer::Offer;
use race::Race;
use std::sync::Arc;

/// The best walker for a problem, and how many paths it chooses from if it lists them.
pub fn walker(
    problem: &Arc<Problem>,
    params: Params,
    seed: u64,
) -> (Box<dyn Walker>, Option<PathsFound>) {
    let Some(plan) = construct::plan(problem, seed) else {
        return searcher(problem, params, seed);
    };
    let problem = problem.clone();
    (Box::new(Offer::new(plan, move || searcher(&problem, params, seed).0)), None)
}

/// The walker that searches where no schedule is at hand.
fn searcher(
    problem: &Arc<Problem>,
    params: Params,
    seed: u64,
) -> (Box<dyn Walker>, Option<PathsFound>) {
    if problem.collective.content() == Content::Personal {
        (Box::new(Race::new(problem.clone(), params, seed)), None)
    } else if problem.messages() == 1 {
        (Box::new(BroadcastSearch::new(problem.clone())), None)
    } else {
        let flooding = AllgatherSearch::new(problem, seed);
        let found = flooding.paths();
        (Box::new(flooding), Some(found))
    }
}
