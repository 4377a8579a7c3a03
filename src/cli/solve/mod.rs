//! `solve`: from the command line to a verified schedule.

mod at_once;
mod ending;
mod files;
mod form;
mod laxer;
mod pieces;
mod prepare;
mod proof;
mod several;
mod table;
mod vain;

use super::best::BestFile;
use super::checkpoint::{CheckpointArgs, of_collective};
use super::engine_args::EngineArgs;
use super::exchange_args::ExchangeArgs;
use super::logging::Voice;
use super::objective::ObjectiveArgs;
use super::phase::Phase;
use super::problem_args::ProblemArgs;
use super::progress::{Outputs, Style, Watch};
use super::signals::{heed_interrupts, interrupted, is_interrupted};
use super::time_args::TimeArgs;
use super::trace::Trace;
use super::{FAILED, INTERRUPTED, NOT_FOUND, NOT_SAVED, dash, numbers, sizes, wall_time};
use anyhow::Context;
use at_once::Export;
use ccsched_base::{Result, atomic};
use ccsched_bounds::refute::check_folder;
use ccsched_engines::Engine;
use ccsched_model::problem::rank_file;
use ccsched_run::islands::{
    Backend, Gap, ITERATIONS, Limits, Prepared, Solution, StopCondition, StopReason, estimate,
};
use ccsched_run::regroup::{Regrouped, regroup};
use ccsched_run::repair::spare::{self, Spare};
use ccsched_run::{Options, SEED};
use ccsched_verify::verify;
use proof::Proof;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The time limit of a run that has no limit of its own.
const TIME: Duration = Duration::from_secs(600);

/// The problem, the engine, the limits, the outputs.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What to schedule on what
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Search for a schedule of K steps instead of the fewest
    #[arg(long, value_name = "K", value_parser = numbers::count::<u32>, help_heading = "Search")]
    pub steps: Option<u32>,
    /// Expect a fault: when the fewest steps are found, use the rest of the time for a schedule of as many, or
    /// up to N more, whose worst repair after one broken link needs no further step, or the fewest, and
    /// then changes the fewest messages (scatters)
    #[arg(long, value_name = "N", conflicts_with_all = ["timed", "proof"], help_heading = "Search")]
    pub spare: Option<u32>,
    /// What is to be the least [default: time where --traffic gives different lengths, else steps]
    #[command(flatten)]
    pub objective: ObjectiveArgs,
    /// Begin with the schedule in FILE, of this problem or of a scatter on a neighbouring one, and
    /// search for a shorter one; with -c all, one file per collective, which is added to the name. For the
    /// least time it is the order to begin with: lengths and pairs may be others
    #[arg(long, visible_alias = "start-from", value_name = "FILE", value_parser = dash::input, conflicts_with = "resume", help_heading = "Search")]
    pub from: Option<PathBuf>,
    /// Seed of all random numbers
    #[arg(long, default_value_t = SEED, value_parser = numbers::seed, help_heading = "Search")]
    pub seed: u64,
    /// Stop after this time: 90s, 10m, 1h30m; a plain number is in seconds [default: 10m, but no limit
    /// with --iterations or in a Slurm job that has an end]
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds, help_heading = "Search")]
    pub time_limit: Option<f64>,
    /// Stop after this many iterations of every island; an iteration is one move per delivery
    /// [default: 100000]
    #[arg(long, value_parser = numbers::count::<u64>, help_heading = "Search")]
    pub iterations: Option<u64>,
    /// Stop as soon as the schedule is so near to the lower bound: 1%, 0.5%
    #[arg(long, value_name = "PERCENT", value_parser = numbers::gap, help_heading = "Search")]
    pub gap: Option<Gap>,
    /// Refuse a problem of which one schedule takes more memory, and end a search that does: 500M, 4G;
    /// K, M, G and T are powers of 1024 [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = sizes::size, help_heading = "Search")]
    pub memory: Option<u64>,
    /// The exchange between islands
    #[command(flatten)]
    pub exchange: ExchangeArgs,
    /// Print the schedule even if it is saved or has more than 30 senders
    #[arg(long, conflicts_with_all = ["json", "quiet"], help_heading = "Output")]
    pub table: bool,
    /// Save the schedule, or print it with -; with -c all, one file per collective, which is added
    /// to the name
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Replace FILE of --output even if it holds a better schedule of the same problem
    #[arg(long, requires = "output", help_heading = "Output")]
    pub force: bool,
    /// Also write the schedule in the format of another program, as `ccsched export` does, and design it in
    /// the model of that: msccl-xml=program.xml; with -c all, one file per collective
    #[arg(long, value_name = "FORMAT=FILE", value_parser = at_once::export, help_heading = "Output")]
    pub export: Option<Export>,
    /// Save which rank is on which host, as Open MPI's --rankfile reads it: rank 0=n1 slot=0
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub rank_file: Option<PathBuf>,
    /// Where a search shows that fewer steps are impossible, write the clauses, what they mean and the
    /// log of the refutation to this folder; `ccsched verify --proof` checks them
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub proof: Option<PathBuf>,
    /// Print one line of JSON instead of the schedule
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Save the state of every island at every exchange as a row of CSV; `ccsched show` draws it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Progress on the standard error: a line on a terminal, or a line of JSON a second
    #[arg(long, value_enum, default_value_t = Style::Line, help_heading = "Output")]
    pub progress: Style,
    /// Checkpoints
    #[command(flatten)]
    pub keep: CheckpointArgs,
    /// Print only the summary, and warnings: no progress, no schedule
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// More log lines; twice for even more
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
    /// The engine
    #[command(flatten)]
    pub engine: EngineArgs,
    /// The modelled time
    #[command(flatten)]
    pub time: TimeArgs,
}

