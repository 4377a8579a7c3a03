//! The runs of a comparison: the same on all ranks, so that a task tells a rank all.

use super::Args;
use crate::signals::{INTERRUPT, interrupted};
use ccsched_base::{Error, Result};
use ccsched_lab::compare::runs::{Comparison, Task};
use ccsched_lab::compare::{Budget, Configuration, Instance, Record};
use ccsched_model::schedule::TimeModel;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{RankGroup, SearchError, serve_tasks};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is compared.
pub(super) struct Work {
    pub configurations: Vec<Configuration>,
    pub instances: Vec<Instance>,
    pub budget: Budget,
    times: Vec<TimeModel>,
    keeps_history: bool,
}

impl Work {
    /// The runs that the arguments ask for.
    ///
    /// # Errors
    /// Wrong input.
    pub fn new(args: &Args) -> Result<Self> {
        let budget = args.budget()?;
        let configurations = args.configurations()?;
        let instances = args.instances()?;
        check_engines(&configurations, &instances)?;
        if args.objective.asks_for_time()? {
            let is_counted = matches!(budget, Budget::Evaluations(_));
            let of_moves = [
                ("evaluations", is_counted),
                ("history", args.history.is_some()),
                ("parallel", !args.parallel.is_empty()),
            ];
            if let Some((field, _)) = of_moves.into_iter().find(|(_, is_given)| *is_given) {
                let why =
                    "searches for the least time count iterations, and no evaluations or costs";
                return Err(Error::field(field, why));
            }
        }
        let rates = instances.iter().map(|i| i.prepared.problem().network().rate());
        let times = rates.map(|rate| args.time.model(rate)).collect();
        let keeps_history = args.history.is_some();
        Ok(Work { configurations, instances, budget, times, keeps_history })
    }

    /// The comparison of these.
    pub fn comparison<'w>(&'w self, interrupted: &'w AtomicBool) -> Comparison<'w> {
        Comparison {
            instances: &self.instances,
            configurations: &self.configurations,
            budget: self.budget,
            times: &self.times,
            keeps_history: self.keeps_history,
            interrupted,
        }
    }

    /// Makes the runs on all ranks, one at a time on each; calls `done` after each.
    ///
    /// # Errors
    /// An island fails, an engine returns a schedule that is not valid, or a rank is gone.
    pub fn share<C: Communicator>(
        &self,
        tasks: &[Task],
        group: &mut RankGroup<'_, C>,
        done: &dyn Fn(&Task),
    ) -> Result<Vec<Record>, SearchError> {
        let mut records: Vec<Option<Record>> = vec![None; tasks.len()];
        let run = |task: &Task, stops: &AtomicBool| self.comparison(stops).run(*task);
        let is_interrupted = group.share((tasks, &run), &INTERRUPT, &mut |number, record| {
            done(&tasks[number]);
            records[number] = Some(record);
            Ok(())
        })?;
        // The interrupt may have reached another rank.
        INTERRUPT.fetch_or(is_interrupted, Ordering::Relaxed);
        let mut records: Vec<Record> = records.into_iter().flatten().collect();
        self.comparison(&INTERRUPT).judge(&mut records);
        Ok(records)
    }
}

/// Makes runs as a rank other than 0, which has the same arguments, until dismissed.
///
/// # Errors
/// The master is gone, or a run fails.
pub fn follow<C: Communicator>(args: &Args, comm: &mut C) -> Result<(), SearchError> {
    // Rank 0 says what is wrong with the arguments, and hands out nothing.
    let level = log::max_level();
    log::set_max_level(log::LevelFilter::Off);
    let work = Work::new(args).ok().filter(|_| args.from.is_none());
    log::set_max_level(level);
    let run = |task: &Task, stops: &AtomicBool| match &work {
        Some(work) => work.comparison(stops).run(*task),
        None => Err(Error::problem("rank 0 has other arguments").into()),
    };
    serve_tasks(comm, &run, interrupted())
}

/// Checks every engine against every instance before the first run, not after hours of runs.
fn check_engines(configurations: &[Configuration], instances: &[Instance]) -> Result<()> {
    for Configuration { name, engine, islands, .. } in configurations {
        for instance in instances {
            let problem = instance.prepared.problem();
            let checked = engine.check(problem.switching(), *islands);
            let is_able = match (instance.time, engine) {
                (None, _) => Ok(()),
                (Some(_), engine) if engine.is_universal() => Ok(()),
                _ => Err(Error::problem(format!(
                    "the least time is searched by auto, not by {}",
                    engine.name()
                ))),
            };
            let checked = checked.and(is_able);
            checked.and_then(|()| engine.check_problem(problem)).map_err(|why| {
                Error::problem(format!("--run {name} on {}: {why}", instance.name))
            })?;
        }
    }
    Ok(())
}
