//! `faults sweep`: schedules the collectives on what every fault set of a given size leaves of a network, or, with
//! `--repair`, makes a book of repairs of a running schedule.

use super::batch;
use crate::engine_args::EngineArgs;
use crate::own_files::Inputs;
use crate::problem_args::ProblemArgs;
use crate::signals::{heed_interrupts, interrupted};
use crate::{INTERRUPTED, NOT_FOUND, dash, numbers, stdout, terminal};
use anyhow::Context;
use ccsched_base::Result;
use ccsched_base::counted::counted;
use ccsched_lab::fault_sweep::{
    Book, FaultSet, FaultSweep, Header, Results, Row, Subject, degradation, fault_sets,
};
use ccsched_lab::repairs::{Entry, RepairBook, RepairSweep, Repaired};
use ccsched_lab::rows::{known, table};
use ccsched_model::problem::Collective;
use ccsched_model::schedule::ScheduleFile;
use ccsched_run::Options;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{Limits, RankGroup, SearchError};
use ccsched_run::repair::Target;
use ccsched_tools::fold::Numbers;
use ccsched_verify::verify;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Which faults, and what to schedule under them.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What to schedule on what
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Sweep all sets of K links; a two-way link fails in both directions [default: 1, or none with
    /// --fail-nodes]
    #[arg(long, value_name = "K", value_parser = numbers::count::<u8>, help_heading = "Faults")]
    pub fail_links: Option<u8>,
    /// Sweep all sets of K vertices
    #[arg(long, value_name = "K", value_parser = numbers::count::<u8>, help_heading = "Faults")]
    pub fail_nodes: Option<u8>,
    /// Repair the schedule in FILE for each set of faults, with few changes, in place of solving anew;
    /// --book FOLDER keeps the changes, and `ccsched faults lookup` makes schedules of them
    #[arg(long, value_name = "FILE", value_parser = dash::input, requires = "book", help_heading = "Repairs",
          conflicts_with_all = ["topology", "collective", "source", "senders", "receivers", "host_list",
          "place", "group", "pairs", "matrix", "permutation", "switching", "ports", "pieces", "parts",
          "relays", "multicast", "routing", "fail", "fail_link", "fail_node", "slow", "delay", "results"])]
    pub repair: Option<PathBuf>,
    /// The steps of the schedule in FILE; more only if they do not suffice
    #[arg(long, requires = "repair", conflicts_with = "extra", help_heading = "Repairs")]
    pub keep_steps: bool,
    /// Steps beyond the fewest, for fewer changes
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        requires = "repair",
        help_heading = "Repairs"
    )]
    pub extra: u32,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1, value_parser = numbers::seed, help_heading = "Search")]
    pub seed: u64,
    /// Iterations of the search for each set of faults
    #[arg(long, default_value_t = 10_000, value_parser = numbers::count::<u64>, help_heading = "Search")]
    pub iterations: u64,
    /// Time of the search for each set of faults: 90s, 10m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds, help_heading = "Search")]
    pub time_limit: Option<f64>,
    /// Save the result of each set of faults as a line of JSON; a sweep continues an existing FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub results: Option<PathBuf>,
    /// Save the schedules in FOLDER, with a book.json that maps faults to schedules
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub book: Option<PathBuf>,
    /// Print a line of JSON for each set of faults instead of the table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No progress: the table alone
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// More log lines; twice for even more
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
    /// Which engine
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Runs the sweep that `args` ask for on all members of the group.
///
/// # Errors
/// Wrong input, or members that fail.
pub fn run<C: Communicator>(args: &Args, group: &mut RankGroup<'_, C>) -> anyhow::Result<ExitCode> {
    heed_interrupts();
    if let Some(file) = &args.repair {
        return run_repairs(args, file, group);
    }
    let inputs = Inputs::problem(&args.problem);
    if let Some(path) = &args.results {
        inputs.refuse("--results", path)?;
    }
    if let Some(folder) = &args.book {
        inputs.refuse_in("--book", folder, &["json"])?;
    }
    let sweep = args.sweep()?;
    // Wrong input is refused before any file is written.
    let cells = sweep.cells()?;
    let open_book = |folder| Book::open(folder, &Subject::new(&sweep));
    let mut book = args.book.as_deref().map(open_book).transpose().context("--book")?;
    let results = Results::open(args.results.as_deref(), &Header::new(&sweep));
    let mut results = results.context("--results")?;
    let kept = (&mut results, book.as_mut());
    let is_interrupted = sweep.run(&cells, (group, interrupted()), kept)?;
    let rows = sweep.rows(&results);
    print(&rows, &sweep.collectives(), args.json)?;
    Ok(ExitCode::from(match is_interrupted {
        true => INTERRUPTED,
        false if rows.iter().any(|row| row.is_unsolved()) => NOT_FOUND,
        false => 0,
    }))
}