/// Solves all requested collectives on a back end.
///
/// # Errors
/// Wrong input, or islands that fail.
pub fn run(args: &Args, backend: &mut dyn Backend) -> anyhow::Result<ExitCode> {
    heed_interrupts();
    let mut worst = 0;
    for args in args.each()? {
        worst = worst.max(solve_all(&args, backend)?);
        if worst == INTERRUPTED || is_interrupted() {
            break;
        }
    }
    Ok(ExitCode::from(worst))
}

/// Solves all collectives on one network; returns the exit status.
fn solve_all(args: &Args, backend: &mut dyn Backend) -> anyhow::Result<u8> {
    let args = &*args.with_switching_of_export();
    args.check_files()?;
    let options = args.options()?;
    options.engine.check(args.problem.switching(), backend.islands())?;
    args.check_islands(options.engine)?;
    // Wrong input is reported before any search or output.
    let phase = Phase::begin("lower bounds", args.quiet || args.progress != Style::Line);
    let prepared = prepare::in_time(args, &options, backend.islands())?;
    drop(phase);
    let tasks = match prepared {
        Ok(tasks) => tasks,
        Err(reason) => return Ok(prepare::not_begun(reason)),
    };
    if let (Some(_), true) = (&args.export, tasks.iter().any(|(task, _)| is_of_time(task))) {
        anyhow::bail!(
            "--export: it is of schedules in steps; save this one, then use ccsched export"
        );
    }
    if args.spare.is_some() {
        tasks.iter().try_for_each(|(task, _)| spare::check(task.problem()))?;
    }
    if let Some(folder) = &args.proof {
        let mut problems = tasks.iter().map(|(task, _)| task.problem());
        problems.try_for_each(|problem| check_folder(problem, folder)).context("--proof")?;
    }
    if let (Some(path), Some((first, ..))) = (&args.rank_file, tasks.first()) {
        atomic::write(path, rank_file(first.problem())).context("--rank-file")?;
    }
    let mut worst = 0;
    for task in &tasks {
        worst = worst.max(solve(args, task, &options, backend)?);
        // The exit status counts too: the interrupt may have reached another rank.
        if worst == INTERRUPTED || is_interrupted() {
            break;
        }
    }
    Ok(worst)
}

