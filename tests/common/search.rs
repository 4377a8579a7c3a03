//! A search as the programs make it, without their command line: every schedule that comes up is
//! checked by the verifier together with all bounds, and one that is not valid ends the search.

use ccsched::bounds;
use ccsched::engines::hgsa;
use ccsched::islands::{Listener, Outcome, Progress, Search, SearchError, Stop, run_on_threads};
use ccsched::problem::Problem;
use ccsched::schedule::file::Provenance;
use ccsched::schedule::{Plan, ScheduleFile};
use ccsched::verify::verify;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Nobody interrupts tests.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// The schedule file of a plan, with all bounds.
pub fn file_of(problem: &Problem, plan: &Plan) -> ScheduleFile {
    plan.record(problem, &bounds::all(problem), Provenance::default())
}

/// What the verifier has against a plan, a line each; empty if it is valid.
pub fn complaints(problem: &Problem, plan: &Plan) -> String {
    let lines = verify(&file_of(problem, plan)).into_iter().map(|v| format!("{v}\n"));
    lines.collect()
}

/// Refuses schedules that are not valid.
pub struct Checker<'a>(pub &'a Problem);

impl Listener for Checker<'_> {
    fn progress(&mut self, _: &Progress) {}

    fn improved(&mut self, plan: &Plan) -> Result<(), String> {
        let complaints = complaints(self.0, plan);
        if complaints.is_empty() { Ok(()) } else { Err(complaints) }
    }
}

/// Searches on so many threads.
pub fn search(
    problem: &Arc<Problem>,
    params: hgsa::Params,
    seed: u64,
    islands: usize,
    iterations: u64,
) -> Result<Outcome, SearchError> {
    let bound = bounds::all(problem).first().map_or(1, |b| b.steps);
    let (walker, _) = hgsa::walker(problem, params, seed);
    let search = Search { seed, exchange_every: 10, goal: None };
    let stop = Stop::new(iterations, None, &NEVER);
    run_on_threads(walker, &search, islands, bound, stop, &mut Checker(problem))
}
