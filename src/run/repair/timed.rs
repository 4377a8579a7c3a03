//! The repair of a timed schedule: the ends that are tried, and the best repair before each of them.

use super::islands::{self, Work};
use super::{Row, Target, checked, provenance};
use crate::Options;
use crate::islands::{Form, Limits, SearchError, StopCondition, check_sized};
use crate::solve::solve_until;
use ccsched_base::Error;
use ccsched_bounds as bounds;
use ccsched_bounds::ByteBound;
use ccsched_engines::search::scatter::old_places;
use ccsched_engines::sized::{Choices, Home, TimedRepair, TimedRepaired, Timetable, timed_plan};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::changes::Changes;
use ccsched_model::schedule::{Plan, ScheduleFile, places_onto};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The share of the time limit after which the search for the least end is over.
const SHARE: u32 = 3;
/// The share after which bounds, and the first repair, are given up.
const SHARE_OF_FIRST: u32 = 6;
/// Parts of the way from the least end of a frontier to the last.
const PARTS: u64 = 4;
/// Ends beyond the old one that are tried, each twice as far beyond it as the one before.
const LATER: u64 = 6;

/// A repair of a timed schedule.
struct TimedJob<'j> {
    old: &'j ScheduleFile,
    problem: &'j Arc<Problem>,
    options: &'j Options,
    interrupt: &'j AtomicBool,
    stop: StopCondition<'j>,
    begin: Instant,
    bounds: Vec<ByteBound>,
    choices: &'j Choices,
    search: TimedRepair<'j>,
    /// The old end, or the bound if it is later.
    old_end: u64,
    /// The repair with the fewest changes, whatever its end.
    appended: TimedRepaired,
    /// The last repair, the schedule of the search from nothing, and the preferred one.
    others: Vec<TimedRepaired>,
    first_seconds: f64,
}

/// As [`super::repair`], for a timed schedule.
///
/// # Errors
/// Messages without lengths, or a number of steps.
pub(super) fn repair_timed(
    (old, prefer): (&ScheduleFile, Option<&ScheduleFile>),
    problem: &Arc<Problem>,
    target: Target,
    options: &Options,
    (interrupt, begin): (&AtomicBool, Instant),
) -> Result<Vec<Row>, SearchError> {
    check_sized(problem)?;
    let whole = Limits { iterations: u64::MAX, ..options.limits };
    let stop = StopCondition::of(whole, interrupt);
    let share = options.limits.time.map(|time| begin + time / SHARE_OF_FIRST);
    let is_late = || stop.cuts().is_some() || share.is_some_and(|share| Instant::now() >= share);
    let mut choices = Choices::in_time(problem, options.seed, &is_late);
    let homes = homes(old, problem, &mut choices)?;
    let preferred = match prefer.filter(|prefer| prefer.is_timed()) {
        Some(prefer) => Some(self::homes(prefer, problem, &mut choices)?),
        None => None,
    };
    let bounds = bounds::bytes::quick(problem, true);
    let bounds = bounds::bytes::all(problem, bounds, true, &is_late);
    let bound = bounds.first().map_or(0, |bound| bound.bytes);
    let mut search = TimedRepair::new(&choices, homes, None);
    let whole = preferred.and_then(|places| {
        search.prefer(places.clone());
        search.whole(&places)
    });
    let appended = search.appended();
    let mut job = TimedJob {
        old,
        problem,
        options,
        interrupt,
        stop,
        begin,
        bounds,
        choices: &choices,
        search,
        old_end: old.span().unwrap_or(0).max(bound),
        appended,
        others: whole.into_iter().collect(),
        first_seconds: begin.elapsed().as_secs_f64(),
    };
    job.rows(target)
}

/// By message, its old path and start, or step, if the rules of paths still allow it.
pub(super) fn homes(
    old: &ScheduleFile,
    problem: &Problem,
    choices: &mut Choices,
) -> Result<Vec<Home>, Error> {
    let mut plan = Plan::new(1);
    let mut starts = vec![None; choices.len()];
    for (message, start, channels) in places_onto(old, problem)? {
        plan.push(0, message, channels);
        starts[message as usize] = Some(start);
    }
    let slack = problem.routing().slack();
    let shortest = |m: u32| match choices.paths(m) {
        paths if paths.is_empty() => 0,
        paths => choices.channels(paths.start).len() as u32,
    };
    let places = old_places(problem, &plan, |m| shortest(m).saturating_add(slack));
    let mut homes = vec![None; choices.len()];
    for (m, place) in (0..).zip(&places).filter(|(_, place)| !place.is_empty()) {
        let channels: Vec<u32> = place.iter().map(|at| at.0).collect();
        let path = choices.along(m, &channels);
        let path = path.unwrap_or_else(|| choices.add(problem, &channels));
        homes[m as usize] = starts[m as usize].map(|start| (path, start));
    }
    Ok(homes)
}

/// The messages of a repair by start, with their paths: the order with which a search begins.
pub(super) fn in_order(choices: &Choices, table: &Timetable) -> Plan {
    let mut order: Vec<u32> = (0..choices.len() as u32).collect();
    order.sort_by_key(|&m| table.starts[m as usize]);
    let mut plan = Plan::new(1);
    for m in order {
        plan.push(0, m, choices.channels(table.routes[m as usize]).iter().copied());
    }
    plan
}

