//! `solve`: from the command line to a verified schedule.

mod files;
mod table;
mod task;

pub(super) use task::check_goal;

use super::checkpoint::{CheckpointArgs, of_collective};
use super::engine_args::EngineArgs;
use super::phase::Phase;
use super::problem_args::ProblemArgs;
use super::progress::{Style, Watch};
use super::report::{Run, Summary};
use super::signals::{heed_interrupts, interrupted};
use super::stdout::stdout;
use super::trace::Trace;
use super::{INTERRUPTED, NOT_FOUND, dash, numbers, wall_time};
use crate::engines::Config;
use crate::islands::run::direct;
use crate::islands::{Backend, Job, Limits, Search, StopReason};
use crate::network::Network;
use crate::network::faults::Fault;
use crate::problem::Collective;
use crate::schedule::file::Provenance;
use crate::{Result, bounds};
use anyhow::Context;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;
use task::Task;

/// What to schedule, on what, how long.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Search")]
pub struct Args {
    /// What to schedule on what
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Ask for so many steps instead of the fewest
    #[arg(long, value_name = "K", value_parser = numbers::count::<u32>)]
    pub steps: Option<u32>,
    /// Where all random numbers come from
    #[arg(long, default_value_t = 1, value_parser = numbers::seed)]
    pub seed: u64,
    /// Stop after so long: 90s, 10m, 1h30m; a number alone is seconds [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds)]
    pub time_limit: Option<f64>,
    /// Stop after so many iterations of every island; one iteration is one move per delivery
    #[arg(long, default_value_t = 100_000, value_parser = numbers::count::<u64>)]
    pub iterations: u64,
    /// Iterations between two exchanges of the islands
    #[arg(long, default_value_t = 10, value_parser = numbers::count::<u64>)]
    pub exchange_every: u64,
    /// Throughput of a link in MB/s: with static routing the liquid throughput is told in it
    #[arg(long, value_name = "MB/S", value_parser = numbers::positive, help_heading = "Output")]
    pub link_rate: Option<f64>,
    /// Print the schedule though it is saved, or has more than 30 senders
    #[arg(long, conflicts_with_all = ["json", "quiet"], help_heading = "Output")]
    pub table: bool,
    /// Save the schedule, or print it with -; with -c all, one file each with the collective in its
    /// name
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Print one line of JSON instead of the schedule
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Save how every island fares, a row of CSV at every exchange; `ccsched trace` draws it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// How progress is shown: a line on a terminal, or JSON, a line a second, on the standard error
    #[arg(long, value_enum, default_value_t = Style::Line, help_heading = "Output")]
    pub progress: Style,
    /// When the state of the search is kept
    #[command(flatten)]
    pub keep: CheckpointArgs,
    /// No progress, no schedule: the summary alone
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// More log lines; twice for even more
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
    /// Which engine
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Solves what `args` ask for with `crew`.
///
/// # Errors
/// Wrong input, or islands that fail.
pub fn run(args: &Args, backend: &mut dyn Backend) -> anyhow::Result<ExitCode> {
    heed_interrupts();
    let outputs: Vec<Option<PathBuf>> =
        args.problem.collective.0.iter().map(|c| args.output_of(*c)).collect();
    args.check_files()?;
    let engine = args.engine.config()?;
    engine.check(args.problem.switching, backend.islands())?;
    args.check_islands(engine)?;
    let (network, faults) = args.problem.network()?;
    // Wrong input is told before anything is searched or written.
    let task =
        |&collective| Task::new(args.job(collective, engine, network.clone(), faults.clone())?);
    let phase = Phase::begin("lower bounds", args.quiet || args.progress != Style::Line);
    let tasks = args.problem.collective.0.iter().map(task).collect::<Result<Vec<_>>>()?;
    drop(phase);
    let mut worst = 0;
    for (task, output) in tasks.iter().zip(&outputs) {
        worst = worst.max(solve(args, task, output.as_deref(), backend)?);
        // The interrupt may have reached another rank.
        if worst == INTERRUPTED || interrupted().load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(ExitCode::from(worst))
}

/// Solves one collective; returns the exit status.
fn solve(
    args: &Args,
    task: &Task,
    output: Option<&Path>,
    backend: &mut dyn Backend,
) -> anyhow::Result<u8> {
    let limit = args.time_limit.map(Duration::from_secs_f64);
    let limit = wall_time::limit(limit, args.keep.wall_margin);
    let stop = Limits::new(args.iterations, limit, interrupted());
    let Task { job, problem, bounds, direct } = task;
    let bound = bounds.first().map_or(1, |b| b.steps);
    let ranks = backend.islands();
    let provenance = args.provenance(job, ranks);
    let hidden = args.quiet || args.json;
    let collectives = &args.problem.collective.0;
    let keeper = args.keep.keeper(job, collectives, ranks)?;
    let kept_in = keeper.path().map(Path::to_path_buf);
    let trace = match &args.trace {
        Some(path) => {
            let path = of_collective(path, job.request.collective, collectives);
            Some(Trace::create(&path, keeper.iterations()).context("--trace")?)
        }
        None => None,
    };
    let style = if hidden && args.progress == Style::Line { Style::None } else { args.progress };
    let mut watch = Watch::new(problem, bounds, provenance.clone(), output, style)
        .with_keeper(keeper)
        .with_trace(trace);
    let outcome = match direct {
        Some((engine, conflicts)) => {
            direct::solve(*engine, problem, conflicts, &job.search, stop, &mut watch)?
        }
        None => backend.search(job, problem, bound, stop, &mut watch)?,
    };
    let seconds = stop.elapsed().as_secs_f64();
    let bounds = &bounds::with_search(outcome.shown(), bounds);
    watch.end(outcome.best.as_ref(), bounds).map_err(anyhow::Error::msg)?;
    drop(watch);
    let (engine, link_rate) = (job.engine.name(), args.link_rate);
    let is_printed = output.is_some_and(dash::is_stdout);
    let saved = output.filter(|_| !is_printed);
    let run = Run { engine, seed: args.seed, ranks, seconds, output: saved, link_rate };
    let summary = Summary::new(problem, bounds, &outcome, run);
    // A schedule on the standard output is there alone.
    let mut out: Box<dyn Write> =
        if is_printed { Box::new(std::io::stderr()) } else { Box::new(stdout()) };
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&summary)?)?;
    } else {
        if let Some(plan) = outcome.best.as_ref().filter(|_| !args.quiet) {
            let record = plan.record(problem, bounds, provenance);
            write!(out, "{}", table::text(&record, output, args.table))?;
        }
        writeln!(out, "{}", summary.text())?;
    }
    if let Some(path) = kept_in.filter(|path| !is_final(outcome.reason) && path.exists()) {
        log::info!("--resume {} goes on from here", path.display());
    }
    Ok(match outcome.reason {
        StopReason::Interrupted => INTERRUPTED,
        _ if outcome.best.is_some() => 0,
        _ => NOT_FOUND,
    })
}

