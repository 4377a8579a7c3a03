//! Engines without islands: an exact search, and greedy schedules. Each works on the conflict graph
//! of a traffic with one route per pair (liquid-schedules).

use crate::islands::{Job, Observer, Outcome, Progress, SearchError, StopCondition, StopReason};
use ccsched_base::rng::rng_of;
use ccsched_engines::exact::conflict_graph::{Conflicts, Frames};
use ccsched_engines::exact::liquid;
use ccsched_engines::exact::liquid::Found;
use ccsched_engines::row::Runs;
use ccsched_engines::{Method, exact};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// Schedules a problem with the engine of a job. The exact search seeks the number of steps of the
/// goal, or else the number of transfers of the bottleneck; if it reaches a limit, the schedule of
/// DSATUR is returned. If it finds a schedule longer than the bottleneck requires, it tries to
/// prove that none is one step shorter.
///
/// # Errors
/// The observer refuses a schedule, or the engine searches on islands.
pub fn search(
    job: &Job,
    problem: &Problem,
    conflicts: &Conflicts,
    stop: StopCondition<'_>,
    observer: &mut dyn Observer,
) -> Result<Outcome, SearchError> {
    let mut progress = Progress::default();
    let (reason, method, frames) = match job.engine.runs() {
        &Runs::Once(method, frames) => {
            (StopReason::Complete, method.clone(), Some(frames(problem, conflicts)))
        }
        Runs::Exact => liquid(job, conflicts, stop, &mut progress, observer),
        Runs::Islands(_) => {
            let why = format!("{} searches on islands", job.engine.name());
            return Err(ccsched_base::Error::field("engine", why).into());
        }
    };
    let best: Option<Arc<Plan>> = frames.map(|frames| Arc::new(conflicts.plan(problem, &frames)));
    if let Some(plan) = &best {
        progress.best = Some(plan.cost());
        progress.conflicts = 0;
        observer.improved(plan, &method).map_err(SearchError::Observer)?;
    }
    let method = best.is_some().then_some(method);
    Ok(Outcome { progress, ..Outcome::of(best.zip(method), reason) })
}

/// The exact search, with DSATUR as a fallback.
fn liquid(
    job: &Job,
    conflicts: &Conflicts,
    stop: StopCondition<'_>,
    progress: &mut Progress,
    observer: &mut dyn Observer,
) -> (StopReason, Method, Option<Frames>) {
    let (goal, seed) = (job.search.goal, job.search.seed);
    let steps = goal.unwrap_or_else(|| liquid::duration(conflicts));
    progress.seeking = u64::from(steps);
    match exact(conflicts, steps, seed, stop, progress, observer) {
        (StopReason::Goal, frames) => {
            let is_least = none_shorter(conflicts, steps, seed, stop);
            let reason = if is_least { StopReason::Refuted } else { StopReason::Goal };
            (reason, Method::LiquidSearch, frames)
        }
        (StopReason::Exhausted, _) => (StopReason::Exhausted, Method::LiquidSearch, None),
        (reason, _) => {
            let greedy = exact::dsatur(conflicts);
            let is_short = goal.is_none_or(|goal| greedy.len() <= goal as usize);
            (reason, Method::Colouring, is_short.then_some(greedy))
        }
    }
}

/// Nodes of an iteration of the exact search: few enough for it to stop at once.
const NODES: u64 = 256;

/// Most iterations that are spent on a proof that no schedule is one step shorter.
const ROUNDS: u64 = 1000;

/// Whether an exact search proves that no schedule has fewer than `steps` steps, where the
/// bottleneck allows fewer.
fn none_shorter(conflicts: &Conflicts, steps: u32, seed: u64, stop: StopCondition<'_>) -> bool {
    if steps <= liquid::duration(conflicts) {
        return false;
    }
    let mut rng = rng_of(seed, 0, 0);
    let mut search = liquid::LiquidSearch::new(conflicts, steps - 1);
    let is_over = || stop.check(0, 0).is_some();
    for _ in (0..ROUNDS).take_while(|_| !is_over()) {
        match search.advance(NODES, &mut rng) {
            Found::Nothing => return true,
            Found::Schedule(_) => return false,
            Found::Open => {}
        }
    }
    false
}

/// The exact search.
fn exact(
    conflicts: &Conflicts,
    steps: u32,
    seed: u64,
    stop: StopCondition<'_>,
    progress: &mut Progress,
    observer: &mut dyn Observer,
) -> (StopReason, Option<Frames>) {
    let mut rng = rng_of(seed, 0, 0);
    let mut search = liquid::LiquidSearch::new(conflicts, steps);
    loop {
        match search.advance(NODES, &mut rng) {
            Found::Schedule(frames) => return (StopReason::Goal, Some(frames)),
            Found::Nothing => return (StopReason::Exhausted, None),
            Found::Open => {}
        }
        progress.iterations += 1;
        progress.iterations_done += 1;
        progress.evaluations += NODES;
        progress.conflicts = search.remaining();
        observer.progress(progress);
        if let Some(reason) = stop.check(progress.iterations, progress.evaluations) {
            return (reason, None);
        }
    }
}
