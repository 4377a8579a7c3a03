//! Repair: from a verified schedule to one of a changed problem in which as few messages as possible
//! have another step or path.

mod islands;
mod job;
mod least;
mod rehang;
pub mod spare;
mod stepped;
mod timed;

use crate::Options;
use crate::islands::SearchError;
use ccsched_base::Error;
use ccsched_bounds as bounds;
use ccsched_engines::search::scatter::Repair;
use ccsched_model::problem::{Content, Problem, Request, Switching};
use ccsched_model::schedule::changes::Changes;
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::patch::Patch;
use ccsched_model::schedule::{Plan, ScheduleFile, resolve_survivors};
use ccsched_network::Network;
use ccsched_verify::verify;
use job::Job;
pub use rehang::applies as is_rehung;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Steps beyond the old number that are tried if a repair is to keep it.
const MOST_APPENDED: u32 = 64;

/// Which numbers of steps a repair is for; of a timed schedule the ends, with bytes in place of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// This many more than the fewest that are found.
    Fewest(u32),
    /// The fewest that are found, and each number up to this many more; of a timed schedule five ends at
    /// most, with 0 up to the one that suffices for the fewest changes.
    Frontier(u32),
    /// Those of the old schedule, or the next that suffice.
    Old,
    /// This number.
    Given(u32),
}

/// The repair for a number of steps.
#[derive(Clone, Debug)]
pub struct Row {
    /// The verified schedule.
    pub schedule: ScheduleFile,
    /// Its differences from the old one.
    pub changes: Changes,
    /// Messages that change or are new in every schedule of as many steps.
    pub least: usize,
    /// Seconds from the beginning until it was found.
    pub seconds: f64,
    /// Seconds from the beginning until the first repair was found, in any number of steps.
    pub first_seconds: f64,
}

impl Row {
    /// The number of steps; of a timed schedule its end.
    pub fn length(&self) -> u64 {
        match self.schedule.span().filter(|_| self.schedule.is_timed()) {
            Some(end) => end,
            None => self.schedule.steps.len() as u64,
        }
    }
}

/// The repairs of a schedule for a problem, one for each number of steps of the target; the row is
/// left out where none was found. Scatters are repaired by ejection, broadcasts by hanging up again what
/// has lost its way; of other collectives the changes of a new schedule are counted.
///
/// # Errors
/// A schedule of another collective; options that do not fit.
pub fn repair(
    old: &ScheduleFile,
    problem: &Problem,
    target: Target,
    options: &Options,
) -> Result<Vec<Row>, SearchError> {
    repair_towards((old, None), problem, target, options)
}

/// The same with a schedule that is to be returned to: where it is valid and needs no more steps, or no later
/// end, it is a repair itself. In a timed schedule what must move takes its place there, if that is free.
///
/// # Errors
/// As [`repair`].
pub fn repair_towards(
    (old, prefer): (&ScheduleFile, Option<&ScheduleFile>),
    problem: &Problem,
    target: Target,
    options: &Options,
) -> Result<Vec<Row>, SearchError> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let interrupt = options.interrupt.as_deref().unwrap_or(&NEVER);
    repair_until((old, prefer), problem, target, options, interrupt)
}

