//! The independent checker: it judges a schedule file alone, by the rules of the model, without any
//! code of the engines, the routing or their cost functions. It runs on every schedule that the
//! program writes and on files of other origin, so no content of a file makes it panic.

mod alone;
mod arguments;
mod bounds;
mod bytes;
mod causality;
mod communicators;
mod completeness;
mod conflicts;
mod congestion;
mod contributions;
mod delays;
mod graph;
mod groups;
mod holders;
mod joined;
mod journeys;
mod leaving;
mod lengths;
mod lgl;
mod messages;
mod paths;
mod plan;
mod proof;
mod routing;
mod spread;
mod structure;
mod sums;
mod timing;
mod traffic;
mod trees;
mod violation;

pub use proof::{Proof, verify_proof};
pub use violation::{Involved, Rule, Violation};

use ccsched_model::schedule::ScheduleFile;
use messages::Messages;
use plan::Plan;
use violation::Report;

/// Checks the bounds of a schedule alone: one that was verified with other bounds.
pub fn verify_bounds(file: &ScheduleFile) -> Vec<Violation> {
    let mut report = Report::default();
    if let Some(plan) = Plan::build(file, &mut report) {
        bounds::check(plan, file, &mut report);
    }
    report.into_found()
}

/// Checks a schedule by all rules; empty if it is valid. Stops after some twenty violations, and
/// after violations of the rule "structure", without which the other rules have no meaning.
///
/// ```
/// use ccsched::network::spec;
/// use ccsched::problem::{Collective, Request};
/// use ccsched::{Options, solve, verify::verify};
///
/// let problem = Request::new(Collective::Aas).pose(spec::parse("ring:4")?, vec![])?;
/// let mut schedule = solve(&problem, &Options::default())?.schedule().expect("a schedule was found");
/// assert!(verify(&schedule).is_empty());
/// schedule.model.collective = "aab".into();
/// assert!(!verify(&schedule).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(file: &ScheduleFile) -> Vec<Violation> {
    let mut report = Report::default();
    if let Some(plan) = Plan::build(file, &mut report) {
        paths::check(&plan, &mut report);
        let messages = Messages::check(&plan);
        messages.routing.tell(&mut report);
        match plan.demand.timed {
            true => timing::check(&plan, &mut report),
            false => conflicts::check(&plan, &mut report),
        }
        if plan.demand.adds {
            joined::check(&plan, &mut report);
        }
        messages.contributions.tell(&mut report);
        messages.causality.tell(&mut report);
        messages.completeness.tell(&mut report);
        bounds::check(plan, file, &mut report);
    }
    report.into_found()
}
