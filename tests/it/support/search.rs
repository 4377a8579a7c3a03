//! A search as the programs make it, without their command line.

use crate::support::checked::NEVER;
use ccsched::bounds;
use ccsched::engines::{Engine, Walker};
use ccsched::islands::{
    Backend, Inspector, Job, Keeper, Limits, Observer, Outcome, Run, Search, SearchError,
    StopCondition, run_on_threads,
};
use ccsched::network::Network;
use ccsched::problem::{Problem, Request};
use ccsched::schedule::ScheduleFile;
use ccsched::{Options, solve};
use std::sync::Arc;

/// The schedule that the default engine finds soon: what is not shown to be the best is searched no longer
/// than some iterations.
pub fn found_soon(request: &Request, network: Network) -> ScheduleFile {
    let problem = request.pose(network, vec![]).unwrap();
    let limits = Limits { iterations: 1000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    solve(&problem, &options).unwrap().schedule().expect("a schedule was found")
}

/// Searches on `islands` threads, without refutation. An invalid schedule ends the search.
pub fn search(
    problem: &Arc<Problem>,
    engine: Engine,
    seed: u64,
    islands: usize,
    iterations: u64,
) -> Result<Outcome, SearchError> {
    let walker = engine.searcher(problem)?.walker(seed);
    search_with(walker, problem, seed, islands, iterations)
}

/// The same with a walker.
pub fn search_with(
    walker: Box<dyn Walker>,
    problem: &Arc<Problem>,
    seed: u64,
    islands: usize,
    iterations: u64,
) -> Result<Outcome, SearchError> {
    let bounds = &bounds::all(problem);
    let bound = bounds.first().map_or(1, |b| b.steps);
    let search = Search { seed, exchange_every: 10, goal: None, ..Search::default() };
    let stop = StopCondition::new(iterations, None, &NEVER);
    run_on_threads(walker, &search, islands, bound, stop, &mut Inspector { problem, bounds }, None)
}

/// Runs a job down to a bound, without keeping states.
pub fn run_on(
    backend: &mut dyn Backend,
    job: &Job,
    problem: &Arc<Problem>,
    bound: u32,
    stop: StopCondition<'_>,
    observer: &mut dyn Observer,
) -> Result<Outcome, SearchError> {
    run_kept(backend, job, (problem, bound), stop, observer, None)
}

/// The same, with a keeper of states if there is one.
pub fn run_kept(
    backend: &mut dyn Backend,
    job: &Job,
    (problem, bound): (&Arc<Problem>, u32),
    stop: StopCondition<'_>,
    observer: &mut dyn Observer,
    keeper: Option<&mut dyn Keeper>,
) -> Result<Outcome, SearchError> {
    let bound = bound.into();
    let keeper = keeper.map(|keeper| keeper as &mut dyn Keeper);
    let run = Run { problem, bound, of_time: None, first: None, stop, observer, keeper };
    backend.search(job, run)
}
