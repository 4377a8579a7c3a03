//! Engines that need no islands: an exact search, and greedy schedules. Each works alone on the conflict
//! graph of a traffic with one route a pair (liquid-schedules).

use crate::engines::Direct;
use crate::engines::exact::conflict_graph::Conflicts;
use crate::engines::exact::liquid::Found;
use crate::engines::exact::{dsatur, liquid, round_robin};
use crate::islands::{Limits, Observer, Outcome, Progress, Search, SearchError, StopReason};
use crate::problem::Problem;
use crate::rng::rng_of;
use crate::schedule::Plan;

/// Schedules a problem with an engine. The exact search seeks as many steps as the goal says, else
/// as the bottleneck has transfers; if it runs out of its limit, DSATUR's schedule is returned. When it
/// has found a longer one than that, it tries to show that none is one step shorter.
///
/// # Errors
/// When the listener refuses a schedule.
pub fn solve(
    engine: Direct,
    problem: &Problem,
    conflicts: &Conflicts,
    search: &Search,
    stop: Limits<'_>,
    listener: &mut dyn Observer,
) -> Result<Outcome, SearchError> {
    let mut progress = Progress::default();
    let (reason, frames) = match engine {
        Direct::Dsatur => (StopReason::Goal, Some(dsatur::colour(conflicts))),
        Direct::RoundRobin => (StopReason::Goal, Some(round_robin::frames(problem, conflicts))),
        Direct::Liquid => {
            let steps = search.goal.unwrap_or_else(|| liquid::duration(conflicts));
            progress.seeking = steps;
            match exact(conflicts, steps, search.seed, stop, &mut progress, listener) {
                (StopReason::Goal, frames) => {
                    let is_least = none_shorter(conflicts, steps, search.seed, stop);
                    (if is_least { StopReason::Refuted } else { StopReason::Goal }, frames)
                }
                (StopReason::Exhausted, _) => (StopReason::Exhausted, None),
                (reason, _) => {
                    let greedy = dsatur::colour(conflicts);
                    let is_short = search.goal.is_none_or(|goal| greedy.len() <= goal as usize);
                    (reason, is_short.then_some(greedy))
                }
            }
        }
    };
    let best: Option<Plan> = frames.map(|frames| conflicts.plan(problem, &frames));
    if let Some(plan) = &best {
        progress.best = Some(plan.steps.len());
        progress.conflicts = 0;
        listener.improved(plan).map_err(SearchError::Observer)?;
    }
    Ok(Outcome { best, method: None, reason, progress })
}

/// Nodes of an iteration of the exact search: few enough that it stops at once when it is to.
const NODES: u64 = 256;

/// How often so many nodes are spent on showing that no schedule is shorter than the one asked for.
const ROUNDS: u64 = 1000;

/// Whether, beyond what the bottleneck says, no schedule is shorter than one of so many steps.
fn none_shorter(conflicts: &Conflicts, steps: u32, seed: u64, stop: Limits<'_>) -> bool {
    if steps <= liquid::duration(conflicts) {
        return false;
    }
    let mut rng = rng_of(seed, 0, 0);
    let mut search = liquid::Search::new(conflicts, steps - 1);
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
    stop: Limits<'_>,
    progress: &mut Progress,
    listener: &mut dyn Observer,
) -> (StopReason, Option<Vec<Vec<u32>>>) {
    let mut rng = rng_of(seed, 0, 0);
    let mut search = liquid::Search::new(conflicts, steps);
    loop {
        match search.advance(NODES, &mut rng) {
            Found::Schedule(frames) => return (StopReason::Goal, Some(frames)),
            Found::Nothing => return (StopReason::Exhausted, None),
            Found::Open => {}
        }
        progress.iterations += 1;
        progress.evaluations += NODES;
        progress.conflicts = search.remaining();
        listener.progress(progress);
        if let Some(reason) = stop.check(progress.iterations, progress.evaluations) {
            return (reason, None);
        }
    }
}
