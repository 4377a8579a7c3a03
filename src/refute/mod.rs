//! Refutation: a satisfiability solver shows that no schedule has a given number of steps, where no
//! counting bound does. The clauses hold in every schedule, or in every schedule after its steps
//! are renamed, so if they are unsatisfiable there is no schedule. If they are satisfiable, a
//! schedule may still be impossible for broadcasts whose paths may be longer than the shortest. The
//! limit of the work is a number of conflicts, not of seconds: the same problem has the same answer
//! everywhere.

mod broadcast;
mod clauses;
mod log;
mod meaning;
mod scatter;

pub use self::log::Refutation;

use crate::problem::{Content, Problem};
use clauses::Clauses;

/// The result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No schedule has that few steps.
    Impossible,
    /// The clauses are satisfiable.
    Possible,
    /// The limit of conflicts was reached, or the attempt was stopped.
    Open,
}

/// Broadcasts with more variables are not attempted: they need more conflicts than any usual limit.
const MOST_OF_BROADCASTS: usize = 250_000;
/// The same for scatters, counted as hops times steps; the clauses that count the uses take several
/// times as many variables.
const MOST_OF_SCATTERS: usize = 40_000;
/// Clauses with more variables are not recorded: they would take gigabytes.
const MOST_OF_PROOFS: usize = 2_000_000;
/// Scatters with more variables get proportionally fewer conflicts, as each takes longer.
const ROOM: u64 = 20_000;

/// Whether a problem is small enough for an attempt with `steps` steps.
pub fn is_worthwhile(problem: &Problem, steps: u32) -> bool {
    match problem.collective.content() {
        Content::Common => has_at_most(MOST_OF_BROADCASTS, problem, steps),
        Content::Personal => has_at_most(MOST_OF_SCATTERS, problem, steps),
    }
}

/// Whether the clauses of a problem have about `most` variables or fewer.
fn has_at_most(most: usize, problem: &Problem, steps: u32) -> bool {
    most >= match problem.collective.content() {
        Content::Common => broadcast::variables(problem, steps),
        Content::Personal => scatter::variables(problem, steps, most),
    }
}

/// Tries to show that no schedule has at most `steps` steps. Gives up after `conflicts` conflicts
/// of the solver, on large scatters after fewer, or when `stop` returns true.
pub fn refute(problem: &Problem, steps: u32, conflicts: u64, stop: &dyn Fn() -> bool) -> Verdict {
    if !is_worthwhile(problem, steps) {
        return Verdict::Open;
    }
    let mut clauses = Clauses::new(stop);
    tell(problem, steps, &mut clauses);
    if problem.collective.content() == Content::Common {
        return clauses.solve(conflicts);
    }
    let conflicts = conflicts.saturating_mul(ROOM) / clauses.variables().max(ROOM);
    clauses.solve(conflicts)
}

/// The same without a limit of the work, and with a record for others to check; none if there is
/// no refutation, the clauses are too many, or `stop` returned true before the end.
pub fn prove(problem: &Problem, steps: u32, stop: &dyn Fn() -> bool) -> Option<Refutation> {
    if !has_at_most(MOST_OF_PROOFS, problem, steps) {
        return None;
    }
    let mut clauses = Clauses::recorded(stop);
    tell(problem, steps, &mut clauses);
    clauses.refutation().map(|record| Refutation::new(problem, steps, record))
}

/// Adds all clauses about schedules of at most `steps` steps.
fn tell(problem: &Problem, steps: u32, clauses: &mut Clauses<'_>) {
    match problem.collective.content() {
        Content::Common => broadcast::tell(problem, steps, clauses),
        Content::Personal => scatter::tell(problem, steps, clauses),
    }
}
