//! `sweep --repair`: a book of repairs of a running schedule.

use super::Args;
use crate::own_files::Inputs;
use crate::signals::interrupted;
use crate::{INTERRUPTED, NOT_FOUND, stdout, terminal};
use anyhow::Context;
use ccsched_base::counted::counted;
use ccsched_lab::fault_sweep::{FaultSet, fault_sets};
use ccsched_lab::repairs::{Entry, RepairBook, RepairSweep, Repaired};
use ccsched_model::schedule::ScheduleFile;
use ccsched_run::Options;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{Limits, RankGroup, SearchError, serve_tasks};
use ccsched_run::repair::Target;
use ccsched_tools::fold::{Numbers, table};
use ccsched_verify::verify;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Head of the table.
const HEAD: [&str; 6] = ["fault", "like", "steps", "lower bound", "changed", "at least"];

/// Makes the book on all ranks, and says what is in it.
///
/// # Errors
/// Wrong input: a schedule that is not valid, the book of others; members that fail.
pub(super) fn run<C: Communicator>(
    args: &Args,
    file: &Path,
    group: &mut RankGroup<'_, C>,
) -> anyhow::Result<ExitCode> {
    let folder = args.book.as_deref().context("--book: name a folder for the repairs")?;
    let inputs = Inputs::default().with("--repair", Some(file));
    inputs.refuse_in("--book", folder, &["json", "jsonl"])?;
    let sweep = sweep(args, file)?;
    if let Some(wrong) = verify(&sweep.old).first() {
        let name = file.display();
        anyhow::bail!("--repair {name}: it is not valid, so there is nothing to repair: {wrong}");
    }
    let mut book = RepairBook::open(folder, &sweep).context("--book")?;
    let told = |entry: &Entry| log::debug!("{}", said(entry));
    let is_interrupted = sweep.run((group, interrupted()), &mut book, &told)?;
    let labels = sweep.sets.iter().map(|set| set.label(&sweep.network));
    let entries: Vec<Entry> = labels.filter_map(|label| book.get(&label).cloned()).collect();
    print(args, &sweep, &entries, &book)?;
    let is_unsolved = |entry: &Entry| entry.repaired.is_none() && entry.impossible.is_none();
    Ok(ExitCode::from(match is_interrupted {
        true => INTERRUPTED,
        false if entries.iter().any(is_unsolved) => NOT_FOUND,
        false => 0,
    }))
}

/// Makes repairs as a rank other than 0, which has the same arguments, until dismissed.
///
/// # Errors
/// The master is gone, or a repair fails.
pub fn follow<C: Communicator>(args: &Args, file: &Path, comm: &mut C) -> Result<(), SearchError> {
    // Rank 0 says what is wrong with the arguments, and hands out nothing.
    let sweep = sweep(args, file).ok();
    let solve = |set: &usize, stops: &AtomicBool| match &sweep {
        Some(sweep) => sweep.task(*set, stops),
        None => Err(ccsched_base::Error::problem("rank 0 has other arguments").into()),
    };
    serve_tasks(comm, &solve, interrupted())
}

fn sweep(args: &Args, file: &Path) -> ccsched_base::Result<RepairSweep> {
    let of_links = args.fail_links.or(args.fail_nodes.is_none().then_some(1));
    let target = match args.keep_steps {
        true => Target::Old,
        false => Target::Fewest(args.extra),
    };
    let time = args.time_limit.map(Duration::from_secs_f64);
    let options = Options {
        engine: args.engine.engine()?,
        seed: args.seed,
        islands: Some(1),
        limits: Limits { iterations: args.iterations, time, ..Limits::default() },
        ..Options::default()
    };
    let sets = |network: &_| -> ccsched_base::Result<Vec<FaultSet>> {
        fault_sets(network, of_links, args.fail_nodes)
    };
    RepairSweep::new(ScheduleFile::read(file)?, sets, (target, options))
}

fn print(
    args: &Args,
    sweep: &RepairSweep,
    entries: &[Entry],
    book: &RepairBook,
) -> anyhow::Result<()> {
    if args.json {
        let mut out = stdout::stdout();
        for entry in entries {
            let mut line = serde_json::to_value(entry)?;
            // The patch is in the book.
            if let Some(repaired) = line["repaired"].as_object_mut() {
                repaired.remove("patch");
            }
            writeln!(out, "{line}")?;
        }
        return Ok(());
    }
    let row = |entry: &Entry| {
        let number = |of: fn(&Repaired) -> Option<usize>| {
            entry.repaired.as_ref().and_then(of).map_or("-".into(), |n| n.to_string())
        };
        let steps = if entry.impossible.is_some() {
            "impossible".into()
        } else {
            number(|r| Some(r.steps))
        };
        vec![
            entry.fault.clone(),
            entry.like.clone().unwrap_or_default(),
            steps,
            number(|r| r.lower_bound.map(|bound| bound as usize)),
            number(|r| Some(r.changed)),
            number(|r| Some(r.at_least)),
        ]
    };
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    let head: Vec<String> = HEAD.iter().map(|text| text.to_string()).collect();
    let mut out = stdout::text();
    writeln!(out, "{}\n", table(&head, &rows, Numbers::Right, terminal::columns()))?;
    let repaired: Vec<&Repaired> = entries.iter().filter_map(|e| e.repaired.as_ref()).collect();
    let carried = entries.iter().filter(|e| e.like.is_some()).count();
    let impossible = entries.iter().filter(|e| e.impossible.is_some()).count();
    writeln!(
        out,
        "{} of faults: {} repaired, {carried} of these under symmetry, {impossible} impossible",
        counted(sweep.sets.len(), "set"),
        repaired.len()
    )?;
    let [changed, least] = [|r: &Repaired| r.changed, |r: &Repaired| r.at_least]
        .map(|of| repaired.iter().map(move |r| of(r)));
    let steps = repaired.iter().map(|r| r.steps);
    if let (Some(fewest), Some(most), Some(worst)) =
        (steps.clone().min(), steps.max(), changed.clone().max())
    {
        let steps = match fewest == most {
            true => fewest.to_string(),
            false => format!("{fewest} to {most}"),
        };
        writeln!(
            out,
            "{steps}, before {}; {worst} changed at most, {} in all, of which \
             {} must change",
            sweep.old.steps.len(),
            changed.sum::<usize>(),
            least.sum::<usize>(),
            steps = counted(steps, "step"),
            worst = counted(worst, "message")
        )?;
    }
    let size = book.size();
    let whole = size.schedule * size.entries as u64;
    writeln!(
        out,
        "book: {} bytes of patches beside a schedule of {} bytes; {} whole schedules would be {whole}",
        size.patches, size.schedule, size.entries
    )?;
    Ok(())
}

/// An entry in a line of the log.
fn said(entry: &Entry) -> String {
    match (&entry.repaired, &entry.impossible) {
        (Some(r), _) => {
            format!("{}: {}, {} changed", entry.fault, counted(r.steps, "step"), r.changed)
        }
        (None, Some(why)) => format!("{}: {why}", entry.fault),
        (None, None) => format!("{}: no repair found", entry.fault),
    }
}
