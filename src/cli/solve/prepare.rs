//! What comes before the search: reading or making the network, posing the problems, their lower
//! bounds. On a large network this takes long, and is covered by the time limit and by interrupts
//! like the search itself.

use super::{Args, pieces};
use crate::checkpoint::of_collective;
use crate::problem_args::Pieces;
use crate::signals::interrupted;
use crate::{INTERRUPTED, NOT_FOUND, wall_time};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_bounds as bounds;
use ccsched_model::problem::{Collective, Problem, Request};
use ccsched_model::schedule::{ScheduleFile, order_onto, resolve_onto, resolve_survivors};
use ccsched_network::Network;
use ccsched_network::faults::Fault;
use ccsched_network::tables::Left;
use ccsched_run::islands::{
    self, Job, Limits, Prepared, SearchError, StopCondition, StopReason, estimate, left_for_tables,
};
use ccsched_run::{Options, repair};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A problem that can be searched, and the time that its preparation took.
pub type Task = (Prepared, Duration);

/// The problems of a command line, by collective; the reason if there was no time for them. Each
/// collective has the time limit for itself.
///
/// # Errors
/// Wrong input.
pub fn in_time(
    args: &Args,
    options: &Options,
    islands: usize,
) -> anyhow::Result<Result<Vec<Task>, StopReason>> {
    let time = args.limit();
    let stop = StopCondition::of(Limits { time, ..options.limits }, interrupted());
    let (of_thread, with) = (args.clone(), options.clone());
    match islands::in_time(stop, move |is_over| of_thread.prepare(&with, islands, is_over)) {
        Ok(Ok(tasks)) => Ok(Ok(tasks?)),
        Ok(Err(reason)) => Ok(Err(reason)),
        Err(SearchError::Panicked(_)) => {
            anyhow::bail!(
                "internal error, please report it: the preparation of the search panicked"
            )
        }
        Err(why) => Err(why.into()),
    }
}

/// Says that the search has not begun; returns the exit status.
pub fn not_begun(reason: StopReason) -> u8 {
    let before = "before the search has begun: there is no schedule";
    match reason {
        StopReason::Interrupted => {
            log::error!("interrupted {before}");
            INTERRUPTED
        }
        _ => {
            log::error!("the time limit is reached {before}; a longer --time-limit may help");
            NOT_FOUND
        }
    }
}

impl Args {
    /// The time limit of the whole run, in which each collective has its own.
    pub fn limit(&self) -> Option<Duration> {
        let all = self.problem.collective.0.len() as u32;
        let own = self.own_time().map(|time| time.saturating_mul(all));
        wall_time::limit(own, self.keep.wall_margin)
    }

    /// The problem with the schedule that its search begins with, if there is one.
    fn begin_from(&self, prepared: Prepared) -> Result<Prepared> {
        let Some(path) = &self.from else { return Ok(prepared) };
        let path =
            of_collective(path, prepared.job().request.collective, &self.problem.collective.0);
        if prepared.job().search.form.is_some() {
            let order = ScheduleFile::read(&path)
                .and_then(|file| order_onto(&file, prepared.problem()))
                .map_err(|why| Error::problem(format!("--from {}: {why}", path.display())))?;
            return Ok(prepared.in_order(order));
        }
        let file = ScheduleFile::read(&path)?;
        let wrong = |why| Error::problem(format!("--from {}: {why}", path.display()));
        let plan = resolve_onto(&file, prepared.problem());
        let whole = plan.and_then(|plan| prepared.clone().from(Arc::new(plan)));
        let why = match whole {
            Ok(begun) => return Ok(begun),
            Err(why) => why,
        };
        // A network of other links that have some names in common is no neighbour.
        let (ours, theirs) = (prepared.problem().network().name(), &*file.network.name);
        let all = file.steps.iter().flatten().count();
        let left = resolve_survivors(&file, prepared.problem()).map_err(wrong)?;
        let left = left.transfers().count();
        if ours != theirs && 2 * left < all {
            let of = counted(all, "transfer");
            return Err(wrong(Error::problem(format!(
                "the networks differ: of its {of} on {theirs} {left} are possible on {ours}"
            ))));
        }
        // A schedule of a neighbouring problem is repaired first.
        let bound = prepared.bounds().first().map_or(1, |bound| bound.steps);
        match repair::first_plan(&file, prepared.problem(), bound, self.seed).map_err(wrong)? {
            Some(plan) => prepared.from(Arc::new(plan)).map_err(wrong),
            None => Err(wrong(why)),
        }
    }

