//! One allocation of every class scheduled by every engine, and every schedule verified.

use super::Class;
use crate::bounds;
use crate::engines::exact::conflict_graph::Conflicts;
use crate::engines::{Config, Direct, hgsa};
use crate::islands::run::direct;
use crate::islands::{Inspector, Outcome, Search, SearchError, StopReason, run_alone};
use crate::network::spec;
use crate::problem::{Collective, Request, Routing};
use serde::Serialize;
use std::sync::Arc;
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
    let problem = Arc::new(request.pose(spec::parse(&class.spec())?, Vec::new())?);
    let bounds = bounds::all(&problem);
    let conflicts = Conflicts::new(&problem, "liquid")?;
    let goal = Some(class.duration);
    let search = Search { seed: limits.seed, exchange_every: 1, goal };
    let stop = || crate::islands::Limits::new(u64::MAX, Some(limits.time), limits.interrupted);
    let mut inspector = Inspector { problem: &problem, bounds: &bounds };
    let mut alone = |engine: Direct, goal| -> Result<(Outcome, f64), SearchError> {
        let stop = stop();
        let search = Search { goal, ..search };
        let outcome = direct::solve(engine, &problem, &conflicts, &search, stop, &mut inspector)?;
        Ok((outcome, stop.elapsed().as_secs_f64()))
    };
    let (exact, exact_seconds) = alone(Direct::Liquid, goal)?;
    let steps = |outcome: &Outcome| outcome.best.as_ref().map(|plan| plan.steps.len() as u32);
    let dsatur = steps(&alone(Direct::Dsatur, None)?.0);
    let round_robin = steps(&alone(Direct::RoundRobin, None)?.0);
    let clock = stop();
    let auto = hgsa::Params { neighbourhood: hgsa::Neighbourhood::Auto, ..hgsa::Params::default() };
    let (walker, _) = Config::Hgsa(auto).walker(&problem, limits.seed);
    let mut inspector = Inspector { problem: &problem, bounds: &bounds };
    let outcome = run_alone(walker, &search, class.duration, clock, &mut inspector)?;
    let reasons = [exact.reason, outcome.reason];
    if reasons.contains(&StopReason::Interrupted) {
        return Ok(None);
    }
    Ok(Some(Row {
        nodes: class.nodes,
        duration: class.duration,
        allocations: class.allocations,
        network: class.spec(),
        bound: bounds.first().map_or(0, |b| b.steps),
        auto_steps: steps(&outcome),
        auto_seconds: clock.elapsed().as_secs_f64(),
        exact_liquid: match exact.reason {
            StopReason::Goal => Some(true),
            StopReason::Exhausted => Some(false),
            _ => None,
        },
        exact_seconds,
        dsatur_steps: dsatur.unwrap_or(0),
        round_robin_steps: round_robin.unwrap_or(0),
    }))
}
