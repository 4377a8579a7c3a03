//! `--proof`: a log of the refutation, for others to check. The limits of the search hold for it as well.

use ccsched_base::Result;
use ccsched_base::counted::counted;
use ccsched_bounds::Evidence;
use ccsched_bounds::refute::{Unproved, memory_of_proof, prove};
use ccsched_run::islands::{Solution, StopCondition, StopReason, memory};
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// What has become of a proof.
pub(super) enum Proof {
    /// The file of clauses.
    Written(PathBuf),
    /// Why there is none, in words.
    Missing(String),
    /// It was given up for this reason; the number of steps.
    GivenUp(u32, StopReason),
}

impl Proof {
    /// The file of clauses.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Proof::Written(path) => Some(path),
            _ => None,
        }
    }

    /// Why there is none.
    pub fn missing(&self) -> Option<String> {
        match self {
            Proof::Written(_) => None,
            Proof::Missing(why) => Some(why.clone()),
            Proof::GivenUp(steps, why) => Some(format!(
                "that of {steps} was given up: {}",
                why.words(),
                steps = counted(steps, "step")
            )),
        }
    }
}

/// Writes the proof that no schedule has fewer steps than the best, or than a search has ruled out.
/// Where a counting bound shows that, too, the log is a second proof.
///
/// # Errors
/// A file cannot be written.
pub(super) fn write(folder: &Path, solution: &Solution, stop: StopCondition<'_>) -> Result<Proof> {
    let missing = |why: String| Ok(Proof::Missing(why));
    if solution.problem.is_multicast() {
        return missing("its clauses count each copy of a message, and here switches copy".into());
    }
    let Some(steps) = impossible(solution) else {
        return missing("no number of steps is known to be impossible".into());
    };
    let problem = &solution.problem;
    if let (Some(needs), Some(room)) = (memory_of_proof(problem, steps), stop.room())
        && needs > room
    {
        let [needs, room] = [needs, room].map(memory::text);
        let why = format!(
            "the clauses of {steps} take about {needs}, and {room} are left",
            steps = counted(steps, "step")
        );
        return missing(why);
    }
    let reason = Cell::new(StopReason::Interrupted);
    let stops = || stop.cuts().inspect(|&why| reason.set(why)).is_some();
    match prove(problem, steps, &stops) {
        Ok(refutation) => {
            let (clauses, lines) = refutation.size();
            log::info!(
                "proof: {clauses}, a log of {lines}",
                clauses = counted(clauses, "clause"),
                lines = counted(lines, "line")
            );
            Ok(Proof::Written(refutation.write(folder)?))
        }
        Err(Unproved::TooLarge) => missing(format!("the clauses of {steps} steps are too many")),
        Err(Unproved::Possible) => missing(format!(
            "the clauses of {steps} do not contradict each other",
            steps = counted(steps, "step")
        )),
        Err(Unproved::GivenUp) => Ok(Proof::GivenUp(steps, reason.get())),
    }
}

/// The largest number of steps that is known to be impossible.
fn impossible(solution: &Solution) -> Option<u32> {
    let by_search = solution.bounds.iter().find(|b| b.evidence == Evidence::Search);
    match by_search {
        Some(bound) => bound.steps.checked_sub(1),
        None if solution.is_optimal() => solution.lower_bound().checked_sub(1),
        None => (solution.reason == StopReason::Exhausted)
            .then(|| u32::try_from(solution.progress.seeking).unwrap_or(u32::MAX)),
    }
}
