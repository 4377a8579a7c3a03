//! `ccsched reproduce`: the tables and figures of the papers, next to print. Rows are shared out over the ranks, and
//! kept in a file; with `--svg`, networks, printed schedules, times, success rates, run-time distributions and the
//! throughputs of the Swiss-T1 are pictures in a folder, with a page that shows them.

use super::batch;
use super::study::{self, Study};
use crate::own_files::{Inputs, check_distinct};
use crate::signals::{heed_interrupts, interrupted};
use crate::stdout::stdout;
use crate::{INTERRUPTED, NOT_FOUND, numbers, terminal};
use anyhow::{Context, anyhow};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result, atomic, cores, similar};
use ccsched_lab::compare::slug;
use ccsched_lab::pictures::Drawn;
use ccsched_lab::reproduce::{
    Content, EXPERIMENTS, Engines, Experiment, PRINTED_SCHEDULES, Play, Printed, Reproduction, Row,
    Settings, Task, find, hours, index, markdown, paper, rates, read_csv, read_replays, text,
    times, times_to_target, totals,
};
use ccsched_lab::rows::csv;
use ccsched_lab::swiss_t1::{LINK_RATE, Level, by_nodes, loss, throughput};
use ccsched_model::schedule::printable::printable;
use ccsched_network::spec;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{RankGroup, SearchError};
use ccsched_tools::show;
use ccsched_tools::show::svg::Picture;
use indexmap::{IndexMap, IndexSet};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
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
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', conflicts_with = "id", value_parser = paper)]
    pub paper: Vec<String>,
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
    check_outputs(args)?;
    let work = Reproduction::new(&args.experiments()?, &printed, settings);
    let side_by_side = settings.workers * ranks;
    if args.full {
        let hours = work.estimate() / side_by_side as f64 / 3600.0;
        log::warn!(
            "the engines of the papers need at most {hours:.1} hours on {side_by_side} cores"
        );
    }
    let rows = make(args, &work, group)?;
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
        batch::print_json(&rows)?;
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
        draw(folder, &args.experiments()?, &work, &rows).context("--svg")?;
    }
    let failed = rows.iter().any(|r| r.fails() || args.strict && r.fails_faithfully());
    Ok(ExitCode::from(match (interrupted, failed) {
        (true, _) => INTERRUPTED,
        (false, true) => NOT_FOUND,
        (false, false) => 0,
    }))
}

/// Checks before the work that the files can be written.
fn check_outputs(args: &Args) -> anyhow::Result<()> {
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
        check_folder(folder).context("--svg")?;
    }
    Ok(())
}

/// Makes rows as a rank other than 0, which has the same arguments, until dismissed.
///
/// # Errors
/// The master is gone, or a row fails.
pub fn follow<C: Communicator>(args: &Args, comm: &mut C) -> Result<(), SearchError> {
    let printed = Printed::all()?;
    let replays = args.replays().unwrap_or_default();
    let experiments = args.experiments().unwrap_or_default();
    let settings = args.settings(comm.size(), replays.as_deref());
    let work = Reproduction::new(&experiments, &printed, settings);
    batch::follow(comm, Some(work), |work: &Reproduction<'_>, &row, stops| {
        work.row(row, &[], stops)
    })
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
            let meant = similar::hint(unknown, EXPERIMENTS.iter().map(|e| e.id.as_str()));
            let why = format!("there is no experiment '{unknown}'; --list has them all{meant}");
            return Err(Error::field("id", why));
        }
        let wanted = |e: &&Experiment| {
            let is_asked = self.full || self.list || !self.id.is_empty();
            (is_asked || e.content != Content::Runs)
                && (self.id.is_empty() || self.id.contains(&e.id))
                && (self.paper.is_empty() || self.paper.contains(&e.paper))
        };
        Ok(EXPERIMENTS.iter().filter(wanted).collect())
    }
}

/// The rows that are made, and those that the CSV file has; fewer than the tasks after an interrupt.
///
/// # Errors
/// The CSV file cannot be read or written, or is of other settings; a row fails.
fn make<C: Communicator>(
    args: &Args,
    work: &Reproduction<'_>,
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

/// Draws the classes of the Swiss-T1.
type OfSwiss = fn(&[Level]) -> Drawn<String>;

/// Makes the folder, and checks that it can be written to.
fn check_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    Ok(atomic::check_writable(&folder.join("index.html"))?)
}

/// Draws what the experiments are about, and the rows.
fn draw(
    folder: &Path,
    experiments: &[&'static Experiment],
    work: &Reproduction<'_>,
    rows: &[Row],
) -> anyhow::Result<()> {
    let Reproduction { printed, settings, computer, .. } = work;
    let is_shown = |id: &str| experiments.iter().any(|experiment| experiment.id == id);
    let mut drawn: Vec<(String, String)> = Vec::new();
    let mut save = |name: String, caption: String, svg: String| {
        drawn.push((name.clone(), caption));
        atomic::write(&folder.join(name), svg)
    };
    let wrong = |error: Box<dyn std::error::Error>| anyhow!("{error}");
    let charts = [
        ("times", times(rows).map_err(wrong)?, "times of the cells, in print and here"),
        ("rates", rates(rows).map_err(wrong)?, "success rates of the engines of the papers"),
    ];
    for (name, chart, caption) in charts {
        chart.map_or(Ok(()), |svg| save(format!("{name}.svg"), caption.into(), svg))?;
    }
    for Experiment { id, about, .. } in experiments {
        let drawn = times_to_target(&printed.setups, id, rows, settings.cpu_limit);
        for (name, svg) in drawn.map_err(wrong)? {
            save(format!("{id}-{}.svg", slug(&name)), format!("{id}: {about}"), svg)?;
        }
        let of_swiss: Option<OfSwiss> = match id.as_str() {
            "liq-f5" => Some(|levels| by_nodes(levels, LINK_RATE)),
            "liq-f6" => Some(|levels| throughput(levels, LINK_RATE)),
            "liq-f11" => Some(loss),
            _ => None,
        };
        if let Some(draw) = of_swiss {
            let svg = draw(computer.levels()?).map_err(wrong)?;
            save(format!("{id}.svg"), format!("{id}: {about}"), svg)?;
        }
    }
    for schedule in PRINTED_SCHEDULES.iter().filter(|schedule| is_shown(schedule.id)) {
        let (file, id) = (schedule.file()?, schedule.id);
        let steps: Vec<usize> = (0..file.steps.len()).collect();
        let caption = format!("{id}: the printed schedule, {}", show::title(&file));
        save(format!("{id}.svg"), caption, Picture::of(&file)?.sheet(&steps)?)?;
    }
    let shown = printed.cells.iter().filter(|cell| is_shown(&cell.id));
    let networks: IndexSet<&str> = shown.map(|cell| cell.topology.as_str()).collect();
    for network in networks {
        let svg = show::svg::network(&spec::parse(network)?);
        save(format!("network-{}.svg", slug(network)), network.into(), svg)?;
    }
    atomic::write(&folder.join("index.html"), index(show::html::STYLE, &totals(rows), &drawn))?;
    Ok(())
}
