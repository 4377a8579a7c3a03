//! The verifier checks every schedule that a search finds, together with all bounds; an invalid one
//! ends the search.

use ccsched::bounds::{self, Bound};
use ccsched::engines::Method;
use ccsched::islands::{Observer, Progress};
use ccsched::problem::Problem;
use ccsched::schedule::file::{Provenance, RouteRecord};
use ccsched::schedule::{Plan, RouteRecords, ScheduleFile};
use ccsched::verify::verify;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The interrupt flag of tests: it is never set.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// The schedule file of a plan, with all bounds.
pub fn file_of(problem: &Problem, plan: &Plan) -> ScheduleFile {
    plan.record(problem, &bounds::all(problem), Provenance::default())
}

/// The violations of a plan, one a line; empty if it is valid.
pub fn complaints(problem: &Problem, plan: &Plan) -> String {
    complaints_with(problem, plan, &bounds::all(problem))
}

/// The same with bounds that the caller has.
pub fn complaints_with(problem: &Problem, plan: &Plan, bounds: &[Bound]) -> String {
    let file = plan.record(problem, bounds, Provenance::default());
    verify(&file).into_iter().map(|v| format!("{v}\n")).collect()
}

/// Refuses schedules that are not valid.
pub struct Checker<'a>(pub &'a Problem);

impl Observer for Checker<'_> {
    fn progress(&mut self, _: &Progress) {}

    fn improved(&mut self, plan: &Arc<Plan>, _: &Method) -> Result<(), String> {
        let complaints = complaints(self.0, plan);
        if complaints.is_empty() { Ok(()) } else { Err(complaints) }
    }
}

/// Changes the fixed routes of a file, which must have some.
pub fn change_routes(file: &mut ScheduleFile, change: impl FnOnce(&mut Vec<RouteRecord>)) {
    let mut records = file.model.routes.as_ref().expect("fixed routes").records();
    change(&mut records);
    file.model.routes = Some(RouteRecords::of(&records));
}
