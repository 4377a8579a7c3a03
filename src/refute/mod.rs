//! Refutation: a satisfiability solver shows that no schedule has a given number of steps, where no
//! counting bound does. The clauses hold in every schedule, or in every schedule after its steps
//! are renamed, so if they are unsatisfiable there is no schedule. If they are satisfiable, a
//! schedule may still be impossible for broadcasts whose paths may be longer than the shortest. The
//! limit of the work is a number of conflicts, not of seconds: the same problem has the same answer
//! everywhere.

mod broadcast;
mod clauses;
mod scatter;

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
/// Scatters with more variables get proportionally fewer conflicts, as each takes longer.
const ROOM: u64 = 20_000;

/// Whether a problem is small enough for an attempt with `steps` steps.
pub fn is_worthwhile(problem: &Problem, steps: u32) -> bool {
    if problem.collective.content() == Content::Common {
        broadcast::variables(problem, steps) <= MOST_OF_BROADCASTS
    } else {
        scatter::variables(problem, steps, MOST_OF_SCATTERS) <= MOST_OF_SCATTERS
    }
}

/// Tries to show that no schedule has at most `steps` steps. Gives up after `conflicts` conflicts
/// of the solver, on large scatters after fewer, or when `stop` returns true.
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