/// Solves one collective; returns the exit status. The time of its preparation counts.
fn solve(
    args: &Args,
    (prepared, spent): &prepare::Task,
    options: &Options,
    backend: &mut dyn Backend,
) -> anyhow::Result<u8> {
    let time = wall_time::limit(options.limits.time, args.keep.wall_margin);
    let stop = StopCondition::of(Limits { time, ..options.limits }, interrupted())
        .after(*spent)
        .with_memory(estimate::ceiling(prepared.problem(), options.memory));
    let job = prepared.job();
    let (collective, collectives) = (job.request.collective, &args.problem.collective.0);
    let output = args.output.as_ref().map(|path| of_collective(path, collective, collectives));
    let mut keeper = args.keep.keeper(prepared, collectives, backend.islands())?;
    let kept_in = keeper.path().map(Path::to_path_buf);
    let (regroups, is_changed) = (args.regroups(prepared.problem()), args.changes(prepared));
    let mut watch = args.watch(prepared, output.as_deref(), keeper.iterations(), stop)?;
    let of_search = if is_changed { stop.leaving_half() } else { stop };
    let mut solution = prepared.run(backend, of_search, &mut watch, Some(&mut keeper))?;
    args.tell_unused(&solution);
    let mut outputs = watch.outputs(&solution.progress);
    drop(watch);
    let spared = args.spare.and_then(|more| spared(&mut solution, more, options, stop));
    let regrouped = if regroups { args.regrouped(&mut solution, stop) } else { None };
    if is_changed {
        let is_other = spared.is_some_and(|told| told.after < told.before) || regrouped.is_some();
        save_changed(&solution, output.as_deref(), is_other, &mut outputs);
    }
    let mut is_lost = ending::report(&outputs, keeper.failure());
    let laxer = if !is_of_time(prepared) { laxer::of(job, &solution, stop) } else { vec![] };
    let proof = args.proof.as_ref().map(|folder| proof::write(folder, &solution, stop));
    let proof = proof.transpose().unwrap_or_else(|why| {
        log::error!("--proof: {why:#}");
        is_lost = true;
        None
    });
    let written = (output.as_deref(), proof.as_ref());
    if let Err(why) =
        ending::print(args, &solution, written, (&outputs, laxer, (spared, regrouped)))
    {
        log::error!("{why}");
        is_lost = true;
    }
    if let (Some(export), Some(schedule)) = (&args.export, solution.schedule())
        && let Err(why) = export.write(&schedule, collective, collectives)
    {
        log::error!("--export: {why:#}");
        is_lost = true;
    }
    if let Some(path) = kept_in.filter(|path| !is_final(solution.reason) && path.exists()) {
        log::info!("continue with --resume {}", path.display());
    }
    Ok(match solution.reason {
        _ if is_lost => NOT_SAVED,
        StopReason::Interrupted => INTERRUPTED,
        StopReason::Failed => FAILED,
        // The search may have ended before, by itself.
        _ if args.spare.is_some() && is_interrupted() => INTERRUPTED,
        _ if matches!(proof, Some(Proof::GivenUp(_, StopReason::Interrupted))) => INTERRUPTED,
        _ if solution.plan.is_some() => 0,
        _ => NOT_FOUND,
    })
}

/// The schedule that expects a fault, with what it was compared with; none if there is no schedule or no
/// time. Its method says that ejection has changed it.
fn spared(
    solution: &mut Solution,
    more: u32,
    options: &Options,
    stop: StopCondition<'_>,
) -> Option<Spare> {
    let plan = solution.plan.clone()?;
    let (plan, told) = spare::spare(&solution.problem, &plan, more, options, stop)?;
    if told.after < told.before {
        solution.finish_by_ejection(plan);
    }
    Some(told)
}

/// Saves the schedule that was changed after the search, or if a stream has none yet the one that was found.
fn save_changed(solution: &Solution, output: Option<&Path>, is_other: bool, outputs: &mut Outputs) {
    let is_stream = output.is_some_and(dash::is_stream);
    let schedule = solution.schedule().filter(|_| is_other || is_stream);
    if let (Some(path), Some(schedule), None) = (output, schedule, outputs.kept) {
        let put = BestFile::new(path, true).put(&schedule, &mut || verify(&schedule).is_empty());
        outputs.unsaved = put.err().map(|why| why.to_string());
    }
}

/// Whether the time is to be the least, not the steps.
fn is_of_time(task: &Prepared) -> bool {
    task.job().search.form.is_some()
}

/// Whether a resumed search would have nothing left to do.
fn is_final(reason: StopReason) -> bool {
    use StopReason::{Bound, Complete, Goal, Idle, Refuted};
    matches!(reason, Bound | Goal | Refuted | Complete | Idle)
}

