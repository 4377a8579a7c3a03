//! A cell of a table of steps: its problems, one, or one for each fault that the cell stands for, solved by `auto`
//! and by the engine of its paper. Runs of engines with given settings, for which no paper prints a figure: islands
//! with and without exchange, and islands against the serial engine.

use super::printed::{Cell, Printed, Setup};
use super::report::{Known, Row, Verdict, gravest, rates};
use super::settings::{Engines, Settings};
use crate::compare::runs::{Comparison, order};
use crate::compare::statistics::median;
use crate::compare::{Budget, Configuration, Instance, Record};
use crate::fault_sweep::{FaultSet, link_sets, vertex_sets};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_engines::{Engine, hgsa, umda};
use ccsched_model::problem::{Ports, Problem, Request, Roots, Routing, Switching};
use ccsched_model::schedule::TimeModel;
use ccsched_network::faults::{parse_link, parse_vertex};
use ccsched_network::{Network, VertexId, spec};
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
    let workers = if islands == 1 { settings.workers } else { 1 };
    let of = ((prepared, steps), (engine, islands));
    let Some(records) = self::runs(of.0, of.1, (runs, workers), settings)? else {
        return Ok(false);
    };
    row.add_runs(records.len(), &spent(&records));
    Ok(true)
}

/// The CPU seconds of the runs that reached their goal.
pub fn spent(records: &[Record]) -> Vec<f64> {
    let reached = records.iter().filter(|record| record.success);
    reached.map(|record| record.cpu_seconds.unwrap_or(record.seconds)).collect()
}

/// The word for all links, or vertices, that the other rows of a table do not name.
const OTHERS: &str = "other ";

/// Poses the problems of a cell.
///
/// # Errors
/// A cell that no network, fault or collective fits.
pub fn problems(cell: &Cell, printed: &Printed) -> Result<Vec<Problem>> {
    let network = spec::parse(&cell.topology)?;
    let request = Request {
        source: cell.source.clone(),
        switching: cell.switching.unwrap_or(Switching::Wormhole),
        ports: cell.ports.unwrap_or(Ports(None)),
        routing: cell.routing.unwrap_or(Routing::Minimal),
        ..Request::new(cell.collective)
    };
    let sets = match cell.fault.as_deref() {
        None => vec![FaultSet::default()],
        Some(fault) => match fault.strip_prefix(OTHERS) {
            None => vec![broken(&network, fault)?],
            Some(kind) => others(cell, kind, &network, printed)?,
        },
    };
    sets.iter().map(|set| request.pose(set.rest(&network)?, set.records(&network))).collect()
}

/// The options of `ccsched solve` that pose the problem of a cell, or one of several.
pub fn options(cell: &Cell) -> String {
    let mut options = format!("-t {} -c {}", cell.topology, cell.collective);
    let mut add = |flag: &str, value: Option<String>| {
        if let Some(value) = value {
            options += &format!(" --{flag} {value}");
        }
    };
    add("switching", cell.switching.map(|s| s.to_string()));
    add("ports", cell.ports.map(|p| p.to_string()));
    // The papers' paths are shortest ones.
    let is_stored = cell.switching.is_some_and(Switching::stores);
    let longer = is_stored && !cell.collective.content().is_common();
    let routing = cell.routing.or(longer.then_some(Routing::Minimal));
    add("routing", routing.map(|r| r.to_string()));
    add("source", cell.source.clone());
    match cell.fault.as_deref().map(|fault| (fault, fault.strip_prefix("vertex "))) {
        None => {}
        Some((_, Some(vertex))) => add("fail-node", Some(vertex.into())),
        Some((fault, None)) if fault.starts_with(OTHERS) => {}
        Some((fault, None)) => add("fail-link", Some(fault.into())),
    }
    options
}

/// The part that the text of a cell names.
fn broken(network: &Network, fault: &str) -> Result<FaultSet> {
    let mut set = FaultSet::default();
    match fault.strip_prefix("vertex ") {
        Some(name) => set.vertices.push(parse_vertex(network, name)?),
        None => set.channels = parse_link(network, fault)?,
    }
    set.channels.sort_unstable();
    Ok(set)
}

