//! Repair: from a verified schedule to one of a changed problem in which as few messages as possible
//! have another step or path.

mod least;
mod rehang;
pub mod spare;

use crate::bounds;
use crate::engines::search::scatter::{Repair, Repaired};
use crate::islands::{Limits, SearchError, StopCondition};
use crate::network::Network;
use crate::problem::{Content, Problem, Request, Switching};
use crate::rng::rng_of;
use crate::schedule::changes::Changes;
use crate::schedule::file::Provenance;
use crate::schedule::patch::Patch;
use crate::schedule::{Plan, ScheduleFile, resolve_possible, resolve_survivors};
use crate::solve::solve_until;
use crate::verify::verify;
use crate::{Error, Options};
use least::Least;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Rounds of every island at a number of steps.
pub const ROUNDS: u64 = 30;
/// The share of the time limit that the search for the fewest steps has.
const SHARE: u32 = 3;
/// Steps beyond the old number that are tried if a repair is to keep it.
const MOST_APPENDED: u32 = 64;

/// Which numbers of steps a repair is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The fewest that are found, and up to this many more.
    Fewest(u32),
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
    static NEVER: AtomicBool = AtomicBool::new(false);
    repair_until(old, problem, target, options, options.interrupt.as_deref().unwrap_or(&NEVER))
}

