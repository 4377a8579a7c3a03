//! The Swiss-T1 in all its classes under DSATUR and round robin (liquid-schedules, figures 6 and
//! 11): steps against the load of the bottleneck. `ccsched reproduce swiss-t1` has more.

use crate::swiss_t1::{Class, Level, classes};
use anyhow::anyhow;
use ccsched_engines::exact::conflict_graph::Conflicts;
use ccsched_engines::exact::{dsatur, round_robin};
use ccsched_model::problem::{Collective, Problem, Request, Routing};
use ccsched_model::schedule::file::Provenance;
use ccsched_network::spec;
use ccsched_verify::verify;

/// By class of allocations, except the empty one: the load of the bottleneck, and steps.
#[derive(Clone, Debug)]
pub struct Swiss {
    levels: Vec<Level>,
}

impl Swiss {
    /// Schedules one allocation of every class; every schedule is verified.
    ///
    /// # Errors
    /// A schedule that is not valid.
    pub fn new() -> anyhow::Result<Self> {
        let request = Request { routing: Routing::Static, ..Request::new(Collective::Aas) };
        let schedule = |class: &Class| {
            let problem = request.pose(spec::parse(&class.spec())?, vec![])?;
            let conflicts = Conflicts::new(&problem, "dsatur")?;
            let verified = |frames: Vec<Vec<u32>>| checked(&problem, &conflicts, &frames);
            Ok(Level {
                nodes: class.nodes,
                duration: class.duration,
                dsatur: verified(dsatur::colour(&conflicts))?,
                round_robin: verified(round_robin::frames(&problem, &conflicts))?,
            })
        };
        let classes = classes();
        let filled = classes.iter().filter(|class| class.nodes > 0);
        Ok(Swiss { levels: filled.map(schedule).collect::<anyhow::Result<_>>()? })
    }

    /// What the pictures show of the classes.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Per cent of the classes in which round robin takes at least 1.5 times as long as a liquid
    /// schedule.
    pub fn round_robin_slow(&self) -> f64 {
        self.share(|class| 2 * class.round_robin >= 3 * class.duration)
    }

    /// Per cent of the classes whose loss of throughput under DSATUR is as asked.
    pub fn dsatur_loss(&self, is: impl Fn(f64) -> bool) -> f64 {
        self.share(|class| is(1.0 - f64::from(class.duration) / f64::from(class.dsatur)))
    }

    fn share(&self, is: impl Fn(&Level) -> bool) -> f64 {
        let count = self.levels.iter().filter(|class| is(class)).count();
        100.0 * count as f64 / self.levels.len() as f64
    }
}

/// The number of frames, whose schedule is valid.
fn checked(problem: &Problem, conflicts: &Conflicts, frames: &[Vec<u32>]) -> anyhow::Result<u32> {
    let plan = conflicts.plan(problem, frames);
    match verify(&plan.record(problem, &[], Provenance::default())).first() {
        None => Ok(plan.len() as u32),
        Some(violation) => Err(anyhow!("{}: {violation}", problem.network().name())),
    }
}
