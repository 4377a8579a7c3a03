//! The repair of steps that last as long as their longest messages. The lengths of the old steps are kept: a
//! message goes where it fits, so that the schedule takes no more time than before. Only where that does
//! not suffice, steps are added, as long as the longest messages that lost their place.

use super::islands::{self, Work};
use super::timed::{homes, in_order};
use super::{Row, Target, checked, provenance};
use crate::Options;
use crate::islands::{Form, Limits, SearchError, StopCondition, check_sized};
use crate::solve::solve_until;
use ccsched_base::Error;
use ccsched_bounds as bounds;
use ccsched_engines::sized::{Choices, Home, TimedRepair, TimedRepaired, Timetable};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::changes::Changes;
use ccsched_model::schedule::{Plan, ScheduleFile, TimeModel};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The shares of the time limit after which the first repair, and the search for the least time, are over.
const SHARE_OF_FIRST: u32 = 6;
const SHARE: u32 = 3;

/// Steps by falling lengths, each with its number.
type Profile = Vec<(u64, usize)>;

/// Whether a target is reached so: a number of steps has no lengths.
pub fn applies(problem: &Problem, target: Target) -> bool {
    let is_of_time = matches!(target, Target::Old | Target::Fewest(0));
    is_of_time && problem.has_different_lengths() && check_sized(problem).is_ok()
}

/// A repair of steps of different lengths.
struct StepsJob<'j> {
    problem: &'j Arc<Problem>,
    options: &'j Options,
    stop: StopCondition<'j>,
    begin: Instant,
    choices: &'j Choices,
    bytes: &'j [u64],
    /// By message, its old path and step.
    places: Vec<Home>,
}

/// As [`super::repair`], for steps of different lengths.
///
/// # Errors
/// Another collective.
pub(super) fn repair_steps(
    old: &ScheduleFile,
    problem: &Arc<Problem>,
    target: Target,
    options: &Options,
    (interrupt, begin): (&AtomicBool, Instant),
) -> Result<Vec<Row>, SearchError> {
    let whole = Limits { iterations: u64::MAX, ..options.limits };
    let stop = StopCondition::of(whole, interrupt);
    let until = |share: u32| options.limits.time.map(|time| begin + time / share);
    let is_late = || {
        stop.cuts().is_some() || until(SHARE_OF_FIRST).is_some_and(|until| Instant::now() >= until)
    };
    let mut choices = Choices::in_time(problem, options.seed, &is_late).in_steps();
    let places = homes(old, problem, &mut choices)?;
    let bytes = problem.lengths().unwrap_or_default();
    let of_bytes = bounds::bytes::quick(problem, false);
    let of_bytes = bounds::bytes::all(problem, of_bytes, false, &is_late);
    let job = StepsJob { problem, options, stop, begin, choices: &choices, bytes, places };
    let first = job.first(&job.profile(old), until(SHARE_OF_FIRST));
    let Some((mut profile, mut before)) = first else { return Ok(Vec::new()) };
    let first_seconds = begin.elapsed().as_secs_f64();
    if target != Target::Old
        && let Some(anew) = job.anew((&profile, &before.table), interrupt)?
    {
        let numbers: Vec<usize> = profile.iter().map(|step| step.1).collect();
        let number = |at: usize| numbers.get(at).copied().unwrap_or(at);
        profile = anew.0.into_iter().enumerate().map(|(at, bytes)| (bytes, number(at))).collect();
        before = TimedRepaired { moved: usize::MAX, table: anew.1 };
    }
    let (found, at) = job
        .repaired(&profile, Some(&before.table), islands::PASSES, until(1))
        .unwrap_or((before, Instant::now()));
    let mut plan = Plan::new(profile.iter().map(|step| step.1 as u32 + 1).max().unwrap_or(0));
    for (m, (&path, &start)) in (0..).zip(found.table.routes.iter().zip(&found.table.starts)) {
        plan.push(profile[start as usize].1, m, choices.channels(path).iter().copied());
    }
    plan.tidy();
    let file = plan.record(problem, &bounds::quick(problem), provenance(options));
    let schedule = file.with_byte_bounds(problem, &of_bytes);
    let seconds = at.duration_since(begin).as_secs_f64();
    let least = job.places.iter().filter(|place| place.is_none()).count();
    let changes = Changes::between(old, &schedule);
    Ok(vec![checked(Row { schedule, changes, least, seconds, first_seconds })?])
}