impl Args {
    fn sweep(&self) -> Result<FaultSweep> {
        let (network, faults) = self.problem.network()?;
        let of_links = self.fail_links.or(self.fail_nodes.is_none().then_some(1));
        let sets = fault_sets(&network, of_links, self.fail_nodes)?;
        let engine = self.engine.engine()?;
        let request = |&collective| self.problem.request(collective, &network);
        let requests = self.problem.collective.0.iter().map(request).collect::<Result<_>>()?;
        Ok(FaultSweep {
            network,
            faults,
            sets,
            requests,
            engine,
            seed: self.seed,
            iterations: self.iterations,
            time_limit: self.time_limit.map(Duration::from_secs_f64),
        })
    }
}

/// Heads of the tables of different sets of faults, of the summary, and of repairs.
const EACH: &str = "collective|fault|equal to it|steps|lower bound|degradation, %";
const ALL: &str = "collective|sets|solved|no faults|fewest|mean|most|mean degradation, %|\
                   greatest, %|optimal|impossible";
const REPAIRS: &str = "fault|like|steps|lower bound|changed|at least";

/// Prints the rows as lines of JSON, or the two tables.
fn print(rows: &[&Row], collectives: &[Collective], json: bool) -> anyhow::Result<()> {
    if json {
        return batch::print_json(rows);
    }
    let (mut each, mut all) = (Vec::new(), Vec::new());
    for collective in collectives {
        let name = collective.to_string();
        let of: Vec<&Row> = rows.iter().copied().filter(|row| row.collective == name).collect();
        let healthy = of.iter().find(|row| row.is_healthy()).and_then(|row| row.steps);
        for row in of.iter().filter(|row| row.like.is_none()) {
            let like = of.iter().filter(|r| r.like.as_ref() == Some(&row.fault)).count();
            let steps = row.steps.map_or_else(
                || if row.impossible.is_some() { "impossible".into() } else { "none found".into() },
                |s| s.to_string(),
            );
            each.push([
                name.clone(),
                row.fault.clone(),
                like.to_string(),
                steps,
                row.lower_bound.map_or(String::new(), |b| b.to_string()),
                percent(degradation(row.steps, healthy)),
            ]);
        }
        all.push(summary(&name, &of, healthy));
    }
    let columns = terminal::columns();
    let each = table(EACH, each, Numbers::Right, columns);
    let all = table(ALL, all, Numbers::Right, columns);
    let mut out = stdout::text();
    writeln!(out, "{each}\n\n{all}")?;
    let carried = rows.iter().filter(|row| row.like.is_some()).count();
    if carried > 0 {
        writeln!(
            out,
            "\nequal to others under symmetry, and not solved again: {} of faults",
            counted(carried, "set")
        )?;
    }
    Ok(())
}

/// What a collective costs under faults, against the network without the sweep's faults
/// (umda-fault-tolerance, tables 3 to 5). The empty set is the reference, and is not counted.
fn summary(name: &str, rows: &[&Row], healthy: Option<usize>) -> [String; 11] {
    let faulty: Vec<&&Row> = rows.iter().filter(|row| !row.is_healthy()).collect();
    let steps: Vec<usize> = faulty.iter().filter_map(|row| row.steps).collect();
    let worse: Vec<f64> =
        steps.iter().filter_map(|&steps| degradation(Some(steps), healthy)).collect();
    let count = |is: fn(&Row) -> bool| faulty.iter().filter(|row| is(row)).count();
    let mean = |values: &[f64]| {
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let mean_steps = mean(&steps.iter().map(|&steps| steps as f64).collect::<Vec<_>>());
    let number = |n: Option<usize>| n.map_or(String::new(), |n| n.to_string());
    [
        name.to_string(),
        faulty.len().to_string(),
        count(|row| row.like.is_none()).to_string(),
        number(healthy),
        number(steps.iter().copied().min()),
        mean_steps.map_or(String::new(), |mean| format!("{mean:.2}")),
        number(steps.iter().copied().max()),
        percent(mean(&worse)),
        percent(worse.iter().copied().reduce(f64::max)),
        format!("{} of {}", count(|row| row.optimal), steps.len()),
        count(|row| row.impossible.is_some()).to_string(),
    ]
}

fn percent(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.1}"))
}

