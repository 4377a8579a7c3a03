//! The inspector: verifies every schedule that leaves the program, with its bounds, in the form
//! that its file has.

use super::checking::{Checking, Verdict, verdict};
use super::least_time::Late;
use super::solution::provenance;
use super::{IslandStats, Job, Observer, Outcome, Progress, Proven, StopCondition, StopReason};
use ccsched_base::counted::counted;
use ccsched_bounds::Bound;
use ccsched_engines::Method;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::{Plan, ScheduleFile};
use ccsched_verify::{verify, verify_bounds};
use std::sync::Arc;
use std::time::Duration;

/// Receives the progress and the verified schedules of a run.
pub trait Watcher {
    /// Called after each exchange.
    fn progress(&mut self, _progress: &Progress) {}

    /// Called when a larger lower bound is found, on the steps or on the time in bytes.
    fn bound(&mut self, _least: u64) {}

    /// Whether statistics of islands are wanted; if not, they are not sent to the master.
    fn wants_islands(&self) -> bool {
        true
    }

    /// Called after each exchange with the statistics of the islands since the one before, if they
    /// are wanted.
    fn islands(&mut self, _progress: &Progress, _islands: &[IslandStats]) {}

    /// Called before the state of the search is saved: everything received so far must be durable
    /// as well.
    fn flush(&mut self) {}

    /// Whether the watcher writes files. If not, a verified schedule is not passed again with later
    /// bounds.
    fn writes(&self) -> bool {
        true
    }

    /// Called with a better schedule, which is being verified: it may be shown or take its place in a
    /// file only after `is_valid` has returned true. Returns whether it was saved; if not, it is passed
    /// again at the end.
    fn schedule(&mut self, _schedule: &ScheduleFile, is_valid: &mut dyn FnMut() -> bool) -> bool {
        is_valid()
    }

    /// Called when the run has ended, with the best schedule unless it is already saved unchanged.
    ///
    /// # Errors
    /// A schedule that cannot be saved.
    fn end(&mut self, _schedule: Option<&ScheduleFile>) -> Result<(), String> {
        Ok(())
    }
}

impl Watcher for () {
    fn wants_islands(&self) -> bool {
        false
    }
}

/// Refuses invalid schedules. As an observer it does nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Inspector<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Its lower bounds.
    pub bounds: &'a [Bound],
}

impl Inspector<'_> {
    /// The file of a valid schedule.
    ///
    /// # Errors
    /// The first violation of the schedule or of a bound.
    pub fn file(&self, plan: &Plan, provenance: Provenance) -> Result<ScheduleFile, String> {
        let file = plan.record(self.problem, self.bounds, provenance);
        match verdict(self.problem, &file, verify) {
            Verdict::Wrong(why) => Err(why),
            Verdict::Valid | Verdict::Late => Ok(file),
        }
    }
}

impl Observer for Inspector<'_> {
    fn progress(&mut self, _: &Progress) {}

    fn wants_islands(&self) -> bool {
        false
    }

    fn improved(&mut self, plan: &Arc<Plan>, _: &Method) -> Result<(), String> {
        self.file(plan, Provenance::default()).map(drop)
    }
}

/// A schedule and the method that found it.
pub(super) type Found = (Arc<Plan>, Method);

/// On the way to the least time, schedules are verified in at most one part in this number of the time.
const SHARE: u32 = 10;

/// A schedule that takes longer to save is not saved again after the time limit.
const SLOW: Duration = Duration::from_secs(1);

/// The observer of a run: verifies each schedule, then passes it to a watcher. The verification of a
/// large schedule is given up on an interrupt, and at the time limit, a little later if it is the only one.
pub(super) struct Inspecting<'a> {
    problem: &'a Arc<Problem>,
    proven: Arc<Proven>,
    /// The bounds that a search for the least time finds beside it.
    late: Option<Late>,
    job: &'a Job,
    ranks: usize,
    stop: StopCondition<'a>,
    watcher: &'a mut dyn Watcher,
    past: Past,
}

/// What an inspector has passed on, for the next one of the same run.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    /// The schedule that was verified last.
    valid: Option<Found>,
    /// The schedule that the watcher saved last, with the bounds in its file.
    kept: Option<(Arc<Plan>, Arc<Proven>)>,
    /// The time that the watcher took for it.
    saving: Duration,
    /// Until then no schedule is verified before the end: there are many on the way to the least time.
    due: Duration,
}

