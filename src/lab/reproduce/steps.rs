//! A cell of a table of steps: solved by `auto`, and by the engine of its paper.

use super::printed::{Cell, Printed};
use super::problems::{options, problems};
use super::row::{Row, rates};
use super::verdict::{Known, Verdict, gravest};
use super::{Engines, Settings};
use crate::compare::runs::{Comparison, order};
use crate::compare::{Budget, Configuration, Instance, Record};
use ccsched_base::counted::counted;
use ccsched_engines::{Engine, hgsa, umda};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::TimeModel;
use ccsched_run::ISLANDS;
use ccsched_run::islands::{
    CpuClock, Job, Prepared, Search, SearchError, StopCondition, StopReason, Threads,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Islands of the engine of hgsa-store-and-forward, which is parallel.
const PAPER_ISLANDS: usize = 8;

/// The name of a cell: its row and its column.
pub fn name(cell: &Cell) -> String {
    format!("{} {}", cell.row, cell.collective.to_string().to_uppercase())
}

/// Solves a cell; none if interrupted.
///
/// # Errors
/// An island fails, or a schedule is not valid.
pub fn row(
    cell: &Cell,
    printed: &Printed,
    engines: Engines,
    settings: &Settings<'_>,
) -> Result<Option<Row>, SearchError> {
    let problems = problems(cell, printed)?;
    let is_bound = cell.steps.is_none();
    let printed = cell.steps.or(cell.bound).unwrap_or(0);
    let mut row = Row {
        experiment: cell.id.clone(),
        row: name(cell),
        paper: printed.to_string(),
        paper_bound: cell.bound.filter(|_| !is_bound),
        paper_rate: cell.rate,
        paper_seconds: cell.time.as_ref().map(|time| time.seconds),
        command: if problems.len() == 1 { options(cell) } else { String::new() },
        ..Row::default()
    };
    let mut all: Vec<Known> = Vec::new();
    let mut prepared: Vec<Prepared> = Vec::new();
    if engines.has_auto() {
        let before = CpuClock::Process.now();
        for problem in problems {
            let one = prepare(problem)?;
            let Some(known) = by_auto(&one, settings)? else { return Ok(None) };
            all.push(known);
            prepared.push(one);
        }
        row.seconds = Some(CpuClock::Process.now().saturating_sub(before).as_secs_f64());
        judge(&mut row, &all, printed, is_bound, cell.note.as_deref());
    } else {
        prepared = problems.into_iter().map(prepare).collect::<Result<_, _>>()?;
    }
    let least = |one: &Prepared| one.bounds().first().map_or(0, |bound| bound.steps);
    // The engines of the papers search for the printed number of steps, where a schedule can exist.
    let wanted = engines.has_faithful() && !is_bound && settings.is_affordable(cell);
    if wanted && prepared.iter().all(|one| least(one) <= printed) {
        let runs = settings.runs.div_ceil(prepared.len() as u32);
        for one in prepared {
            if !faithful(&mut row, one, printed, runs, settings)? {
                return Ok(None);
            }
        }
        row.faithful = Some(rates(row.reached, row.runs, cell.rate));
    }
    Ok(Some(row))
}

fn prepare(problem: Problem) -> Result<Prepared, SearchError> {
    let engine = Engine::default();
    let job = Job::of(&problem, engine, Search::default());
    Ok(Prepared::of(job, Arc::new(problem), ISLANDS)?)
}

/// What `auto` finds, with the defaults of `ccsched solve`; none if interrupted.
fn by_auto(one: &Prepared, settings: &Settings<'_>) -> Result<Option<Known>, SearchError> {
    let limit = Duration::from_secs_f64(settings.auto_limit);
    let stop = StopCondition::new(u64::MAX, None, settings.interrupted)
        .with_cpu_limit(CpuClock::Process, limit);
    let solution = one.run(&mut Threads(ISLANDS), stop, &mut (), None)?;
    if solution.reason == StopReason::Interrupted {
        return Ok(None);
    }
    let bound = solution.bounds.first();
    Ok(Some(Known {
        steps: solution.steps().map(|steps| steps as u32),
        bound: bound.map_or(0, |bound| bound.steps),
        proof: bound.map_or(String::new(), |bound| bound.name.to_string()),
        is_certified: bound.is_some_and(|bound| bound.is_certified()),
    }))
}

/// Fills in what `auto` found, and how it compares with print.
fn judge(row: &mut Row, all: &[Known], printed: u32, is_bound: bool, note: Option<&str>) {
    let verdict = |known: &Known| match is_bound {
        true => known.against_bound(printed),
        false => known.against(printed),
    };
    let shown = |known: &Known| match (is_bound, known.steps) {
        (true, _) => Some(known.bound),
        (false, steps) => steps,
    };
    let mut counts: BTreeMap<Option<u32>, usize> = BTreeMap::new();
    all.iter().for_each(|known| *counts.entry(shown(known)).or_default() += 1);
    let number = |steps: &Option<u32>| steps.map_or("none".into(), |s| s.to_string());
    row.ours = counts.keys().map(number).collect::<Vec<_>>().join(", ");
    let largest = all.iter().max_by_key(|known| known.bound);
    row.bound = largest.map(|known| known.bound);
    row.proof = largest.map_or(String::new(), Known::proof);
    row.verdict = gravest(all.iter().map(verdict));
    let mut why = Vec::new();
    if counts.len() > 1 {
        let part = |(steps, count): (&Option<u32>, &usize)| format!("{count} in {}", number(steps));
        let parts: Vec<String> = counts.iter().map(part).collect();
        why.push(format!("of {} problems {}", all.len(), parts.join(", ")));
    }
    let against: Vec<&Known> =
        all.iter().filter(|known| verdict(known) == Verdict::Contradicted).collect();
    if let Some(worst) = against.iter().max_by_key(|known| known.bound) {
        why.push(match is_bound {
            true => "a schedule has fewer steps".into(),
            false => format!("at least {}: {}", counted(worst.bound, "step"), worst.proof()),
        });
        if note.is_none() {
            // Either the figure was typed in wrongly, or a slip is not yet known.
            row.verdict = Some(Verdict::Worse);
            why.push("no slip in print is known".into());
        }
    }
    if let Some(theirs) =
        row.paper_bound.filter(|&b| all.iter().any(|k| k.steps < Some(b) && k.steps.is_some()))
    {
        why.push(format!("{theirs} is no bound: a schedule has fewer steps"));
    }
    why.extend(note.map(String::from));
    row.why = why.join("; ");
}

/// Adds runs of the engine of the paper on one problem; false if interrupted.
fn faithful(
    row: &mut Row,
    prepared: Prepared,
    steps: u32,
    runs: u32,
    settings: &Settings<'_>,
) -> Result<bool, SearchError> {
    let stored = prepared.problem().switching().stores();
    let (engine, islands) = match stored {
        true => {
            let params = hgsa::Params {
                neighbourhood: hgsa::Neighbourhood::Paper,
                shortening: hgsa::Shortening::Paper,
                ..hgsa::Params::default()
            };
            (Engine::from(params), PAPER_ISLANDS)
        }
        false => (Engine::of(&umda::ROW), 1),
    };
    row.engine = Some(engine.name().into());
    let name = String::new();
    let configuration = Configuration::of(name.clone(), engine, islands);
    let instance = Instance { name, prepared, steps: Some(steps), time: None };
    let comparison = Comparison {
        instances: &[instance],
        configurations: &[configuration],
        budget: Budget::CpuSeconds(settings.cpu_limit),
        times: &[TimeModel::default()],
        keeps_history: false,
        interrupted: settings.interrupted,
    };
    let workers = if islands == 1 { settings.workers } else { 1 };
    let tasks = order(1, 1, settings.seed, runs.into());
    let records = comparison.execute(&tasks, workers, &|_| {})?;
    if records.len() < tasks.len() {
        return Ok(false);
    }
    row.add_runs(records.len(), &spent(&records));
    Ok(true)
}

/// The CPU seconds of the runs that reached their goal.
pub fn spent(records: &[Record]) -> Vec<f64> {
    let reached = records.iter().filter(|record| record.success);
    reached.map(|record| record.cpu_seconds.unwrap_or(record.seconds)).collect()
}