/// The same with another flag than that of the options.
pub(crate) fn repair_until(
    old: &ScheduleFile,
    problem: &Problem,
    target: Target,
    options: &Options,
    interrupt: &AtomicBool,
) -> Result<Vec<Row>, SearchError> {
    let begin = Instant::now();
    let problem = Arc::new(problem.clone());
    let plan = resolve_survivors(old, &problem)?;
    let most = options.limits.time;
    let whole = Limits { iterations: u64::MAX, ..options.limits };
    let stop = StopCondition::of(whole, interrupt);
    let bounds = bounds::all(&problem);
    let bound = bounds.first().map_or(1, |bound| bound.steps);
    let is_scatter = is_repaired(&problem);
    let old_steps = (old.steps.len() as u32).max(bound);
    let mut search = is_scatter.then(|| Repair::new(problem.clone(), &plan));
    let homeless = search.as_ref().map_or(0, Repair::homeless);
    let least = is_scatter.then(|| Least::of(&problem, &plan));
    // Messages that have lost a transfer, or are new.
    let lost = {
        let mut whole: Vec<u32> = plan.transfers().map(|t| t.message).collect();
        whole.sort_unstable();
        whole.dedup();
        problem.messages() - whole.len()
    };
    let possible =
        rehang::applies(&problem).then(|| resolve_possible(old, &problem)).transpose()?;
    // The broadcast with what is left of it, in a number of steps.
    let rehung = |steps: u32| {
        let plan = rehang::rehang(&problem, possible.as_ref()?, steps)?;
        verify(&record(&problem, &plan, &[], options)).is_empty().then_some(plan)
    };
    let needs_new = match target {
        Target::Fewest(_) => true,
        Target::Old => !is_scatter && rehung(old_steps).is_none(),
        Target::Given(steps) => !is_scatter && rehung(steps).is_none(),
    };
    let anew = match needs_new {
        false => None,
        true => {
            let time = most.map(|time| if is_scatter { time / SHARE } else { time });
            let limits = Limits { time, ..options.limits };
            let from = search.as_mut().and_then(|search| first(search, old_steps, options.seed));
            let from = from.map(Arc::new);
            let options = Options { limits, from, ..options.clone() };
            solve_until(&problem, &options, interrupt)?.plan
        }
    };
    let fewest = anew.as_ref().map(|plan| plan.len() as u32);
    let targets: Vec<u32> = match target {
        Target::Given(steps) => vec![steps],
        Target::Old => (old_steps..=old_steps + MOST_APPENDED).collect(),
        Target::Fewest(more) => {
            let first = fewest.unwrap_or(old_steps);
            (first..=first + more).collect()
        }
    };
    let mut rows: Vec<Row> = Vec::new();
    for (place, &steps) in targets.iter().enumerate() {
        let share = most.map(|time| {
            let left = time.saturating_sub(begin.elapsed());
            let rows = if target == Target::Old { 2 } else { (targets.len() - place) as u32 };
            left / rows.max(1)
        });
        let found = search.as_mut().and_then(|search| {
            let until = share.map(|share| Instant::now() + share);
            let is_over =
                || stop.cuts().is_some() || until.is_some_and(|until| Instant::now() >= until);
            rounds(search, steps, homeless, options, &is_over)
        });
        let anew = anew.as_ref().filter(|plan| plan.len() as u32 <= steps);
        let plans = found.map(|(_, plan)| plan).into_iter().chain(rehung(steps));
        let plans = plans.chain(anew.map(|plan| (**plan).clone()));
        let best = plans
            .map(|plan| {
                let schedule = record(&problem, &plan, &bounds, options);
                let changes = Changes::between(old, &schedule);
                Row { schedule, changes, least: lost, seconds: begin.elapsed().as_secs_f64() }
            })
            .min_by_key(|row| (row.changes.changed.len(), row.changes.transfers()));
        if let Some(mut row) = best {
            if let Some(least) = &least {
                // What cuts force is looked at if it may matter.
                let all = row.changes.changed.len() + row.changes.added.len();
                row.least = least.homeless(row.schedule.steps.len() as u32);
                if all > row.least {
                    row.least = least.at(row.schedule.steps.len() as u32);
                }
            }
            let wrong = verify(&row.schedule);
            if let Some(wrong) = wrong.first() {
                let why = format!("internal error, please report it: a repair is wrong: {wrong}");
                return Err(Error::problem(why).into());
            }
            // More steps without fewer changes are of no use.
            // A broadcast is few messages of many transfers.
            let changes = |row: &Row| {
                let transfers = if is_scatter { 0 } else { row.changes.transfers() };
                (row.changes.changed.len(), transfers)
            };
            if rows.iter().map(changes).min().is_none_or(|fewest| changes(&row) < fewest) {
                rows.push(row);
            }
            if target == Target::Old {
                break;
            }
        }
        if stop.cuts().is_some() {
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
    Ok(first(&mut search, steps, seed))
}

/// Whether the messages of a problem are repaired one by one.
pub(crate) fn is_repaired(problem: &Problem) -> bool {
    let is_scatter = matches!(problem.collective().content(), Content::Personal);
    is_scatter && !matches!(problem.asked_switching(), Switching::Hosts)
}

/// A repair in the old number of steps or some more, at once: the search for fewer begins with it.
fn first(search: &mut Repair, steps: u32, seed: u64) -> Option<Plan> {
    let mut rng = rng_of(seed, 0, 1);
    let more = std::iter::successors(Some(1), |more| Some(2 * more)).take_while(|&m| m <= steps);
    let mut targets = std::iter::once(0).chain(more).map(|more| steps + more);
    let (_, mut plan) = targets.find_map(|steps| search.round(steps, &mut rng))?;
    plan.tidy();
    Some(plan)
}

/// The best of the rounds of all islands; the same on any machine, unless it is over before.
fn rounds(
    search: &mut Repair,
    steps: u32,
    least: usize,
    options: &Options,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Option<Repaired> {
    let islands = options.islands();
    let of_island = |island: usize, mut search: Repair| {
        let mut rng = rng_of(options.seed, island, 0);
        let mut best: Option<Repaired> = None;
        for round in 0..ROUNDS {
            // The first round of each island always ends.
            let is_least = best.as_ref().is_some_and(|best| best.0 == least);
            if round > 0 && (is_least || is_over()) {
                break;
            }
            let Some(found) = search.round(steps, &mut rng) else { continue };
            if best.as_ref().is_none_or(|best| found.0 < best.0) {
                best = Some(found);
            }
        }
        best
    };
    let found: Vec<Option<Repaired>> = std::thread::scope(|scope| {
        let of_island = &of_island;
        let threads: Vec<_> = (0..islands)
            .map(|island| {
                let search = search.clone();
                scope.spawn(move || of_island(island, search))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(None)).collect()
    });
    found.into_iter().flatten().min_by_key(|(moved, plan)| (*moved, plan.channel_steps()))
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
pub(crate) fn record(
    problem: &Problem,
    plan: &Plan,
    bounds: &[bounds::Bound],
    options: &Options,
) -> ScheduleFile {
    let mut plan = plan.clone();
    plan.tidy();
    let provenance = Provenance::new("repair", "repair", options.seed, options.islands(), []);
    plan.record(problem, bounds, provenance)
}
