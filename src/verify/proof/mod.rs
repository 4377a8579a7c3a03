//! Refutations: that no schedule has fewer steps, by clauses and a log that a solver has written.
//! The clauses are made again from the schedule file alone; each clause of the proof must be one of
//! them. Then each line of the log must follow from the lines before it by propagation of units,
//! the last of them the empty clause. No code of the solver or of its encoding is used.
//! docs/proofs.md says what is encoded and why it holds.

mod allowed;
mod broadcast;
mod propagation;
mod resources;
mod scatter;
mod text;
mod walks;

use super::plan::Plan;
use super::violation::Report;
use allowed::Allowed;
use ccsched_model::schedule::ScheduleFile;
use std::path::Path;

/// A proof that has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// No schedule has that many steps, or fewer.
    pub steps: u32,
    /// Number of clauses of the problem.
    pub clauses: usize,
    /// Number of lines of the log.
    pub lines: usize,
}

/// Checks the proof in a folder that the problem of a schedule file has no schedule one step
/// shorter than its bound by search, or, without such a bound, than the schedule itself. `limit` tells why
/// the check is to be given up, if it is.
///
/// # Errors
/// What is wrong with the file, the clauses or the log, or why it was given up.
pub fn verify_proof(
    file: &ScheduleFile,
    folder: &Path,
    limit: &dyn Fn() -> Option<String>,
) -> Result<Proof, String> {
    let mut report = Report::default();
    let Some(plan) = Plan::build(file, &mut report) else {
        let why = report.into_found();
        return Err(why.first().map_or_else(String::new, ToString::to_string));
    };
    if plan.demand.groups.is_some() {
        return Err("there are no proofs of groups side by side".into());
    }
    let plan = plan.into_broadcast();
    let by_search = file.bounds.iter().find(|b| b.name == "search");
    let least = by_search.map_or(plan.steps as u32, |bound| bound.steps);
    let steps = least.checked_sub(1).ok_or("a schedule of no steps needs no proof")?;
    let stem = format!("{}-{steps}", file.model.collective);
    let read = |kind: &str| {
        let path = folder.join(format!("{stem}.{kind}"));
        let text = std::fs::read_to_string(&path);
        text.map(|text| (path.clone(), text)).map_err(|e| format!("{}: {e}", path.display()))
    };
    let ((cnf, clauses), (map, meanings), (drat, log)) =
        (read("cnf")?, read("map")?, read("drat")?);
    let at = |path: &Path| {
        let name = path.display().to_string();
        move |why: String| format!("{name}: {why}")
    };
    let keeps_on = || limit().map_or(Ok(()), |why| Err(format!("the check is given up: {why}")));
    let meanings = text::Meanings::parse(&meanings).map_err(at(&map))?;
    keeps_on()?;
    if meanings.steps != steps {
        return Err(at(&map)(format!("it is about {} steps, not {steps}", meanings.steps)));
    }
    let clauses = text::clauses(&clauses, meanings.variables).map_err(at(&cnf))?;
    keeps_on()?;
    let mut allowed = Allowed::new(&meanings);
    if plan.demand.broadcast {
        broadcast::allow(&plan, steps, &mut allowed);
    } else {
        scatter::allow(&plan, steps, &meanings, &mut allowed).map_err(at(&map))?;
    }
    if let Some(place) = clauses.iter().position(|clause| !allowed.contains(clause)) {
        let why = "is no clause of this problem";
        return Err(at(&cnf)(format!("clause {} {why}: {:?}", place + 1, clauses[place])));
    }
    keeps_on()?;
    let lines =
        propagation::check(meanings.variables, &clauses, &log, &keeps_on).map_err(at(&drat))?;
    Ok(Proof { steps, clauses: clauses.len(), lines })
}
