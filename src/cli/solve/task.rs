//! What is known of a collective before anything is searched: the problem, its bounds, and whether
//! it can be what is asked for.

use crate::engines::exact::conflict_graph::Conflicts;
use crate::engines::{Config, Direct};
use crate::islands::Job;
use crate::problem::Problem;
use crate::{Error, Result, bounds};
use std::sync::Arc;

/// One collective to schedule.
pub struct Task {
    /// What is asked for.
    pub job: Job,
    /// As it is posed.
    pub problem: Arc<Problem>,
    /// Its bounds, the largest first.
    pub bounds: Vec<bounds::Bound>,
    /// An engine without islands, and what it works on.
    pub direct: Option<(Direct, Conflicts)>,
}

impl Task {
    /// The task of a job.
    ///
    /// # Errors
    /// A problem that cannot be posed, or steps that a bound or the engine rules out.
    pub fn new(job: Job) -> Result<Self> {
        let problem = job.pose()?;
        let bounds = bounds::all(&problem);
        let Config::Direct(engine) = job.engine else {
            check_goal(job.search.goal, &problem, &bounds)?;
            return Ok(Task { job, problem, bounds, direct: None });
        };
        let name = job.engine.name();
        if engine != Direct::Liquid && job.search.goal.is_some() {
            return Err(Error::problem(format!(
                "--steps: {name} makes one schedule, as long as it is; the other engines search"
            )));
        }
        check_goal(job.search.goal, &problem, &bounds)?;
        let conflicts = Conflicts::new(&problem, name)?;
        log::info!("{} transfers, {} conflicting pairs", conflicts.transfers(), conflicts.pairs());
        Ok(Task { job, problem, bounds, direct: Some((engine, conflicts)) })
    }
}

/// Nothing is sought that a bound rules out.
///
/// # Errors
/// Fewer steps than a bound allows.
pub fn check_goal(goal: Option<u32>, problem: &Problem, bounds: &[bounds::Bound]) -> Result<()> {
    match (goal, bounds.first()) {
        (Some(goal), Some(bound)) if goal < bound.steps => Err(Error::problem(format!(
            "--steps {goal}: {} of {} needs at least {} steps, by the {} bound",
            problem.collective,
            problem.network.name(),
            bound.steps,
            bound.name
        ))),
        _ => Ok(()),
    }
}
