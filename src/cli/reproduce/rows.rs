//! The rows of a reproduction: made one after the other, and kept in a file.

use super::{Args, INTERRUPT};
use crate::atomic;
use crate::cli::batch;
use crate::experiments::reproduce::{Computer, Printed, Row, Settings, Task, csv, read_csv, run};
use anyhow::Context;
use indexmap::IndexMap;
use std::sync::atomic::Ordering;

/// The rows that are made, and those that the CSV file has.
///
/// # Errors
/// The CSV file cannot be read or written, or is of other settings; a row fails.
pub(super) fn make(
    args: &Args,
    tasks: &[Task<'_>],
    printed: &Printed,
    settings: &Settings<'_>,
) -> anyhow::Result<Vec<Row>> {
    let mut earlier = earlier(args, settings)?;
    let template = "row {pos} of {len}, {elapsed_precise}, {wide_msg}";
    let bar = batch::bar(tasks.len(), template, args.quiet || args.json);
    let computer = Computer::default();
    let mut rows: Vec<Row> = Vec::new();
    for task in tasks {
        let id = task.experiment.id;
        bar.set_message(format!("{id}: {}", task.row));
        bar.inc(1);
        if INTERRUPT.load(Ordering::Relaxed) {
            break;
        }
        let row = match earlier.shift_remove(&(id.to_string(), task.row.clone())) {
            Some(row) => {
                rows.push(row);
                continue;
            }
            None => match run(task, printed, &computer, settings, &rows)? {
                Some(row) => row,
                None => break,
            },
        };
        rows.push(row);
        if let Some(path) = &args.csv {
            atomic::write(path, csv(rows.iter().chain(earlier.values()))?).context("--csv")?;
        }
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// The rows of the CSV file, which must be of the same settings.
fn earlier(
    args: &Args,
    settings: &Settings<'_>,
) -> anyhow::Result<IndexMap<(String, String), Row>> {
    let Some(path) = args.csv.as_ref().filter(|path| path.is_file()) else {
        return Ok(IndexMap::new());
    };
    let rows = read_csv(path).context("--csv")?;
    if let Some(other) = rows.iter().find(|row| row.settings != settings.told()) {
        anyhow::bail!(
            "--csv: {} has rows of other settings ({}, here {}); name another file, or repeat the \
             same command",
            path.display(),
            other.settings,
            settings.told()
        );
    }
    Ok(rows.into_iter().map(|row| ((row.experiment.clone(), row.row.clone()), row)).collect())
}