/// Whether nothing is left to go on with.
fn is_final(reason: StopReason) -> bool {
    matches!(reason, StopReason::Goal | StopReason::Refuted)
}

impl Args {
    fn job(
        &self,
        collective: Collective,
        engine: Config,
        network: Network,
        faults: Vec<Fault>,
    ) -> Result<Job> {
        // An exchange after the last iteration would be none.
        let exchange_every = self.exchange_every.min(self.iterations);
        let search = Search { seed: self.seed, exchange_every, goal: self.steps };
        let request = self.problem.request(collective, &network)?;
        Ok(Job { network, faults, request, engine, search })
    }

    /// What tells of islands is not for engines that have none.
    fn check_islands(&self, engine: Config) -> anyhow::Result<()> {
        let Config::Direct(_) = engine else { return Ok(()) };
        let (name, others) = (engine.name(), "--engine auto, hgsa or umda");
        if self.keep.checkpoint.is_some() || self.keep.resume.is_some() {
            anyhow::bail!(
                "--checkpoint, --resume: {name} runs alone and keeps no checkpoints; {others} does"
            );
        }
        if self.trace.is_some() {
            anyhow::bail!(
                "--trace: {name} has no islands, of which a trace tells; leave it out, or take \
                 {others}"
            );
        }
        Ok(())
    }

    fn provenance(&self, job: &Job, ranks: usize) -> Provenance {
        let limits = [
            ("iterations", self.iterations.into()),
            ("exchange-every", self.exchange_every.into()),
        ];
        let parameters = limits.into_iter().chain(job.engine.parameters());
        Provenance::new(job.engine.name(), self.seed, ranks, parameters)
    }

    /// Where the schedule of one collective is saved.
    fn output_of(&self, collective: Collective) -> Option<PathBuf> {
        Some(of_collective(self.output.as_ref()?, collective, &self.problem.collective.0))
    }
}
