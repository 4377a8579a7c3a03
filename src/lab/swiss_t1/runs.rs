//! One allocation of every class scheduled by every engine, and every schedule verified.

use super::Class;
use ccsched_engines::{Engine, exact};
use ccsched_model::problem::{Collective, Request, Routing};
use ccsched_network::spec;
use ccsched_run::islands::{
    Alone, Job, Prepared, Search, SearchError, Solution, StopCondition, StopReason,
};
use serde::Serialize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The limits of a study.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits<'a> {
    /// The seed of random numbers.
    pub seed: u64,
    /// Time for each engine on each class.
    pub time: Duration,
    /// When raised, no new run starts.
    pub interrupted: &'a AtomicBool,
}

/// The results of all engines on a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Nodes that take part.
    pub nodes: u32,
    /// Load of the bottleneck.
    pub duration: u32,
    /// Allocations of this class.
    pub allocations: u64,
    /// The scheduled allocation.
    pub network: String,
    /// The largest lower bound.
    pub bound: u32,
    /// Steps of the auto engine's schedule at the bound; none if it found none.
    pub auto_steps: Option<u32>,
    /// Seconds of the auto engine.
    pub auto_seconds: f64,
    /// Whether the exact engine found a liquid schedule; none if its time ran out.
    pub exact_liquid: Option<bool>,
    /// Seconds of the exact engine.
    pub exact_seconds: f64,
    /// Steps of DSATUR's schedule.
    pub dsatur_steps: u32,
    /// Steps of round robin's.
    pub round_robin_steps: u32,
}

/// Schedules a class by all engines, each on one island. None if interrupted.
///
/// # Errors
/// A schedule that is not valid.
pub fn schedule(class: &Class, limits: RunLimits<'_>) -> anyhow::Result<Option<Row>> {
    let request = Request { routing: Routing::Static, ..Request::new(Collective::Aas) };
    let network = spec::parse(&class.spec())?;
    let goal = Some(class.duration);
    let search = Search { seed: limits.seed, exchange_every: 1, goal, ..Search::default() };
    let engine = Engine::default();
    let job = Job { network, faults: vec![], request, engine, search, table: None };
    let auto = Prepared::new(job, 1)?;
    let run = |prepared: &Prepared| {
        let stop = StopCondition::new(u64::MAX, Some(limits.time), limits.interrupted);
        prepared.run(&mut Alone, stop, &mut (), None)
    };
    let by = |engine: Engine, goal| -> Result<Solution, SearchError> {
        run(&auto.again(engine, Search { goal, ..search }, 1)?)
    };
    let exact = by(Engine::of(&exact::LIQUID), goal)?;
    let steps = |solution: &Solution| solution.steps().map(|steps| steps as u32);
    let dsatur = steps(&by(Engine::of(&exact::DSATUR), None)?);
    let round_robin = steps(&by(Engine::of(&exact::ROUND_ROBIN), None)?);
    let solution = run(&auto)?;
    let reasons = [exact.reason, solution.reason];
    if reasons.contains(&StopReason::Interrupted) {
        return Ok(None);
    }
    Ok(Some(Row {
        nodes: class.nodes,
        duration: class.duration,
        allocations: class.allocations,
        network: class.spec(),
        bound: auto.bounds().first().map_or(0, |b| b.steps),
        auto_steps: steps(&solution),
        auto_seconds: solution.seconds,
        exact_liquid: match exact.reason {
            StopReason::Bound | StopReason::Goal => Some(true),
            StopReason::Exhausted => Some(false),
            _ => None,
        },
        exact_seconds: exact.seconds,
        dsatur_steps: dsatur.unwrap_or(0),
        round_robin_steps: round_robin.unwrap_or(0),
    }))
}
