//! What is proved of a problem: lower bounds on steps, and in bytes where the time is to be the least.

use ccsched_bounds as bounds;
use ccsched_bounds::{Bound, ByteBound};
use ccsched_engines::sized::Form;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::{Plan, ScheduleFile};

/// Lower bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proven {
    /// On the number of steps, the largest first; none for a timed schedule.
    pub steps: Vec<Bound>,
    /// In bytes, the largest first, where the time is to be the least.
    pub bytes: Vec<ByteBound>,
    /// Of a schedule with steps and lengths, the least sum of the largest delays of all steps, in bytes.
    pub of_delays: u64,
}

impl From<&[Bound]> for Proven {
    fn from(steps: &[Bound]) -> Self {
        Proven { steps: steps.to_vec(), ..Proven::default() }
    }
}

impl Proven {
    /// The bounds on the least time that are found at once.
    pub fn quick(problem: &Problem, form: Form) -> Self {
        let steps = if form.is_timed() { vec![] } else { bounds::of_ports(problem) };
        let bytes = bounds::bytes::quick(problem, form.is_timed());
        Proven { steps, bytes, of_delays: Self::of_delays(problem, form) }
    }

    /// The least sum of the largest delays of all steps, in bytes; 0 of a timed schedule.
    pub(super) fn of_delays(problem: &Problem, form: Form) -> u64 {
        let delays = problem.network().delays_in_bytes();
        match form.is_timed() || delays.is_empty() {
            true => 0,
            false => bounds::delays::of_steps(problem, &delays, 1),
        }
    }

    /// No schedule costs less, in the unit of [`Plan::cost`]; start-up times are in bytes.
    pub fn least(&self, form: Option<Form>) -> u64 {
        least(form, &self.steps, &self.bytes, self.of_delays)
    }

    /// The schedule file of a plan with these bounds.
    pub fn file(&self, plan: &Plan, problem: &Problem, provenance: Provenance) -> ScheduleFile {
        plan.record(problem, &self.steps, provenance).with_byte_bounds(problem, &self.bytes)
    }
}

/// No schedule costs less, by bounds on steps, in bytes and of delays.
pub(super) fn least(
    form: Option<Form>,
    steps: &[Bound],
    bytes: &[ByteBound],
    of_delays: u64,
) -> u64 {
    let steps = steps.first().map_or(1, |bound| u64::from(bound.steps));
    let bytes = bytes.first().map_or(0, |bound| bound.bytes);
    match form {
        None => steps,
        Some(Form::Timed) => bytes,
        Some(Form::Steps { startup }) => {
            bytes.saturating_add(of_delays).saturating_add(startup.saturating_mul(steps))
        }
    }
}
