//! `ccsched reproduce`: the tables and figures of the papers, next to print.

mod pictures;
mod rows;

use super::batch;
use super::study::{self, Study};
use crate::own_files::{Inputs, check_distinct};
use crate::signals::{heed_interrupts, interrupted};
use crate::stdout::stdout;
use crate::{INTERRUPTED, NOT_FOUND, numbers, terminal};
use anyhow::Context;
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result, atomic, cores, similar};
use ccsched_lab::reproduce::{
    Content, EXPERIMENTS, Engines, Experiment, Paper, Play, Printed, Row, Settings, estimate, find,
    hours, markdown, read_replays, text,
};
use ccsched_model::schedule::printable::printable;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{RankGroup, SearchError, serve_tasks};
use rows::Work;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

/// What is reproduced, and how.
#[derive(clap::Args, Clone, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Exit status: 0 if no row of auto is worse than print (with --strict no row of the engines of the
papers either), 1 if one is, 2 for wrong input, 3 after an interrupt: with --csv the same command
then goes on where it stopped."
)]
pub struct Args {
    /// A study of its own.
    #[command(subcommand)]
    pub study: Option<Study>,
    /// List the experiments and end
    #[arg(long)]
    pub list: bool,
    /// Experiments by name, as --list prints them [default: all]
    #[arg(long, value_name = "ID,..", value_delimiter = ',')]
    pub id: Vec<String>,
    /// Experiments of a paper: hgsa, diameter-degree, fault-tolerance, multistage, liquid
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', conflicts_with = "id")]
    pub paper: Vec<Paper>,
    /// What is held against print
    #[arg(long, value_enum, default_value = "both")]
    pub engine: Engines,
    /// Runs of the engine of the paper for every cell
    #[arg(long, default_value_t = 10, value_parser = numbers::count::<u32>)]
    pub runs: u32,
    /// CPU time of a run of the engine of the paper, summed over its islands [default: 1s; 60s
    /// with --full]
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds)]
    pub cpu_limit: Option<f64>,
    /// The engines of the papers run on all cells, not only where print says that they are quick
    #[arg(long)]
    pub full: bool,
    /// Exit status 1 also where the engines of the papers are below print
    #[arg(long)]
    pub strict: bool,
    /// Measurements that `ccsched-mpi replay --csv` or scripts/emulate.sh wrote, for liq-f9
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Save every row as a line of CSV as soon as it is made; rows that the file has are not made
    /// again
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub csv: Option<PathBuf>,
    /// Write the report as a page of Markdown
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Draw the networks, the printed schedules, times and success rates into a folder, with an
    /// index.html
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    /// Print a line of JSON for every row instead of tables
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No progress
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// CPU seconds of a run by default, and with --full.
const LIMITS: [f64; 2] = [1.0, 60.0];

/// CPU seconds of auto on a problem.
const AUTO_LIMIT: f64 = 60.0;

/// The first seed.
const SEED: u64 = 1;