/// The same with another flag than that of the options.
pub fn repair_until(
    (old, prefer): (&ScheduleFile, Option<&ScheduleFile>),
    problem: &Problem,
    target: Target,
    options: &Options,
    interrupt: &AtomicBool,
) -> Result<Vec<Row>, SearchError> {
    let begin = Instant::now();
    problem.refuse_multicast("a repair")?;
    let problem = Arc::new(problem.clone());
    if old.is_timed() {
        return timed::repair_timed((old, prefer), &problem, target, options, (interrupt, begin));
    }
    if stepped::applies(&problem, target) {
        return stepped::repair_steps(old, &problem, target, options, (interrupt, begin));
    }
    let mut job = Job::new((old, prefer, &problem), options, (interrupt, begin))?;
    let anew = match target {
        Target::Fewest(_) | Target::Frontier(_) => job.fewest(interrupt)?,
        Target::Old if job.needs_new(job.old_steps) => job.fewest(interrupt)?,
        Target::Given(steps) if job.needs_new(steps) => job.fewest(interrupt)?,
        Target::Old | Target::Given(_) => None,
    };
    let fewest = anew.as_ref().map_or(job.old_steps, |plan| plan.len() as u32);
    let targets: Vec<u32> = match target {
        Target::Given(steps) => vec![steps],
        Target::Old => (job.old_steps..=job.old_steps + MOST_APPENDED).collect(),
        Target::Fewest(more) => vec![fewest + more],
        Target::Frontier(more) => (fewest..=fewest + more).collect(),
    };
    let mut rows: Vec<Row> = Vec::new();
    for (place, &steps) in targets.iter().enumerate() {
        let left = if target == Target::Old { 2 } else { (targets.len() - place) as u32 };
        let row = job.row(steps, anew.as_ref(), left)?;
        let is_found = row.is_some();
        // More steps without fewer changes are of no use.
        let fewest = rows.iter().map(|row| job.changes(row)).min();
        rows.extend(row.filter(|row| fewest.is_none_or(|fewest| job.changes(row) < fewest)));
        if job.is_over() || (is_found && target == Target::Old) {
            break;
        }
    }
    Ok(rows)
}

/// A schedule of a scatter that begins with one of a neighbouring problem: another network, other
/// terminals, other pairs. None for other collectives, if nothing of it is left, if it is not valid,
/// and if nothing is found at once. No schedule of the problem has fewer steps than `bound`.
///
/// # Errors
/// A schedule of another collective, or in other pieces.
pub fn first_plan(
    old: &ScheduleFile,
    problem: &Arc<Problem>,
    bound: u32,
    seed: u64,
) -> Result<Option<Plan>, Error> {
    let plan = resolve_survivors(old, problem)?;
    if !is_repaired(problem) || plan.transfers().next().is_none() || !verify(old).is_empty() {
        return Ok(None);
    }
    let steps = (old.steps.len() as u32).max(bound);
    let mut search = Repair::new(problem.clone(), &plan);
    Ok(islands::first(&mut search, steps, seed).map(|(steps, found)| {
        let mut plan = search.plan(&found, steps);
        plan.tidy();
        plan
    }))
}

/// Whether the messages of a problem are repaired one by one.
pub fn is_repaired(problem: &Problem) -> bool {
    let is_scatter = matches!(problem.collective().content(), Content::Personal);
    is_scatter && !matches!(problem.switching(), Switching::Hosts)
}

/// A patched schedule for the problem that is left.
///
/// # Errors
/// A patch of another schedule.
pub fn repaired(old: &ScheduleFile, problem: &Problem, patch: &Patch) -> Result<Plan, Error> {
    let mut plan = resolve_survivors(&patch.applied(old)?, problem)?;
    plan.tidy();
    Ok(plan)
}

/// Takes broken terminals out of what was asked for on a network that is now without them.
///
/// # Errors
/// A broken root leaves nothing to repair.
pub fn without_broken(request: &mut Request, network: &Network) -> Result<(), Error> {
    let is_there = |name: &String| network.find(name).is_some();
    if let Some(source) = request.source.as_ref().filter(|source| !is_there(source)) {
        let why = format!("the root {source} is broken, and has no messages to send any more");
        return Err(Error::problem(why));
    }
    let lists = [&mut request.senders, &mut request.receivers, &mut request.processes];
    lists.into_iter().flatten().for_each(|list| list.retain(is_there));
    if let Some(pairs) = &mut request.pairs {
        pairs.retain(|pair| is_there(&pair.source) && is_there(&pair.destination));
    }
    Ok(())
}

/// The file of a plan.
pub fn record(
    problem: &Problem,
    plan: &Plan,
    bounds: &[bounds::Bound],
    options: &Options,
) -> ScheduleFile {
    let mut plan = plan.clone();
    plan.tidy();
    plan.record(problem, bounds, provenance(options))
}

/// A row whose schedule is valid.
///
/// # Errors
/// It is not.
fn checked(row: Row) -> Result<Row, Error> {
    match verify(&row.schedule).first() {
        None => Ok(row),
        Some(wrong) => {
            let why = format!("internal error, please report it: a repair is wrong: {wrong}");
            Err(Error::problem(why))
        }
    }
}

fn provenance(options: &Options) -> Provenance {
    Provenance::new("repair", "repair", options.seed, options.islands(), [])
}