/// Makes the book on all ranks, and says what is in it.
///
/// # Errors
/// Wrong input: a schedule that is not valid, the book of others; members that fail.
fn run_repairs<C: Communicator>(
    args: &Args,
    file: &Path,
    group: &mut RankGroup<'_, C>,
) -> anyhow::Result<ExitCode> {
    let folder = args.book.as_deref().context("--book: name a folder for the repairs")?;
    let inputs = Inputs::default().with("--repair", Some(file));
    inputs.refuse_in("--book", folder, &["json", "jsonl"])?;
    let sweep = repair_sweep(args, file)?;
    if let Some(wrong) = verify(&sweep.old).first() {
        let name = file.display();
        anyhow::bail!("--repair {name}: it is not valid, so there is nothing to repair: {wrong}");
    }
    let mut book = RepairBook::open(folder, &sweep).context("--book")?;
    let told = |entry: &Entry| log::debug!("{}", said(entry));
    let is_interrupted = sweep.run((group, interrupted()), &mut book, &told)?;
    let labels = sweep.sets.iter().map(|set| set.label(&sweep.network));
    let entries: Vec<Entry> = labels.filter_map(|label| book.get(&label).cloned()).collect();
    print_repairs(args, &sweep, &entries, &book)?;
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
pub fn follow_repairs<C: Communicator>(
    args: &Args,
    file: &Path,
    comm: &mut C,
) -> Result<(), SearchError> {
    let sweep = repair_sweep(args, file).ok();
    batch::follow(comm, sweep, |sweep: &RepairSweep, &set, stops| sweep.task(set, stops))
}

fn repair_sweep(args: &Args, file: &Path) -> Result<RepairSweep> {
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
    let sets =
        |network: &_| -> Result<Vec<FaultSet>> { fault_sets(network, of_links, args.fail_nodes) };
    RepairSweep::new(ScheduleFile::read(file)?, sets, (target, options))
}

fn print_repairs(
    args: &Args,
    sweep: &RepairSweep,
    entries: &[Entry],
    book: &RepairBook,
) -> anyhow::Result<()> {
    if args.json {
        let line = |entry: &Entry| -> anyhow::Result<Value> {
            let mut line = serde_json::to_value(entry)?;
            // The patch is in the book.
            line["repaired"].as_object_mut().map(|repaired| repaired.remove("patch"));
            Ok(line)
        };
        return batch::print_json(entries.iter().map(line).collect::<anyhow::Result<Vec<_>>>()?);
    }
    let mut out = stdout::text();
    let rows = entries.iter().map(cells_of_repair);
    writeln!(out, "{}\n", table(REPAIRS, rows, Numbers::Right, terminal::columns()))?;
    let repaired: Vec<&Repaired> = entries.iter().filter_map(|e| e.repaired.as_ref()).collect();
    let carried = entries.iter().filter(|e| e.like.is_some()).count();
    let impossible = entries.iter().filter(|e| e.impossible.is_some()).count();
    writeln!(
        out,
        "{} of faults: {} repaired, {carried} of these under symmetry, {impossible} impossible",
        counted(sweep.sets.len(), "set"),
        repaired.len()
    )?;
    if let Some(extremes) = extremes(&repaired, sweep.old.steps.len()) {
        writeln!(out, "{extremes}")?;
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

/// A row of the table of repairs.
fn cells_of_repair(entry: &Entry) -> [String; 6] {
    let number = |of: fn(&Repaired) -> Option<usize>| known(entry.repaired.as_ref().and_then(of));
    let steps = match entry.impossible {
        Some(_) => "impossible".into(),
        None => number(|r| Some(r.steps)),
    };
    [
        entry.fault.clone(),
        entry.like.clone().unwrap_or_default(),
        steps,
        number(|r| r.lower_bound.map(|bound| bound as usize)),
        number(|r| Some(r.changed)),
        number(|r| Some(r.at_least)),
    ]
}

/// The fewest and the most steps of repairs, and what they change; none if there are none.
fn extremes(repaired: &[&Repaired], before: usize) -> Option<String> {
    let [changed, least] = [|r: &Repaired| r.changed, |r: &Repaired| r.at_least]
        .map(|of| repaired.iter().map(move |r| of(r)));
    let steps = repaired.iter().map(|r| r.steps);
    let (fewest, most, worst) = (steps.clone().min()?, steps.max()?, changed.clone().max()?);
    let steps = match fewest == most {
        true => fewest.to_string(),
        false => format!("{fewest} to {most}"),
    };
    Some(format!(
        "{steps}, before {before}; {worst} changed at most, {} in all, of which {} must change",
        changed.sum::<usize>(),
        least.sum::<usize>(),
        steps = counted(steps, "step"),
        worst = counted(worst, "message")
    ))
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
