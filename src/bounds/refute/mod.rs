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

pub use self::log::{PROOF_FILES, Refutation, check_folder};

use ccsched_model::problem::{Content, Problem};
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

/// Why there is no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// The clauses are too many to be recorded.
    TooLarge,
    /// The clauses do not contradict each other.
    Possible,
    /// It was stopped.
    GivenUp,
}

/// Broadcasts with more variables are not attempted: they need more conflicts than any usual limit.
const MOST_OF_BROADCASTS: usize = 250_000;
/// The same for scatters, counted as hops times steps; the clauses that count the uses take several
/// times as many variables.
const MOST_OF_SCATTERS: usize = 40_000;
/// Clauses with more variables are not recorded: they would take gigabytes.
const MOST_OF_PROOFS: usize = 2_000_000;
/// The bytes of a variable with its five or six clauses, in the solver, and with their record.
const BYTES: u64 = 700;
const BYTES_OF_PROOFS: u64 = 1000;
/// Scatters with more variables get proportionally fewer conflicts, as each takes longer.
const ROOM: u64 = 20_000;

/// About the bytes that an attempt with `steps` steps takes; none if the problem is too large for one.
pub fn memory(problem: &Problem, steps: u32) -> Option<u64> {
    let most = match problem.collective().content() {
        Content::Common => MOST_OF_BROADCASTS,
        Content::Personal => MOST_OF_SCATTERS,
    };
    Some(BYTES * variables(most, problem, steps)?)
}

/// The same for [`prove`].
pub fn memory_of_proof(problem: &Problem, steps: u32) -> Option<u64> {
    Some(BYTES_OF_PROOFS * variables(MOST_OF_PROOFS, problem, steps)?)
}

/// About the variables of the clauses of a problem, if they are `most` or fewer.
fn variables(most: usize, problem: &Problem, steps: u32) -> Option<u64> {
    let collective = problem.collective();
    // The clauses count each copy of a message.
    if problem.is_multicast() {
        return None;
    }
    // Messages that join are not counted by the clauses.
    let are_apart =
        !collective.is_all_reduce() && !collective.joins() && problem.groups().is_none();
    let is_told = collective.content().is_common() && are_apart;
    if !problem.is_plain() && !is_told {
        return None;
    }
    let variables = match problem.collective().content() {
        Content::Common => broadcast::variables(problem, steps),
        Content::Personal => scatter::variables(problem, steps, most),
    };
    (variables <= most).then_some(variables as u64)
}

/// Tries to show that no schedule has at most `steps` steps. Gives up after `conflicts` conflicts
/// of the solver, on large scatters after fewer, or when `stop` returns true.
pub fn refute(problem: &Problem, steps: u32, conflicts: u64, stop: &dyn Fn() -> bool) -> Verdict {
    if memory(problem, steps).is_none() {
        return Verdict::Open;
    }
    let mut clauses = Clauses::new(stop);
    tell(problem, steps, &mut clauses);
    if problem.collective().content().is_common() {
        return clauses.solve(conflicts);
    }
    let conflicts = conflicts.saturating_mul(ROOM) / clauses.variables().max(ROOM);
    clauses.solve(conflicts)
}

/// The same without a limit of the work, and with a record for others to check.
///
/// # Errors
/// There is no refutation, the clauses are too many, or `stop` returned true before the end.
pub fn prove(
    problem: &Problem,
    steps: u32,
    stop: &dyn Fn() -> bool,
) -> Result<Refutation, Unproved> {
    if memory_of_proof(problem, steps).is_none() {
        return Err(Unproved::TooLarge);
    }
    let mut clauses = Clauses::recorded(stop);
    tell(problem, steps, &mut clauses);
    clauses.refutation().map(|record| Refutation::new(problem, steps, record))
}

/// Adds all clauses about schedules of at most `steps` steps.
fn tell(problem: &Problem, steps: u32, clauses: &mut Clauses<'_>) {
    match problem.collective().content() {
        Content::Common => broadcast::tell(problem, steps, clauses),
        Content::Personal => scatter::tell(problem, steps, clauses),
    }
}
