//! What a reproduction runs: the rows to make, in order, and one row.

use super::computed::Computer;
use super::printed::{Cell, Content, Experiment, Figure, Printed, Setup};
use super::report::{Row, Verdict};
use super::schedules::{PRINTED_SCHEDULES, PrintedSchedule};
use super::settings::{Engines, Play, Settings};
use super::{settings, steps};
use ccsched_base::Error;
use ccsched_base::counted::counted;
use ccsched_run::islands::SearchError;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

/// A row to make.
#[derive(Clone, Debug)]
pub struct Task<'p> {
    /// The experiment.
    pub experiment: &'static Experiment,
    /// The name of the row.
    pub row: String,
    kind: Kind<'p>,
}

#[derive(Clone, Copy, Debug)]
enum Kind<'p> {
    Steps(&'p Cell),
    Rate(&'p Cell),
    Time(&'p Cell),
    Figure(&'p Figure),
    Replayed(&'p Figure, &'p [Play]),
    Schedule(PrintedSchedule),
    Runs(&'p Setup),
}

impl Task<'_> {
    /// The experiment and the name of the row: together they are unique.
    pub fn key(&self) -> (&str, &str) {
        (&self.experiment.id, &self.row)
    }

    /// The key of the row whose runs this one shows in another way, if it is of that kind.
    pub fn shows_runs_of(&self) -> Option<(&str, &str)> {
        match self.kind {
            Kind::Rate(cell) | Kind::Time(cell) => Some((&cell.id, &self.row)),
            _ => None,
        }
    }
}

/// What is made, and with what: the same on all ranks, so that the number of a row tells a rank all.
#[derive(Debug)]
pub struct Reproduction<'p> {
    /// The rows to make, in order.
    pub tasks: Vec<Task<'p>>,
    /// The figures.
    pub printed: &'p Printed,
    /// The limits.
    pub settings: Settings<'p>,
    /// What several figures need.
    pub computer: Computer,
}

/// The rows of experiments that these engines can make.
fn tasks<'p>(
    experiments: &[&'static Experiment],
    printed: &'p Printed,
    settings: &Settings<'p>,
) -> Vec<Task<'p>> {
    let mut tasks = Vec::new();
    let (has_auto, has_faithful) = (settings.engines.has_auto(), settings.engines.has_faithful());
    for &experiment in experiments {
        let of_cells = |kind: fn(&'p Cell) -> Kind<'p>, wanted: &dyn Fn(&Cell) -> bool| {
            let cells = printed.cells.iter().filter(|c| experiment.shows(&c.id) && wanted(c));
            cells.map(|cell| (steps::name(cell), kind(cell))).collect()
        };
        let of_figures = |kind: &dyn Fn(&'p Figure) -> Kind<'p>| {
            let figures = printed.figures_of(&experiment.id);
            figures.map(|figure| (figure.row.clone(), kind(figure))).collect()
        };
        let affordable = |cell: &Cell| settings.is_affordable(cell);
        let rows: Vec<(String, Kind<'p>)> = match experiment.content {
            Content::Cells => of_cells(Kind::Steps, &|_| true),
            Content::Rates if has_faithful => of_cells(Kind::Rate, &affordable),
            Content::Times if has_faithful => {
                of_cells(Kind::Time, &|cell| affordable(cell) && cell.time.is_some())
            }
            Content::Figures if has_auto => of_figures(&Kind::Figure),
            Content::Measured => settings
                .replays
                .map_or(vec![], |plays| of_figures(&|figure| Kind::Replayed(figure, plays))),
            Content::Schedule if has_auto => PRINTED_SCHEDULES
                .iter()
                .filter(|schedule| schedule.id == experiment.id)
                .map(|schedule| ("the printed schedule".to_string(), Kind::Schedule(*schedule)))
                .collect(),
            Content::Runs if has_faithful => printed
                .setups
                .iter()
                .filter(|setup| setup.id == experiment.id)
                .map(|setup| (setup.row.clone(), Kind::Runs(setup)))
                .collect(),
            Content::Runs
            | Content::Rates
            | Content::Times
            | Content::Figures
            | Content::Schedule => vec![],
        };
        tasks.extend(rows.into_iter().map(|(row, kind)| Task { experiment, row, kind }));
    }
    tasks
}

impl<'p> Reproduction<'p> {
    /// The rows of these experiments.
    pub fn new(
        experiments: &[&'static Experiment],
        printed: &'p Printed,
        settings: Settings<'p>,
    ) -> Self {
        let tasks = tasks(experiments, printed, &settings);
        Reproduction { tasks, printed, settings, computer: Computer::default() }
    }

    /// Upper bound on the CPU seconds that the engines of the papers need for the cells of these rows.
    pub fn estimate(&self) -> f64 {
        let settings = &self.settings;
        let runs = |task: &&Task<'_>| match task.kind {
            Kind::Steps(cell) | Kind::Rate(cell) | Kind::Time(cell) => {
                cell.steps.is_some() && settings.is_affordable(cell)
            }
            Kind::Runs(_) => true,
            Kind::Figure(_) | Kind::Replayed(..) | Kind::Schedule(_) => false,
        };
        // Success rates and times are those of the same runs.
        let keys = self.tasks.iter().filter(runs);
        let keys = keys.map(|task| task.shows_runs_of().unwrap_or(task.key()));
        let cells: HashSet<(&str, &str)> = keys.collect();
        let cells = if settings.engines.has_faithful() { cells.len() } else { 0 };
        cells as f64 * f64::from(settings.runs) * settings.cpu_limit
    }

    /// Makes a row; `done` are the rows so far, of which some have the runs that this one needs. None if
    /// the flag was raised before the end.
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
        let task = &self.tasks[number];
        let row = self.content(task, &settings, done).map_err(|error| {
            let other = |error| Error::problem(format!("{error:#}")).into();
            error.downcast::<SearchError>().unwrap_or_else(other)
        });
        Ok(row?.map(|row| Row {
            experiment: task.experiment.id.clone(),
            row: task.row.clone(),
            settings: settings.told(),
            ..row
        }))
    }

    fn content(
        &self,
        task: &Task<'_>,
        settings: &Settings<'_>,
        done: &[&Row],
    ) -> anyhow::Result<Option<Row>> {
        // The row of the runs of the engine of the paper on a cell, made anew if there is none.
        let runs = |cell: &Cell| {
            let is_known = |row: &&&Row| row.key() == (&cell.id, &task.row) && row.runs > 0;
            match done.iter().find(is_known) {
                Some(&known) => Ok(Some(known.clone())),
                None => steps::row(cell, self.printed, Engines::Paper, settings),
            }
        };
        Ok(match task.kind {
            Kind::Steps(cell) => steps::row(cell, self.printed, settings.engines, settings)?,
            Kind::Figure(figure) => Some(self.computer.row(figure)?),
            Kind::Replayed(figure, plays) => Some(settings::row(figure, plays)),
            Kind::Schedule(schedule) => Some(schedule.row()?),
            Kind::Runs(setup) => setup.make(settings)?,
            Kind::Rate(cell) => runs(cell)?.map(rate),
            Kind::Time(cell) => runs(cell)?.map(time),
        })
    }
}

/// A row of success rates. The verdict is on the engine of the paper.
fn rate(row: Row) -> Row {
    let printed = row.paper_rate.map_or("-".into(), |rate| format!("{rate} %"));
    let why = format!("in {}", counted(&row.paper, "step"));
    Row { paper: printed, why, paper_seconds: None, ..of_runs(row) }
}

/// A row of mean times: machines differ, so that only a longer time is worse.
fn time(row: Row) -> Row {
    let (printed, ours) = (row.paper_seconds, row.run_seconds);
    let faithful = match ours {
        Some(ours) if printed.is_some_and(|printed| ours <= printed) => Verdict::Better,
        _ => Verdict::Worse,
    };
    let why = format!("in {}; mean of the successful runs", counted(&row.paper, "step"));
    let paper = printed.map_or("-".into(), |seconds| format!("{seconds} s"));
    Row { paper, why, faithful: Some(faithful), paper_rate: None, ..of_runs(row) }
}

/// The runs of a row alone.
fn of_runs(row: Row) -> Row {
    Row {
        ours: String::new(),
        bound: None,
        proof: String::new(),
        seconds: None,
        verdict: None,
        paper_bound: None,
        ..row
    }
}