impl TimedJob<'_> {
    fn bound(&self) -> u64 {
        self.bounds.first().map_or(0, |bound| bound.bytes)
    }

    fn is_over_at(&self, until: Option<Instant>) -> bool {
        self.stop.cuts().is_some() || until.is_some_and(|until| Instant::now() >= until)
    }

    /// The repairs that a target asks for.
    fn rows(&mut self, target: Target) -> Result<Vec<Row>, SearchError> {
        let ends: Vec<u64> = match target {
            Target::Given(_) => {
                let why = "a timed schedule has an end, not a number of steps";
                return Err(Error::field("steps", why).into());
            }
            Target::Old => return self.kept(),
            Target::Fewest(more) => vec![self.least_end()? + u64::from(more)],
            Target::Frontier(more) => {
                let least = self.least_end()?;
                let most = if more == 0 { u64::MAX } else { u64::from(more) };
                let way = self.appended.table.end.saturating_sub(least).min(most);
                let mut ends: Vec<u64> = (0..=PARTS).map(|n| least + way * n / PARTS).collect();
                ends.dedup();
                ends
            }
        };
        let mut rows: Vec<Row> = Vec::new();
        for (place, &end) in ends.iter().enumerate() {
            let row = self.row(end, (ends.len() - place) as u32)?;
            // A later end without fewer changes is of no use.
            let fewest = rows.iter().map(|row| row.changes.changed.len()).min();
            rows.extend(row.filter(|row| fewest.is_none_or(|n| row.changes.changed.len() < n)));
            if self.stop.cuts().is_some() {
                break;
            }
        }
        Ok(rows)
    }

    /// The repair that keeps the old end, or the next later one that suffices.
    fn kept(&mut self) -> Result<Vec<Row>, SearchError> {
        if let Some(row) = self.row(self.old_end, 2)? {
            return Ok(vec![row]);
        }
        let last = self.least_end()?.max(self.old_end);
        for part in (0..=LATER).rev() {
            let end = self.old_end + ((last - self.old_end) >> part);
            if let Some(row) = self.row(end, 2)? {
                return Ok(vec![row]);
            }
        }
        Ok(Vec::new())
    }

    /// The least end that is found in its share of the time.
    fn least_end(&mut self) -> Result<u64, SearchError> {
        let all = self.others.iter().chain([&self.appended]);
        let mut best = all.min_by_key(|of| of.table.end).unwrap_or(&self.appended).clone();
        // Ends from the old one on, until there is a repair.
        let limit = self.options.limits.time.map(|time| self.begin + time / SHARE_OF_FIRST);
        let way = best.table.end.saturating_sub(self.old_end);
        let ends = (0..=LATER).map(|n| self.old_end + way * n / (LATER + 1));
        for within in ends.filter(|_| way > 0) {
            let now = Instant::now();
            let until = limit.map(|limit| now + limit.saturating_duration_since(now) / 2);
            let is_over = |_: bool| self.is_over_at(until);
            let work = Work { within, before: None, least: 0, passes: 0 };
            let found = islands::repair(&self.search, work, self.options, &is_over);
            if let Some(found) = found {
                best = found.repaired;
                self.others.push(best.clone());
                break;
            }
        }
        if best.table.end <= self.bound() {
            return Ok(best.table.end);
        }
        let share = |time: Duration| (time / SHARE).saturating_sub(self.begin.elapsed());
        let limits = Limits { time: self.options.limits.time.map(share), ..self.options.limits };
        if limits.time.is_some_and(|time| time.is_zero()) {
            return Ok(best.table.end);
        }
        let from = Some(Arc::new(in_order(self.choices, &best.table)));
        let options =
            Options { form: Some(Form::Timed), limits, from, steps: None, ..self.options.clone() };
        let solution = solve_until(self.problem, &options, self.interrupt)?;
        let shorter = solution.plan.filter(|plan| plan.cost() < best.table.end);
        let table = shorter.and_then(|plan| {
            let mut routes = vec![0; self.choices.len()];
            for t in plan.transfers() {
                routes[t.message as usize] = self.choices.along(t.message, t.channels)?;
            }
            let starts = plan.time()?.starts.clone()?;
            Some(Timetable { routes, starts, end: plan.cost() })
        });
        let Some(table) = table else { return Ok(best.table.end) };
        let end = table.end;
        self.others.push(self.search.nearest(table));
        Ok(end)
    }

    /// The best repair before an end; `rows` are to be made with it in the rest of the time.
    fn row(&mut self, end: u64, rows: u32) -> Result<Option<Row>, SearchError> {
        let all = self.others.iter().chain([&self.appended]);
        let before = all.filter(|of| of.table.end <= end).min_by_key(|of| of.moved).cloned();
        let least = self.search.homeless(end);
        let ends = islands::ends(self.options, self.begin, rows);
        let is_over = |rounds: bool| self.is_over_at(ends.map(|ends| ends[usize::from(!rounds)]));
        let passes = islands::PASSES;
        let work = Work { within: end, before: before.as_ref(), least, passes };
        let found = islands::repair(&self.search, work, self.options, &is_over);
        let Some(found) = found else { return Ok(None) };
        let seconds = found.at.duration_since(self.begin).as_secs_f64();
        let made = timed_plan(self.choices, &found.repaired.table);
        let file = made.record(self.problem, &[], provenance(self.options));
        let schedule = file.with_byte_bounds(self.problem, &self.bounds);
        let least = self.search.homeless(made.cost());
        self.others.push(found.repaired);
        let changes = Changes::between(self.old, &schedule);
        let first_seconds = self.first_seconds;
        Ok(Some(checked(Row { schedule, changes, least, seconds, first_seconds })?))
    }
}
