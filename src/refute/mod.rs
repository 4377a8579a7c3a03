//! Refutation: a satisfiability solver shows that no schedule has so few steps, where no bound by
//! counting does. It is told no more than every schedule obeys, or every schedule after its steps
//! have been renamed, so what it cannot satisfy cannot be scheduled; what it can satisfy might still
//! be impossible for broadcasts where paths may be longer than the shortest. How long it may try is
//! said in conflicts, never in seconds: the same problem has the same answer everywhere.

mod broadcast;
mod clauses;
mod scatter;

use crate::problem::{Content, Problem};
use clauses::Clauses;

/// What an attempt came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No schedule has so few steps.
    Impossible,
    /// The solver sees nothing that speaks against such a schedule.
    Possible,
    /// The conflicts allowed were not enough, or somebody has stopped it.
    Open,
}

/// More variables than this are not worth while for broadcasts: there will be more conflicts than
/// anybody allows.
const MOST_OF_BROADCASTS: usize = 250_000;
/// The same for scatters, by how many hops could be made in all steps; to count who makes them takes
/// several times as many.
const MOST_OF_SCATTERS: usize = 40_000;
/// Scatters of more variables get so many conflicts fewer: each takes longer.
const ROOM: u64 = 20_000;

/// Whether a problem can be attempted in `steps` steps at all: larger ones are not.
pub fn is_worthwhile(problem: &Problem, steps: u32) -> bool {
    if problem.collective.content() == Content::Common {
        broadcast::variables(problem, steps) <= MOST_OF_BROADCASTS
    } else {
        scatter::variables(problem, steps, MOST_OF_SCATTERS) <= MOST_OF_SCATTERS
    }
}

/// Tries to show that no schedule has at most `steps` steps. Gives up after so many conflicts of
/// the solver, on large scatters after fewer, or when `stop` says so.
pub fn refute(problem: &Problem, steps: u32, conflicts: u64, stop: &dyn Fn() -> bool) -> Verdict {
    if !is_worthwhile(problem, steps) {
        return Verdict::Open;
    }
    let mut clauses = Clauses::new(stop);
    if problem.collective.content() == Content::Common {
        broadcast::tell(problem, steps, &mut clauses);
        return clauses.solve(conflicts);
    }
    scatter::tell(problem, steps, &mut clauses);
    let conflicts = conflicts.saturating_mul(ROOM) / clauses.variables().max(ROOM);
    clauses.solve(conflicts)
}
