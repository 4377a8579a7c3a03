//! `--proof`: a log of the refutation, for others to check.

use crate::Result;
use crate::bounds::Evidence;
use crate::islands::{Solution, StopCondition, StopReason};
use crate::refute::prove;
use std::path::{Path, PathBuf};

/// Writes the proof that no schedule has fewer steps than the best, or than a search has ruled out.
/// Where a counting bound shows that, too, the log is a second proof. Says on the standard error
/// why there is none. Returns the file of clauses.
///
/// # Errors
/// A file cannot be written.
pub(super) fn write(
    folder: &Path,
    solution: &Solution,
    stop: StopCondition<'_>,
) -> Result<Option<PathBuf>> {
    let Some(steps) = impossible(solution) else {
        eprintln!("--proof: nothing to write: no number of steps is known to be impossible");
        return Ok(None);
    };
    let Some(refutation) = prove(&solution.problem, steps, &|| stop.cuts().is_some()) else {
        eprintln!(
            "--proof: nothing to write: the clauses of {steps} steps are too many, or were not refuted"
        );
        return Ok(None);
    };
    let (clauses, lines) = refutation.size();
    log::info!("proof: {clauses} clauses, a log of {lines} lines");
    Ok(Some(refutation.write(folder)?))
}

/// The largest number of steps that is known to be impossible.
fn impossible(solution: &Solution) -> Option<u32> {
    let by_search = solution.bounds.iter().find(|b| b.evidence == Evidence::Search);
    match by_search {
        Some(bound) => bound.steps.checked_sub(1),
        None if solution.is_optimal() => solution.lower_bound().checked_sub(1),
        None => (solution.reason == StopReason::Exhausted).then_some(solution.progress.seeking),
    }
}
