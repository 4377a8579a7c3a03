//! Every schedule that leaves the program passes here: the verifier sees it with its bounds, as its
//! file will have it.

use super::{Observer, Progress};
use crate::bounds::Bound;
use crate::problem::Problem;
use crate::schedule::file::Provenance;
use crate::schedule::{Plan, ScheduleFile};
use crate::verify::verify;

/// Refuses schedules that are not valid. As a listener it does nothing else.
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

    fn improved(&mut self, plan: &Plan) -> Result<(), String> {
        self.file(plan, Provenance::default()).map(drop)
    }
}