    /// The request of a collective, whose pieces are chosen if they are to be.
    fn request(
        &self,
        collective: Collective,
        (network, faults): (&Network, &[Fault]),
    ) -> Result<Request> {
        if self.problem.pieces != Pieces::Auto {
            return self.problem.request(collective, network);
        }
        let request = self.problem.request_of_whole(collective, network)?;
        let model = self.time.model(network.rate());
        let pieces = pieces::choose(&request, (network, faults), &model)?;
        log::info!(
            "{collective}: {pieces}, for messages of {}",
            counted(model.message_bytes, "byte"),
            pieces = counted(pieces, "piece")
        );
        Ok(Request { pieces, ..request })
    }

    /// The problem of a job again, where delays of its network count in bytes; none if there are none.
    fn with_costs(&self, job: &mut Job, left: Left<'_>) -> Result<Option<Arc<Problem>>> {
        let model = self.time.model(job.network.rate());
        let Some(network) = self.objective.with_costs(&job.network, &model)? else {
            return Ok(None);
        };
        job.network = network;
        job.pose_within(left).map(Some)
    }

    fn prepare(
        &self,
        options: &Options,
        islands: usize,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Task>> {
        // What is read for all collectives counts for the first.
        let mut begin = Instant::now();
        let mut spent = || std::mem::replace(&mut begin, Instant::now()).elapsed();
        let (network, healthy, faults) = self.problem.networks()?;
        let time = self.limit().map(|all| all / self.problem.collective.0.len() as u32);
        let prepare = |&collective| {
            let request = self.request(collective, (&network, &faults))?;
            estimate::check_request(&request, &network, options.memory)?;
            let (network, faults) = (network.clone(), faults.clone());
            let (engine, search) = (options.engine, options.search());
            let mut job = Job { network, faults, request, engine, search, table: None };
            let asked = Instant::now();
            let left = || match is_over() {
                true => 0.0,
                false => left_for_tables(time, asked.elapsed()),
            };
            let problem = job.pose_within(&left)?;
            job.table = problem.table().cloned();
            estimate::check(&problem, options.memory)?;
            if let Some(told) = estimate::forecast(&problem).filter(|_| !self.quiet) {
                log::warn!("{collective}: {told}");
            }
            if let Some(healthy) = &healthy {
                tell_of_loss(&problem, healthy)?;
            }
            let form = self.form(&problem)?;
            let problem = match form {
                Some(_) => self.with_costs(&mut job, &left)?.unwrap_or(problem),
                None => problem,
            };
            self.tell_vain(&problem, form, (engine, islands));
            job.search.form = form;
            let prepared = Prepared::within(job, problem, islands, is_over)?;
            let prepared = self.begin_from(prepared)?;
            Ok((prepared, spent()))
        };
        self.problem.collective.0.iter().map(prepare).collect()
    }
}

/// Says what slow links cost at least: the bounds with them and without.
fn tell_of_loss(problem: &Problem, healthy: &Network) -> Result<()> {
    let whole = problem.request().pose(healthy.clone(), problem.faults().to_vec())?;
    let least = |problem: &Problem| bounds::quick(problem).first().map_or(1, |bound| bound.steps);
    let (slow, full) = (least(problem), least(&whole));
    log::warn!(
        "{}: with the slow links no schedule has fewer than {}, without them than {full} as long: {:.2} times",
        problem.collective(),
        counted(slow as usize, "step"),
        f64::from(slow) / f64::from(full)
    );
    Ok(())
}