/// Every link or vertex that no other row of the table names; the source does not break.
fn others(cell: &Cell, kind: &str, network: &Network, printed: &Printed) -> Result<Vec<FaultSet>> {
    let named = printed.cells_of(&cell.id).filter_map(|other| other.fault.as_deref());
    let named = named.filter(|fault| !fault.starts_with(OTHERS));
    let named: Vec<FaultSet> = named.map(|f| broken(network, f)).collect::<Result<_>>()?;
    let mut all = match kind {
        "links" => link_sets(network, 1),
        "vertices" => vertex_sets(network, 1),
        _ => return Err(Error::problem(format!("'{OTHERS}{kind}': other links or vertices"))),
    };
    let source = match cell.collective.roots() {
        Roots::One => cell.source.as_ref().and_then(|name| network.find(name)),
        Roots::All | Roots::Listed | Roots::Ranked => None,
    };
    let breaks = |&v: &VertexId| network.is_terminal(v) && source != Some(v);
    all.retain(|set| !named.contains(set) && set.vertices.iter().all(breaks));
    Ok(all)
}

/// Makes runs of an engine on some islands that search for a number of steps; none if interrupted.
fn runs(
    (prepared, steps): (Prepared, u32),
    (engine, islands): (Engine, usize),
    (runs, workers): (u32, usize),
    settings: &Settings<'_>,
) -> Result<Option<Vec<Record>>, SearchError> {
    let name = String::new();
    let comparison = Comparison {
        configurations: vec![Configuration::of(name.clone(), engine, islands)],
        instances: vec![Instance { name, prepared, steps: Some(steps), time: None }],
        budget: Budget::CpuSeconds(settings.cpu_limit),
        times: vec![TimeModel::default()],
        keeps_history: false,
    };
    let tasks = order(1, 1, settings.seed, runs.into());
    let records = comparison.execute(&tasks, (workers, settings.interrupted), &|_| {})?;
    Ok((records.len() == tasks.len()).then_some(records))
}

impl Setup {
    /// Makes the runs; none if interrupted.
    ///
    /// # Errors
    /// An island fails, or a schedule is not valid.
    pub fn make(&self, settings: &Settings<'_>) -> Result<Option<Row>, SearchError> {
        let switching = self.switching.unwrap_or(Switching::Wormhole);
        let request = Request { switching, ..Request::new(self.collective) };
        let engine = match self.engine.as_str() {
            "umda" => Engine::of(&umda::ROW),
            _ => Engine::from(hgsa::Params {
                neighbourhood: hgsa::Neighbourhood::Paper,
                exchange: self.exchange.unwrap_or(true),
                round: self.round,
                ..hgsa::Params::default()
            }),
        };
        let problem = request.pose(spec::parse(&self.topology)?, vec![])?;
        let prepared = Prepared::new(Job::of(&problem, engine, Search::default()), self.islands)?;
        // Times of one island and of several are only alike if nothing else runs.
        let (wanted, by) = ((prepared, self.steps), (engine, self.islands));
        let Some(records) = runs(wanted, by, (settings.runs, 1), settings)? else {
            return Ok(None);
        };
        let reached: Vec<_> = records.iter().filter(|record| record.success).collect();
        let iterations: Vec<f64> = reached.iter().map(|r| r.iterations as f64).collect();
        let median =
            median(&iterations).map(|n| format!("; median of {n}", n = counted(n, "iteration")));
        let mut row = Row {
            engine: Some(engine.name().into()),
            why: format!("{}{}", counted(self.steps, "step"), median.unwrap_or_default()),
            ..Row::default()
        };
        row.add_runs(records.len(), &spent(&records));
        Ok(Some(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(id: &str, row: &str) -> usize {
        let printed = Printed::all().unwrap();
        let cell = printed.cells_of(id).find(|cell| cell.row == row).unwrap();
        problems(cell, &printed).unwrap().len()
    }

    #[test]
    fn other_parts_are_all_that_no_row_names() {
        assert_eq!(count("dd-t5", "All other"), 36 - 13);
        assert_eq!(count("ft-t4", "All other"), 24 - 2);
        // The first cell is a broadcast, whose source 00 does not break.
        assert_eq!(count("ft-t5", "All other"), 16 - 3);
        assert_eq!(count("ft-t5", "01"), 1);
    }

    #[test]
    fn options_repeat_a_cell() {
        let printed = Printed::all().unwrap();
        let of = |id: &str, place: usize| options(printed.cells_of(id).nth(place).unwrap());
        assert_eq!(of("dd-t6", 0), "-t ring:8,half -c oab --ports 1");
        assert_eq!(of("dd-t5", 4), "-t kautz:3,2 -c oab --source 01 --fail-link 01:10");
        assert_eq!(of("ft-t5", 4), "-t mesh:4x4 -c oab --source 00 --fail-node 01");
        assert_eq!(of("hgsa-t2", 0), "-t hypercube:3 -c oab --switching store-and-forward");
    }
}
