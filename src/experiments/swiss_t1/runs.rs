//! One allocation of every class scheduled by every engine, and every schedule verified.

use super::Class;
use crate::engines::Engine;
use crate::islands::{
    Alone, Job, Prepared, Search, SearchError, Solution, StopCondition, StopReason,
};
use crate::network::spec;
use crate::problem::{Collective, Request, Routing};
use serde::Serialize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a study may spend.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits<'a> {
    /// Where random numbers come from.
    pub seed: u64,
    /// Time for each engine on each class.
    pub time: Duration,
    /// When raised, nothing more is begun.
    pub interrupted: &'a AtomicBool,
}

/// What the engines have made of a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Nodes that take part.
    pub nodes: u32,
    /// Load of the bottleneck.
    pub duration: u32,
    /// Allocations of this class.
    pub allocations: u64,
    /// The one that was scheduled.
    pub network: String,
    /// The largest lower bound.
    pub bound: u32,
    /// Steps of the schedule that the auto engine found at the bound; none if it did not.
    pub auto_steps: Option<u32>,
    /// What that took.
    pub auto_seconds: f64,
    /// Whether the exact engine found a liquid schedule; none if it ran out of time.
    pub exact_liquid: Option<bool>,
    /// What that took.
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
    let search = Search { seed: limits.seed, exchange_every: 1, goal };
    let engine = Engine::default();
    let auto = Prepared::new(Job { network, faults: vec![], request, engine, search }, 1)?;
    let run = |prepared: &Prepared| {
        let stop = StopCondition::new(u64::MAX, Some(limits.time), limits.interrupted);
        prepared.run(&mut Alone, stop, &mut (), None)
    };
    let by = |engine: Engine, goal| -> Result<Solution, SearchError> {
        run(&auto.again(engine, Search { goal, ..search }, 1)?)
    };
    let exact = by(Engine::Liquid, goal)?;
    let steps = |solution: &Solution| solution.steps().map(|steps| steps as u32);
    let dsatur = steps(&by(Engine::Dsatur, None)?);
    let round_robin = steps(&by(Engine::RoundRobin, None)?);
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
            StopReason::Goal => Some(true),
            StopReason::Exhausted => Some(false),
            _ => None,
        },
        exact_seconds: exact.seconds,
        dsatur_steps: dsatur.unwrap_or(0),
        round_robin_steps: round_robin.unwrap_or(0),
    }))
}
