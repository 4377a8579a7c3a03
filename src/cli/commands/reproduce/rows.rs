//! The rows of a reproduction: shared out over the ranks, and kept in a file.

use super::Args;
use crate::commands::batch;
use crate::signals::interrupted;
use anyhow::Context;
use ccsched_base::{Error, atomic};
use ccsched_lab::reproduce::{
    Computer, Experiment, Printed, Row, Settings, Task, csv, read_csv, run, tasks,
};
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{RankGroup, SearchError};
use indexmap::IndexMap;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

/// What is made, and with what: the same on all ranks, so that the number of a row tells a rank all.
pub(super) struct Work<'p> {
    /// The rows to make, in order.
    pub tasks: Vec<Task<'p>>,
    /// The figures.
    pub printed: &'p Printed,
    /// The limits.
    pub settings: Settings<'p>,
    /// What several figures need.
    pub computer: Computer,
}

impl<'p> Work<'p> {
    /// The rows of these experiments.
    pub fn new(
        experiments: &[&'static Experiment],
        printed: &'p Printed,
        settings: Settings<'p>,
    ) -> Self {
        let tasks = tasks(experiments, printed, &settings);
        Work { tasks, printed, settings, computer: Computer::default() }
    }

    /// Makes a row, beside those that are there; none if the flag was raised before the end.
    ///
    /// # Errors
    /// An island fails, or a schedule is not valid.
    pub fn row(
        &self,
        number: usize,
        done: &[&Row],
        interrupted: &AtomicBool,
    ) -> Result<Option<Row>, SearchError> {
        let settings = Settings { interrupted, ..self.settings };
        let row = run(&self.tasks[number], self.printed, &self.computer, &settings, done);
        row.map_err(|error| {
            let other = |error| Error::problem(format!("{error:#}")).into();
            error.downcast::<SearchError>().unwrap_or_else(other)
        })
    }
}

/// The rows that are made, and those that the CSV file has; fewer than the tasks after an interrupt.
///
/// # Errors
/// The CSV file cannot be read or written, or is of other settings; a row fails.
pub(super) fn make<C: Communicator>(
    args: &Args,
    work: &Work<'_>,
    group: &mut RankGroup<'_, C>,
) -> anyhow::Result<Vec<Row>> {
    let mut earlier = earlier(args, &work.settings)?;
    let mut take =
        |task: &Task<'_>| earlier.shift_remove(&(task.experiment.id.to_string(), task.row.clone()));
    let mut rows: Vec<Option<Row>> = work.tasks.iter().map(&mut take).collect();
    let template = "row {pos} of {len}, {elapsed_precise}, {wide_msg}";
    let bar = batch::bar(work.tasks.len(), template, args.quiet || args.json);
    bar.inc(rows.iter().flatten().count() as u64);
    let keep = |rows: &[Option<Row>]| {
        bar.inc(1);
        let Some(path) = &args.csv else { return Ok(()) };
        let all = csv(rows.iter().flatten().chain(earlier.values()))?;
        atomic::write(path, all).context("--csv")
    };
    // What shows the runs of another row comes after all others.
    let all: HashSet<(&str, &str)> = work.tasks.iter().map(Task::key).collect();
    let is_later =
        |&number: &usize| work.tasks[number].shows_runs_of().is_some_and(|key| all.contains(&key));
    let open = (0..rows.len()).filter(|&number| rows[number].is_none());
    let (later, first): (Vec<usize>, Vec<usize>) = open.partition(is_later);
    let announced = |number: &usize, stops: &AtomicBool| {
        let task = &work.tasks[*number];
        bar.set_message(format!("{}: {}", task.experiment.id, task.row));
        work.row(*number, &[], stops)
    };
    let mut done = |place: usize, row: Row| {
        rows[first[place]] = Some(row);
        keep(&rows).map_err(|why| SearchError::Observer(format!("{why:#}")))
    };
    if !group.share((&first, &announced), interrupted(), &mut done)? {
        for number in later {
            let known: Vec<&Row> = rows.iter().flatten().collect();
            let Some(row) = work.row(number, &known, interrupted())? else { break };
            rows[number] = Some(row);
            keep(&rows)?;
        }
    }
    bar.finish_and_clear();
    Ok(rows.into_iter().flatten().collect())
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