impl StepsJob<'_> {
    /// The lengths of the old steps.
    fn profile(&self, old: &ScheduleFile) -> Profile {
        let bytes = |t: usize| old.steps.entry(t).bytes.unwrap_or(0);
        let longest = |step: usize| old.steps.places(step).map(bytes).max().unwrap_or(0);
        sorted((0..old.steps.len()).map(|step| (longest(step), step)).collect())
    }

    /// The first repair, with as few steps added as suffice for it.
    fn first(&self, old: &Profile, until: Option<Instant>) -> Option<(Profile, TimedRepaired)> {
        let longest: HashMap<usize, u64> = old.iter().map(|&(bytes, step)| (step, bytes)).collect();
        let is_lost = |(place, &bytes): (&Home, &u64)| match place {
            Some((_, step)) => longest.get(&(*step as usize)).is_none_or(|&most| most < bytes),
            None => true,
        };
        let all = self.places.iter().zip(self.bytes).filter(|&of| is_lost(of));
        let mut lost: Vec<u64> = all.map(|(_, &bytes)| bytes).collect();
        lost.sort_unstable_by_key(|&bytes| Reverse(bytes));
        // Each message may have a step of its own.
        let mut more = 0;
        loop {
            let added = lost[..more].iter().enumerate();
            let added = added.map(|(at, &bytes)| (bytes, old.len() + at));
            let profile = sorted(old.iter().copied().chain(added).collect());
            if let Some((found, _)) = self.repaired(&profile, None, 0, until) {
                return Some((profile, found));
            }
            if more == lost.len() {
                return None;
            }
            more = (2 * more).clamp(1, lost.len());
        }
    }

    /// A repair in steps of given lengths, and when it was found.
    fn repaired(
        &self,
        profile: &Profile,
        before: Option<&Timetable>,
        passes: u64,
        until: Option<Instant>,
    ) -> Option<(TimedRepaired, Instant)> {
        let numbers = (0..).zip(profile).map(|(at, step)| (step.1 as u64, at));
        let position: HashMap<u64, u64> = numbers.collect();
        let home =
            |place: &Home| place.and_then(|(path, step)| Some((path, *position.get(&step)?)));
        let steps: Vec<u64> = profile.iter().map(|step| step.0).collect();
        let homes = self.places.iter().map(home).collect();
        let search = TimedRepair::new(self.choices, homes, Some((self.bytes, &steps)));
        let within = profile.len() as u64;
        let before = before.map(|table| search.nearest(table.clone()));
        let least = search.homeless(within);
        let work = Work { within, before: before.as_ref(), least, passes };
        let is_over = |_: bool| {
            self.stop.cuts().is_some() || until.is_some_and(|until| Instant::now() >= until)
        };
        let found = islands::repair(&search, work, self.options, &is_over)?;
        Some((found.repaired, found.at))
    }

    /// The lengths of the steps of a schedule that takes less time than a repair, and its places, if the search
    /// from nothing finds one.
    fn anew(
        &self,
        (profile, table): (&Profile, &Timetable),
        interrupt: &AtomicBool,
    ) -> Result<Option<(Vec<u64>, Timetable)>, Error> {
        let model = TimeModel::at(self.problem.network().rate());
        let startup = (model.startup_us * 1e3 / model.byte_ns).clamp(0.0, 1e15).round() as u64;
        let mut longest = vec![0; profile.len()];
        for (&step, &bytes) in table.starts.iter().zip(self.bytes) {
            longest[step as usize] = bytes.max(longest[step as usize]);
        }
        let cost: u64 = longest.iter().filter(|&&l| l > 0).map(|l| l + startup).sum();
        let share = |time: Duration| (time / SHARE).saturating_sub(self.begin.elapsed());
        let limits = Limits { time: self.options.limits.time.map(share), ..self.options.limits };
        let options = Options {
            form: Some(Form::Steps { startup }),
            limits,
            from: Some(Arc::new(in_order(self.choices, table))),
            steps: None,
            ..self.options.clone()
        };
        let solution = match limits.time.is_some_and(|time| time.is_zero()) {
            true => return Ok(None),
            false => solve_until(self.problem, &options, interrupt),
        };
        let solution = solution.map_err(|why| Error::problem(why.to_string()))?;
        let Some(plan) = solution.plan.filter(|plan| plan.cost() < cost) else { return Ok(None) };
        let mut routes = vec![0; self.choices.len()];
        let mut starts = vec![0; self.choices.len()];
        let mut lengths = vec![0; plan.len()];
        for (step, transfers) in plan.steps().enumerate() {
            for t in transfers {
                let m = t.message as usize;
                let Some(path) = self.choices.along(t.message, t.channels) else { return Ok(None) };
                (routes[m], starts[m]) = (path, step as u64);
                lengths[step] = self.bytes[m].max(lengths[step]);
            }
        }
        Ok(Some((lengths, Timetable { routes, starts, end: plan.len() as u64 })))
    }
}

/// Steps by falling lengths.
fn sorted(mut profile: Profile) -> Profile {
    profile.sort_by_key(|&(bytes, step)| (Reverse(bytes), step));
    profile
}