impl Args {
    /// Whether the schedule that the search finds is changed after it.
    fn changes(&self, prepared: &Prepared) -> bool {
        self.spare.is_some() || self.regroups(prepared.problem())
    }

    /// What the schedule gains where long links are put together.
    fn regrouped(&self, solution: &mut Solution, stop: StopCondition<'_>) -> Option<Regrouped> {
        let model = self.time.model(solution.problem.network().rate());
        let collective = solution.problem.collective();
        regroup(solution, &model, stop).unwrap_or_else(|why| {
            log::warn!("--minimize time: {collective} keeps its steps: {why}");
            None
        })
    }

    /// What is logged, and how.
    pub fn voice(&self) -> Voice {
        let json = self.progress == Style::Json;
        Voice { verbose: self.verbose, quiet: self.quiet, json }
    }

    /// What watches a search: the best schedule goes to `output`, the progress to the terminal and to a
    /// trace, of which a resumed search keeps the rows of its first iterations.
    fn watch<'a>(
        &self,
        prepared: &Prepared,
        output: Option<&'a Path>,
        iterations: Option<u64>,
        stop: StopCondition<'a>,
    ) -> anyhow::Result<Watch<'a>> {
        let search = prepared.job();
        let of_trace =
            |path| of_collective(path, search.request.collective, &self.problem.collective.0);
        let trace = self.trace.as_deref().map(of_trace);
        let trace = trace.map(|path| Trace::create(&path, iterations)).transpose();
        let hidden = (self.quiet || self.json) && self.progress == Style::Line;
        let style = if hidden { Style::None } else { self.progress };
        // A stream gets the last schedule alone, which comes after the search.
        let is_written = |path: &&Path| !self.changes(prepared) || !dash::is_stream(path);
        let best = output.filter(is_written).map(|path| BestFile::new(path, self.force));
        let form = search.search.form;
        let best = best.map(|best| match form {
            Some(form) => best.for_time(form.startup().unwrap_or(0)),
            None => best,
        });
        let bound = prepared.bounds().first().map(|b| u64::from(b.steps));
        let watch = Watch::new(bound, best, style).until(stop);
        let watch = watch.with_trace(trace.context("--trace")?);
        let watch = if form.is_some() { watch.for_time() } else { watch };
        if !self.has_no_limit() {
            return Ok(watch);
        }
        Ok(watch.telling(format!(
            "the search ends after {} min or {ITERATIONS} iterations, if it does not end before; \
             --time-limit and --iterations set other limits",
            TIME.as_secs() / 60
        )))
    }

    /// The options of the library.
    ///
    /// # Errors
    /// Parameters of another engine.
    pub fn options(&self) -> Result<Options> {
        let time = self.own_time();
        let iterations = self.iterations.unwrap_or(ITERATIONS);
        let gap = self.gap.unwrap_or_default();
        Ok(Options {
            engine: self.engine.engine()?,
            seed: self.seed,
            exchange_every: self.exchange.every(),
            exchange_group: self.exchange.group(),
            migration: self.exchange.migration(),
            steps: self.steps,
            limits: Limits { iterations, time, gap, ..Limits::default() },
            memory: self.memory,
            ..Options::default()
        })
    }

    /// The time limit of a collective: that given, or the default.
    fn own_time(&self) -> Option<Duration> {
        let given = self.time_limit.map(Duration::from_secs_f64);
        given.or(self.has_no_limit().then_some(TIME))
    }

    /// Whether neither the options nor a job limit the search.
    fn has_no_limit(&self) -> bool {
        self.time_limit.is_none() && self.iterations.is_none() && !wall_time::is_in_job()
    }

    /// Refuses the options of islands for engines without islands.
    fn check_islands(&self, engine: Engine) -> anyhow::Result<()> {
        if engine.has_islands() {
            return Ok(());
        }
        let (name, others) = (engine.name(), "--engine auto, hgsa or umda");
        if self.keep.checkpoint.is_some() || self.keep.resume.is_some() {
            anyhow::bail!(
                "--checkpoint, --resume: {name} has no islands and keeps no checkpoints; {others} does"
            );
        }
        if self.trace.is_some() {
            anyhow::bail!(
                "--trace: {name} has no islands, and a trace is about islands; omit it, or take \
                 {others}"
            );
        }
        Ok(())
    }
}
