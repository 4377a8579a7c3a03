//! The end of a run: the schedule and its summary on the standard output. A schedule that could not
//! be saved is printed as it would have been saved, so that no result is lost with its file.

use super::proof::Proof;
use super::{Args, table};
use crate::dash;
use crate::progress::Outputs;
use crate::report::{Laxer, Summary};
use crate::report_sized::SizedSummary;
use crate::stdout::stdout;
use crate::terminal;
use ccsched_model::schedule::printable::printable_lines;
use ccsched_run::islands::Solution;
use ccsched_run::regroup::Regrouped;
use ccsched_run::repair::spare::Spare;
use std::io::{self, Write};
use std::path::Path;

/// Columns before the rest of a line of the summary that is folded.
const INDENT: usize = 2;

/// Says which outputs could not be written; returns whether there are any. The exit status is then
/// one of its own.
pub fn report(outputs: &Outputs, checkpoint: Option<&str>) -> bool {
    let Outputs { unsaved, trace_lost, .. } = outputs;
    if let Some(why) = unsaved {
        log::error!("--output: {why}; the schedule file follows on the standard output");
    }
    if let Some(why) = trace_lost {
        log::error!("--trace: {why}; rows are missing at its end");
    }
    if let Some(why) = checkpoint {
        log::error!("--checkpoint: {why}; the last state of the search is not saved");
    }
    unsaved.is_some() || trace_lost.is_some() || checkpoint.is_some()
}

/// Prints the schedule and the summary, with the files of the schedule and of the proof.
///
/// # Errors
/// The standard output cannot be written.
pub fn print(
    args: &Args,
    solution: &Solution,
    (output, proof): (Option<&Path>, Option<&Proof>),
    (outputs, laxer, (spare, regrouped)): (
        &Outputs,
        Vec<Laxer>,
        (Option<Spare>, Option<Regrouped>),
    ),
) -> io::Result<()> {
    let is_printed = output.is_some_and(dash::is_stdout);
    let is_saved = !is_printed && outputs.unsaved.is_none();
    let unsaved = outputs.unsaved.as_ref().and_then(|_| solution.schedule());
    let warnings = args.problem.reading.notices();
    let saved = output.filter(|_| is_saved);
    let (json, text) = if solution.search.form.is_some() {
        let summary = SizedSummary::new(solution, saved, &args.time).with_warnings(&warnings);
        (serde_json::to_string(&summary)?, summary.text())
    } else {
        let summary = Summary::new(solution, saved, &args.time)
            .with_kept(output, outputs.kept)
            .with_proof(proof.and_then(Proof::path), proof.and_then(Proof::missing))
            .with_laxer(laxer)
            .with_spare(spare)
            .with_regrouped(regrouped)
            .with_warnings(&warnings);
        (serde_json::to_string(&summary)?, summary.text())
    };
    // A schedule file on the standard output stands alone there; the line of JSON precedes it.
    let mut out: Box<dyn Write> = match (is_printed || unsaved.is_some()) && !args.json {
        true => Box::new(io::stderr()),
        false => Box::new(stdout()),
    };
    if args.json {
        writeln!(out, "{json}")?;
    } else {
        // A saved schedule is not shown without being asked for, and need not be made again.
        let is_shown = !args.quiet && (args.table || output.is_none());
        if let Some(table) = is_shown.then(|| table::text(solution, args.table)).flatten() {
            write!(out, "{}", printable_lines(&table))?;
        }
        let columns = terminal::columns();
        for line in printable_lines(&text).lines() {
            // What does not fit goes on below, set in. The first word stands before the indent.
            writeln!(out, "{}", terminal::folded(line, INDENT, columns))?;
        }
    }
    drop(out);
    unsaved.map_or(Ok(()), |schedule| {
        let mut out = io::BufWriter::new(stdout());
        schedule.write_to(&mut out)?;
        out.flush()
    })
}
