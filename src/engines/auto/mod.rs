//! What is best for a problem, whatever it takes: a constructor where one knows a schedule at once,
//! else the walkers that beat the papers' moves.

mod state;
mod turns;

use super::chains::Chains;
use super::constructors::{self, Offer};
use super::flooding::Flooding;
use super::hgsa::Params;
use super::{PathsFound, Walker};
use crate::problem::Problem;
use std::sync::Arc;
use turns::Turns;

/// The best walker for a problem, and how many paths it chooses from if it lists them.
pub fn walker(
    problem: &Arc<Problem>,
    params: Params,
    seed: u64,
) -> (Box<dyn Walker>, Option<PathsFound>) {
    let Some(plan) = constructors::plan(problem, seed) else {
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
    if !problem.collective.is_broadcast() {
        (Box::new(Turns::new(problem.clone(), params, seed)), None)
    } else if problem.messages() == 1 {
        (Box::new(Chains::new(problem.clone())), None)
    } else {
        let flooding = Flooding::new(problem, seed);
        let found = flooding.paths();
        (Box::new(flooding), Some(found))
    }
}