/// Makes the rows on all ranks of the group, and reports.
///
/// # Errors
/// Wrong input, files that cannot be read or written, a schedule that is not valid.
pub fn run<C: Communicator>(args: &Args, group: &mut RankGroup<'_, C>) -> anyhow::Result<ExitCode> {
    if let Some(Study::SwissT1(args)) = &args.study {
        return study::run(args);
    }
    if args.list {
        return list(args);
    }
    heed_interrupts();
    let printed = Printed::all()?;
    let ranks = group.size();
    let replays = args.replays()?;
    let settings = args.settings(ranks, replays.as_deref());
    let inputs = Inputs::default().with("--replay", args.replay.as_deref());
    batch::check(&inputs, args.csv.as_deref(), None, [""; 0])?;
    let inputs = inputs.with("--csv", args.csv.as_deref());
    if let Some(path) = &args.output {
        inputs.refuse("--output", path)?;
        atomic::check_writable(path).context("--output")?;
    }
    let tables = [("--csv", &args.csv), ("--output", &args.output)];
    check_distinct(tables.iter().filter_map(|(option, path)| Some((*option, path.as_deref()?))))?;
    if let Some(folder) = &args.svg {
        inputs.refuse_in("--svg", folder, &["svg", "html"])?;
        pictures::check(folder).context("--svg")?;
    }
    let work = Work::new(&args.experiments()?, &printed, settings);
    let side_by_side = settings.workers * ranks;
    if args.full {
        let hours = estimate(&work.tasks, &settings) / side_by_side as f64 / 3600.0;
        log::warn!(
            "the engines of the papers need at most {hours:.1} hours on {side_by_side} cores"
        );
    }
    let rows = rows::make(args, &work, group)?;
    let interrupted = rows.len() < work.tasks.len();
    let mut how = how(args, &settings, side_by_side, &rows);
    if interrupted {
        how.push(format!(
            "interrupted after {} of {}",
            rows.len(),
            counted(work.tasks.len(), "row")
        ));
    }
    let mut out = stdout();
    if args.json {
        for row in &rows {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
    } else {
        let columns = terminal::columns();
        let report = format!("{}\n{}", text(&rows, columns), how.join("\n"));
        for line in report.lines() {
            // Tables are folded already.
            let columns = columns.filter(|_| !line.starts_with('|'));
            writeln!(out, "{}", terminal::folded(line, 0, columns))?;
        }
    }
    if let Some(path) = &args.output {
        atomic::write(path, markdown(&rows, &how)).context("--output")?;
    }
    if let Some(folder) = &args.svg {
        pictures::draw(folder, &args.experiments()?, &work, &rows).context("--svg")?;
    }
    let failed = rows.iter().any(|r| r.fails() || args.strict && r.fails_faithfully());
    Ok(ExitCode::from(match (interrupted, failed) {
        (true, _) => INTERRUPTED,
        (false, true) => NOT_FOUND,
        (false, false) => 0,
    }))
}

/// Makes rows as a rank other than 0, which has the same arguments, until dismissed.
///
/// # Errors
/// The master is gone, or a row fails.
pub fn follow<C: Communicator>(args: &Args, comm: &mut C) -> Result<(), SearchError> {
    let printed = Printed::all()?;
    // Rank 0 says what is wrong with the arguments, and hands out nothing.
    let replays = args.replays().unwrap_or_default();
    let experiments = args.experiments().unwrap_or_default();
    let settings = args.settings(comm.size(), replays.as_deref());
    let work = Work::new(&experiments, &printed, settings);
    let row = |number: &usize, stops: &AtomicBool| work.row(*number, &[], stops);
    serve_tasks(comm, &row, interrupted())
}

fn list(args: &Args) -> anyhow::Result<ExitCode> {
    let mut out = stdout();
    for Experiment { id, paper, about, .. } in args.experiments()? {
        writeln!(out, "{id:9} {paper:16} {about}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How the rows were made, for the report.
fn how(args: &Args, settings: &Settings<'_>, cores: usize, rows: &[Row]) -> Vec<String> {
    let Settings { runs, cpu_limit, auto_limit, seed, .. } = settings;
    let mut lines = vec![format!(
        "ccsched {}, {cores} cores{}; auto as `ccsched solve` without further options, at most \
         {auto_limit} CPU seconds a problem",
        env!("CARGO_PKG_VERSION"),
        processor().map_or(String::new(), |name| format!(" of {name}"))
    )];
    if settings.engines.has_faithful() {
        let which = if args.full { "all cells" } else { "cells that were quick in print" };
        lines.push(format!(
            "engines of the papers on {which}: {runs} of at most {cpu_limit} CPU seconds, seeds \
             from {seed}, {:.2} CPU hours in all",
            hours(rows, *cpu_limit),
            runs = counted(runs, "run")
        ));
    }
    lines
}

/// The name of the processor, where the system tells it.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| printable(name.trim()).into_owned())
}

impl Args {
    /// The limits of all rows; with several ranks, each of them uses one core.
    fn settings<'r>(&self, ranks: usize, replays: Option<&'r [Play]>) -> Settings<'r> {
        let cores = cores::available();
        Settings {
            engines: self.engine,
            runs: self.runs,
            cpu_limit: self.cpu_limit.unwrap_or(LIMITS[usize::from(self.full)]),
            auto_limit: AUTO_LIMIT,
            full: self.full,
            seed: SEED,
            workers: if ranks > 1 { 1 } else { cores },
            replays,
            interrupted: interrupted(),
        }
    }

    /// The measurements of replays, if a file is named.
    fn replays(&self) -> anyhow::Result<Option<Vec<Play>>> {
        self.replay.as_deref().map(read_replays).transpose().context("--replay")
    }

    /// The experiments that are asked for, in the order of the papers.
    fn experiments(&self) -> Result<Vec<&'static Experiment>> {
        if let Some(unknown) = self.id.iter().find(|id| find(id).is_none()) {
            let meant = similar::hint(unknown, EXPERIMENTS.iter().map(|e| e.id));
            let why = format!("there is no experiment '{unknown}'; --list has them all{meant}");
            return Err(Error::field("id", why));
        }
        let wanted = |e: &&Experiment| {
            let is_asked = self.full || self.list || !self.id.is_empty();
            (is_asked || e.content != Content::Runs)
                && (self.id.is_empty() || self.id.iter().any(|id| id == e.id))
                && (self.paper.is_empty() || self.paper.contains(&e.paper))
        };
        Ok(EXPERIMENTS.iter().filter(wanted).collect())
    }
}
