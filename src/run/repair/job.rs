//! The repair of one schedule for one problem: the first repair, the fewest steps, and the best repair in
//! each number of steps.

use super::islands::{self, Work};
use super::least::Least;
use super::rehang::{self, Sums};
use super::{Row, checked, is_repaired, record};
use crate::Options;
use crate::islands::{Limits, SearchError, StopCondition};
use crate::solve::solve_until;
use ccsched_base::Error;
use ccsched_bounds as bounds;
use ccsched_bounds::Bound;
use ccsched_engines::search::scatter::{Repair, Repaired};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::changes::Changes;
use ccsched_model::schedule::{
    Plan, ScheduleFile, resolve_onto, resolve_possible, resolve_survivors,
};
use ccsched_verify::verify;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The share of the time limit after which the search for the fewest steps is over.
const SHARE: u32 = 3;
/// The share after which no more repairs in few steps are tried before that search.
const SHARE_OF_FIRST: u32 = 6;

/// A repair.
pub(super) struct Job<'j> {
    old: &'j ScheduleFile,
    problem: &'j Arc<Problem>,
    options: &'j Options,
    stop: StopCondition<'j>,
    begin: Instant,
    bounds: Vec<Bound>,
    /// The steps of the old schedule, or the bound if it is more.
    pub old_steps: u32,
    /// The repair of a scatter, with the messages that have no old place.
    search: Option<(Repair, Least<'j>, usize)>,
    /// Messages that have lost a transfer, or are new.
    lost: usize,
    /// What is left of a broadcast; of an all-reduce, with where its sums are complete.
    possible: Option<(Plan, Option<Sums>)>,
    first_seconds: Option<f64>,
    /// The schedule that is to be returned to, if it is one of the problem.
    preferred: Option<Arc<Plan>>,
    /// The last repair of a scatter, with its number of steps: the next begins with it.
    last: Option<(u32, Repaired)>,
}