impl<'a> Inspecting<'a> {
    pub fn new(
        (problem, proven, job): (&'a Arc<Problem>, Arc<Proven>, &'a Job),
        ranks: usize,
        stop: StopCondition<'a>,
        watcher: &'a mut dyn Watcher,
    ) -> Self {
        let past = Past::default();
        Inspecting { problem, proven, late: None, job, ranks, stop, watcher, past }
    }

    /// Also takes bounds in that are found beside the search.
    pub fn with_late(self, late: Late) -> Self {
        Inspecting { late: Some(late), ..self }
    }

    /// The bounds at the end of a search for the least time whose best schedule costs `cost`.
    pub fn last_bounds(&mut self, cost: Option<u64>) -> Proven {
        let proven = Proven::clone(&self.proven);
        match self.late.take() {
            Some(late) => late.end(proven, cost, || self.stop.cuts().is_some()),
            None => proven,
        }
    }

    /// Goes on where another inspector ended.
    pub fn after(self, past: Past) -> Self {
        Inspecting { past, ..self }
    }

    /// What was passed on.
    pub fn into_past(self) -> Past {
        self.past
    }

    /// Begins to verify a schedule; none if that is given up at once.
    fn begin(
        &self,
        plan: &Arc<Plan>,
        method: &Method,
        proven: &Arc<Proven>,
    ) -> Result<Option<Checking>, String> {
        let provenance = provenance(&self.job.engine, method, &self.job.search, self.ranks);
        let check = if self.is_valid(plan) { verify_bounds } else { verify };
        let begun =
            Checking::begin((self.problem, plan, proven), provenance, check, || self.gives_up());
        begun.map_err(|why| why.to_string())
    }

    /// The file of a valid schedule; none if its verification was given up.
    fn file(
        &mut self,
        plan: &Arc<Plan>,
        method: &Method,
        proven: &Arc<Proven>,
    ) -> Result<Option<Arc<ScheduleFile>>, String> {
        let Some(mut checking) = self.begin(plan, method, proven)? else { return Ok(None) };
        match checking.verdict(|| self.gives_up()) {
            Verdict::Valid => {
                self.past.valid = Some((plan.clone(), method.clone()));
                Ok(Some(checking.file().clone()))
            }
            Verdict::Wrong(why) => Err(why),
            Verdict::Late => Ok(None),
        }
    }

    /// Whether bounds hold and do not exceed this number of steps; false as well if their
    /// verification was given up.
    fn hold(&self, proven: &Proven, steps: usize) -> Result<bool, String> {
        let checking = Checking::of_bounds(self.problem, steps, proven);
        match checking.map_err(|why| why.to_string())?.verdict(|| self.gives_up()) {
            Verdict::Valid => Ok(true),
            Verdict::Wrong(why) => Err(why),
            Verdict::Late => Ok(false),
        }
    }

    fn is_valid(&self, plan: &Arc<Plan>) -> bool {
        self.past.valid.as_ref().is_some_and(|(valid, _)| Arc::ptr_eq(valid, plan))
    }

    fn is_kept(&self, plan: &Arc<Plan>) -> bool {
        self.past.kept.as_ref().is_some_and(|(kept, _)| kept == plan)
    }

    /// Whether saving a large schedule again, with other bounds, would break the time limit.
    fn is_late_to_save(&self) -> bool {
        let is_late = self.stop.left().is_some_and(|left| left < self.past.saving);
        self.watcher.writes() && self.past.saving >= SLOW && is_late
    }

    fn gives_up(&self) -> bool {
        gives_up(self.stop, &self.past)
    }

