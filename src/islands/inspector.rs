//! Every schedule that leaves the program passes here: the verifier sees it with its bounds, as its
//! file will have it.

use super::solution::provenance;
use super::{IslandStats, Job, Observer, Outcome, Progress};
use crate::bounds::Bound;
use crate::engines::Method;
use crate::problem::Problem;
use crate::schedule::file::Provenance;
use crate::schedule::{Plan, ScheduleFile};
use crate::verify::verify;

/// Hears of a run: its progress, and verified schedules.
pub trait Watcher {
    /// After every exchange.
    fn progress(&mut self, _progress: &Progress) {}

    /// After every exchange, what each island did since the one before.
    fn islands(&mut self, _progress: &Progress, _islands: &[IslandStats]) {}

    /// The state of the search is about to be kept: what was heard so far must last, too.
    fn flush(&mut self) {}

    /// A better schedule was found, and it is valid. Says whether it is kept; if it is not, it comes
    /// again in the end.
    fn schedule(&mut self, _schedule: &ScheduleFile) -> bool {
        true
    }

    /// The run has ended; here is the best schedule, unless it is kept already as it is.
    ///
    /// # Errors
    /// A schedule that cannot be kept.
    fn end(&mut self, _schedule: Option<&ScheduleFile>) -> Result<(), String> {
        Ok(())
    }
}

impl Watcher for () {}

/// Refuses schedules that are not valid. As an observer it does nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Inspector<'a> {
    /// What is to be solved.
    pub problem: &'a Problem,
    /// Its lower bounds.
    pub bounds: &'a [Bound],
}

impl Inspector<'_> {
    /// The file of a schedule that is valid.
    ///
    /// # Errors
    /// What is wrong with the schedule, or with a bound.
    pub fn file(&self, plan: &Plan, provenance: Provenance) -> Result<ScheduleFile, String> {
        let file = plan.record(self.problem, self.bounds, provenance);
        match verify(&file).first() {
            None => Ok(file),
            Some(violation) => Err(format!(
                "internal error, please report it: the engine returned a schedule of {} that is \
                 not valid: {violation}",
                self.problem.network.name()
            )),
        }
    }
}

impl Observer for Inspector<'_> {
    fn progress(&mut self, _: &Progress) {}

    fn improved(&mut self, plan: &Plan, _: &Method) -> Result<(), String> {
        self.file(plan, Provenance::default()).map(drop)
    }
}

/// The observer of a run: inspects every schedule, then passes it on to a watcher.
pub(super) struct Inspecting<'a> {
    inspector: Inspector<'a>,
    job: &'a Job,
    ranks: usize,
    watcher: &'a mut dyn Watcher,
    /// The schedule that the watcher has kept.
    kept: Option<Plan>,
}

impl<'a> Inspecting<'a> {
    pub fn new(
        inspector: Inspector<'a>,
        job: &'a Job,
        ranks: usize,
        watcher: &'a mut dyn Watcher,
    ) -> Self {
        Inspecting { inspector, job, ranks, watcher, kept: None }
    }

    fn file(&self, plan: &Plan, method: &Method, bounds: &[Bound]) -> Result<ScheduleFile, String> {
        let provenance = provenance(&self.job.engine, method, &self.job.search, self.ranks);
        Inspector { bounds, ..self.inspector }.file(plan, provenance)
    }

    /// After the search: the watcher has the best schedule, with all bounds that are known by now.
    pub fn end(&mut self, outcome: &Outcome, bounds: &[Bound]) -> Result<(), String> {
        let (Some(plan), Some(method)) = (&outcome.best, &outcome.method) else {
            return self.watcher.end(None);
        };
        if self.kept.as_ref() == Some(plan) && bounds == self.inspector.bounds {
            return self.watcher.end(None);
        }
        let file = self.file(plan, method, bounds)?;
        self.watcher.end(Some(&file))
    }
}

impl Observer for Inspecting<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.watcher.progress(progress);
    }

    fn islands(&mut self, progress: &Progress, islands: &[IslandStats]) {
        self.watcher.islands(progress, islands);
    }

    fn flush(&mut self) {
        self.watcher.flush();
    }

    fn found(&mut self, plan: &Plan, method: &Method) -> Result<(), String> {
        let file = self.file(plan, method, self.inspector.bounds)?;
        if self.watcher.schedule(&file) {
            self.kept = Some(plan.clone());
        }
        Ok(())
    }

    fn improved(&mut self, plan: &Plan, method: &Method) -> Result<(), String> {
        if self.kept.as_ref() == Some(plan) { Ok(()) } else { self.found(plan, method) }
    }
}