impl<'j> Job<'j> {
    /// The repair of a schedule for a problem, with a flag that ends it, and its beginning.
    ///
    /// # Errors
    /// A schedule of another collective, or in other pieces.
    pub fn new(
        (old, prefer, problem): (&'j ScheduleFile, Option<&ScheduleFile>, &'j Arc<Problem>),
        options: &'j Options,
        (interrupt, begin): (&'j AtomicBool, Instant),
    ) -> Result<Self, Error> {
        let whole = Limits { iterations: u64::MAX, ..options.limits };
        let stop = StopCondition::of(whole, interrupt);
        let plan = resolve_survivors(old, problem)?;
        let bounds = bounds::all(problem);
        let bound = bounds.first().map_or(1, |bound| bound.steps);
        let search = is_repaired(problem).then(|| {
            let search = Repair::new(problem.clone(), &plan);
            let homeless = search.homeless();
            (search, Least::of(problem, &plan), homeless)
        });
        let lost = {
            let mut whole: Vec<u32> = plan.transfers().map(|t| t.message).collect();
            whole.sort_unstable();
            whole.dedup();
            problem.messages() - whole.len()
        };
        let possible = match search.is_none() && rehang::applies(problem) {
            true => Some((resolve_possible(old, problem)?, Sums::of(old, problem)?)),
            false => None,
        };
        let old_steps = (old.steps.len() as u32).max(bound);
        let (first_seconds, last) = (None, None);
        let preferred = prefer.and_then(|prefer| resolve_onto(prefer, problem).ok());
        let is_valid = |plan: &Plan| verify(&record(problem, plan, &[], options)).is_empty();
        let preferred = preferred.filter(is_valid).map(Arc::new);
        Ok(Job {
            old,
            problem,
            options,
            stop,
            begin,
            bounds,
            old_steps,
            search,
            lost,
            possible,
            first_seconds,
            preferred,
            last,
        })
    }

    /// Whether all is over.
    pub fn is_over(&self) -> bool {
        self.stop.cuts().is_some()
    }

    fn is_over_at(&self, until: Option<Instant>) -> bool {
        self.is_over() || until.is_some_and(|until| Instant::now() >= until)
    }

    fn elapsed(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    /// Whether a number of steps needs a new schedule: nothing repairs the collective in it.
    pub fn needs_new(&self, steps: u32) -> bool {
        self.search.is_none() && self.rehung(steps).is_none()
    }

    /// The broadcast with what is left of it, in a number of steps.
    fn rehung(&self, steps: u32) -> Option<Plan> {
        let until = self.options.limits.time.map(|time| Instant::now() + time / SHARE_OF_FIRST);
        let is_over = || self.is_over_at(until);
        let of = (steps, self.options.seed);
        let (possible, sums) = self.possible.as_ref()?;
        let plan = match sums {
            Some(sums) => sums.rehang(self.problem, possible, of, &is_over)?,
            None => rehang::rehang(self.problem, possible, of, &is_over)?,
        };
        let file = record(self.problem, &plan, &[], self.options);
        verify(&file).is_empty().then_some(plan)
    }

    /// A schedule in the fewest steps that are found; it begins with a repair.
    ///
    /// # Errors
    /// The search fails.
    pub fn fewest(&mut self, interrupt: &AtomicBool) -> Result<Option<Arc<Plan>>, SearchError> {
        let mut first = match self.search.is_some() {
            true => self.first(),
            false => self.rehung(self.old_steps),
        };
        if first.is_some() {
            self.first_seconds.get_or_insert(self.elapsed());
        }
        first.iter_mut().for_each(Plan::tidy);
        let first = first.map(Arc::new);
        let first = first.into_iter().chain(self.preferred.clone()).min_by_key(|plan| plan.len());
        let bound = self.bounds.first().map_or(1, |bound| bound.steps);
        if let Some(plan) = first.as_ref().filter(|plan| plan.len() as u32 <= bound) {
            return Ok(Some(plan.clone()));
        }
        let share = |time: Duration| match self.search.is_some() {
            true => (time / SHARE).saturating_sub(self.begin.elapsed()),
            false => time.saturating_sub(self.begin.elapsed()),
        };
        let limits = Limits { time: self.options.limits.time.map(share), ..self.options.limits };
        let options = Options { limits, from: first, ..self.options.clone() };
        Ok(solve_until(self.problem, &options, interrupt)?.plan)
    }

    /// The first repair of a scatter, in the old number of steps or, where that is hard, some more.
    fn first(&mut self) -> Option<Plan> {
        let (mut search, homeless) = self.search.as_ref().map(|s| (s.0.clone(), s.2))?;
        self.last = islands::first(&mut search, self.old_steps, self.options.seed);
        self.first_seconds = self.last.as_ref().map(|_| self.elapsed());
        if self.last.as_ref().is_none_or(|last| last.0 > self.old_steps) {
            let until = self.options.limits.time.map(|time| self.begin + time / SHARE_OF_FIRST);
            let is_over = |_: bool| self.is_over_at(until);
            let within = u64::from(self.old_steps);
            let work = Work { within, before: None, least: homeless, passes: 0 };
            let found = islands::repair(&search, work, self.options, &is_over);
            self.last = found.map(|found| (self.old_steps, found.repaired)).or(self.last.take());
        }
        self.last.as_ref().map(|(steps, found)| search.plan(found, *steps))
    }

    /// The best repair in a number of steps, beside a new schedule; `rows` are to be made with it in the
    /// rest of the time.
    ///
    /// # Errors
    /// A repair that is not valid.
    pub fn row(
        &mut self,
        steps: u32,
        anew: Option<&Arc<Plan>>,
        rows: u32,
    ) -> Result<Option<Row>, SearchError> {
        let anew = anew.filter(|plan| plan.len() as u32 <= steps);
        let mut seconds = None;
        let found = self.repaired(steps, anew, rows).map(|(plan, at)| {
            seconds = Some(at.duration_since(self.begin).as_secs_f64());
            plan
        });
        let plans = found.into_iter().chain(self.rehung(steps));
        let preferred = self.preferred.as_ref().filter(|plan| plan.len() as u32 <= steps);
        let plans = plans.chain(anew.into_iter().chain(preferred).map(|plan| (**plan).clone()));
        let row = |plan: Plan| {
            let schedule = record(self.problem, &plan, &self.bounds, self.options);
            let changes = Changes::between(self.old, &schedule);
            let seconds = seconds.unwrap_or_else(|| self.elapsed());
            let first_seconds = self.first_seconds.unwrap_or(seconds);
            Row { schedule, changes, least: self.lost, seconds, first_seconds }
        };
        let best =
            plans.map(row).min_by_key(|row| (row.changes.changed.len(), row.changes.transfers()));
        let Some(mut row) = best else { return Ok(None) };
        self.first_seconds = Some(row.first_seconds);
        let steps = row.schedule.steps.len() as u32;
        if let Some((_, least, _)) = &self.search {
            // What cuts force is looked at if it may matter.
            row.least = least.homeless(steps);
            if row.changes.changed.len() + row.changes.added.len() > row.least {
                row.least = least.at(steps);
            }
        }
        Ok(Some(checked(row)?))
    }

    /// The best repair of a scatter in a number of steps, and when it was found. It begins with the last
    /// one, or else with a new schedule.
    fn repaired(
        &mut self,
        steps: u32,
        anew: Option<&Arc<Plan>>,
        rows: u32,
    ) -> Option<(Plan, Instant)> {
        let (search, _, homeless) = self.search.as_ref()?;
        let ends = islands::ends(self.options, self.begin, rows);
        let is_over = |rounds: bool| self.is_over_at(ends.map(|ends| ends[usize::from(!rounds)]));
        let last = self.last.as_ref().filter(|last| last.0 <= steps).map(|last| last.1.clone());
        let before = last.or_else(|| Some(search.nearest(anew?)));
        let passes = islands::PASSES;
        let within = u64::from(steps);
        let work = Work { within, before: before.as_ref(), least: *homeless, passes };
        let found = islands::repair(search, work, self.options, &is_over)?;
        let plan = search.plan(&found.repaired, steps);
        self.last = Some((steps, found.repaired));
        Some((plan, found.at))
    }

    /// What counts as changed: messages, and where they have many transfers, those.
    pub fn changes(&self, row: &Row) -> (usize, usize) {
        let transfers = if self.search.is_some() { 0 } else { row.changes.transfers() };
        (row.changes.changed.len(), transfers)
    }
}