    /// Ends the run: passes the best schedule with the final bounds to the watcher, unless it is
    /// saved already. If it was not verified, the best is the last one that was. Returns the bounds
    /// that hold for the schedule.
    pub fn end(&mut self, outcome: &mut Outcome, found: Proven) -> Result<Proven, String> {
        let (Some(plan), Some(method)) = (&outcome.best, &outcome.method) else {
            return self.watcher.end(None).map(|()| found);
        };
        if let Some((kept, bounds)) = &self.past.kept
            && kept == plan
            && (found == **bounds || self.is_late_to_save())
        {
            let bounds = Proven::clone(bounds);
            return self.watcher.end(None).map(|()| bounds);
        }
        let is_valid = self.is_valid(plan);
        if is_valid && !self.watcher.writes() && plan.time().is_none() {
            // No output needs the file of the schedule, and a large one takes seconds to make.
            let is_held = self.hold(&found, plan.len())?;
            let bounds = if is_held { found } else { Proven::clone(&self.proven) };
            return self.watcher.end(None).map(|()| bounds);
        }
        if let Some(file) = self.file(plan, method, &found.clone().into())? {
            let is_news = !is_valid || self.watcher.writes();
            return self.watcher.end(Some(&*file).filter(|_| is_news)).map(|()| found);
        }
        if !is_valid {
            let result = match (&self.past.valid, self.stop.breaks()) {
                (Some(_), _) => "the best one before is the result",
                (None, Some(StopReason::Interrupted)) => "there is none before it",
                (None, _) => "there is none before it; a longer time limit helps",
            };
            let steps = plan.len();
            log::warn!(
                "the last schedule, of {steps}, was not verified in time; {result}",
                steps = counted(steps, "step")
            );
        }
        if self.past.valid.is_none() {
            // What was found does not count.
            outcome.progress.seeking = 0;
            outcome.reason = self.stop.breaks().unwrap_or(outcome.reason);
        }
        (outcome.best, outcome.method) = self.past.valid.clone().unzip();
        outcome.progress.best = outcome.best.as_ref().map(|plan| plan.cost());
        match &self.past.valid {
            Some((plan, method)) if !self.is_kept(plan) => {
                let made = provenance(&self.job.engine, method, &self.job.search, self.ranks);
                self.watcher.end(Some(&self.proven.file(plan, self.problem, made)))?;
            }
            _ => self.watcher.end(None)?,
        }
        Ok(Proven::clone(&self.proven))
    }
}

impl Observer for Inspecting<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.watcher.progress(progress);
    }

    fn wants_islands(&self) -> bool {
        self.watcher.wants_islands()
    }

    fn islands(&mut self, progress: &Progress, islands: &[IslandStats]) {
        self.watcher.islands(progress, islands);
    }

    fn flush(&mut self) {
        self.watcher.flush();
    }

    fn least(&mut self) -> u64 {
        let Some(late) = &self.late else { return 0 };
        let proven = Arc::make_mut(&mut self.proven);
        let is_new = late.look(proven);
        let least = proven.least(self.job.search.form);
        if is_new {
            self.watcher.bound(least);
        }
        least
    }

    fn found(&mut self, plan: &Arc<Plan>, method: &Method) -> Result<(), String> {
        let begin = self.stop.elapsed();
        if begin < self.past.due {
            return Ok(());
        }
        let bounds = self.proven.clone();
        let Some(mut checking) = self.begin(plan, method, &bounds)? else { return Ok(()) };
        let file = checking.file().clone();
        let (stop, past) = (self.stop, &self.past);
        let mut verdict = || checking.verdict(|| gives_up(stop, past));
        let is_saved = self.watcher.schedule(&file, &mut || verdict() == Verdict::Valid);
        match verdict() {
            Verdict::Wrong(why) => return Err(why),
            Verdict::Late => return Ok(()),
            Verdict::Valid => self.past.valid = Some((plan.clone(), method.clone())),
        }
        let spent = self.stop.elapsed() - begin;
        if is_saved {
            self.past.kept = Some((plan.clone(), bounds));
            self.past.saving = spent;
        }
        if self.job.search.form.is_some() {
            self.past.due = self.stop.elapsed() + SHARE * spent;
        }
        Ok(())
    }

    fn improved(&mut self, plan: &Arc<Plan>, method: &Method) -> Result<(), String> {
        if self.is_kept(plan) { Ok(()) } else { self.found(plan, method) }
    }
}

/// Whether to give up a verification.
fn gives_up(stop: StopCondition<'_>, past: &Past) -> bool {
    match stop.breaks() {
        Some(StopReason::Interrupted) => true,
        // The only schedule may take longer, but not much.
        late => late.is_some() && (past.valid.is_some() || stop.is_missed()),
    }
}
