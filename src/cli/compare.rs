//! `compare`: from the command line to runs of several configurations and what they say.

use super::problem_args::{Collectives, ProblemArgs};
use super::solve::{INTERRUPT, check_goal, heed_interrupts};
use super::{INTERRUPTED, configuration, numbers};
use crate::atomic::{self, check_writable};
use crate::bounds;
use crate::compare::runs::{Comparison, Task, order, side_by_side};
use crate::compare::{
    Budget, Configuration, Instance, Study, csv, json_line, lines, plots, slug, summaries, text,
};
use crate::islands::{Job, Search};
use crate::{Error, Result};
use anyhow::{Context, anyhow};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// What to compare, on what, how long.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Example:
  ccsched compare -t heawood -c aas --steps 10 --run hgsa:islands=8 --run umda --cpu-limit 30")]
pub struct Args {
    /// One instance: what to schedule on what. Switching, ports, routing and faults are those of
    /// all instances
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Steps to reach on it
    #[arg(long, value_name = "K", value_parser = numbers::count::<u32>)]
    pub steps: Option<u32>,
    /// Several instances, this option for each, instead of -t, -c and --steps: heawood/aas/10
    #[arg(long, value_name = "TOPOLOGY/COLLECTIVE/STEPS",
          conflicts_with_all = ["topology", "collective", "steps"])]
    pub instance: Vec<String>,
    /// A configuration: an engine, after a colon its options as `solve` has them, without dashes.
    /// One island unless islands=N is among them
    #[arg(long, value_name = "ENGINE[:OPTION=VALUE,..]")]
    pub run: Vec<String>,
    /// Runs of every configuration on every instance, with seeds of their own
    #[arg(long, default_value_t = 30, value_parser = numbers::count::<u32>)]
    pub runs: u32,
    /// The first seed; the next run has the next one
    #[arg(long, default_value_t = 1, value_parser = numbers::seed)]
    pub seed: u64,
    /// Budget of every run: seconds on the wall clock
    #[arg(long, value_name = "SECONDS", value_parser = numbers::seconds, group = "budget")]
    pub time_limit: Option<f64>,
    /// Budget of every run: seconds of CPU time, summed over its islands
    #[arg(long, value_name = "SECONDS", value_parser = numbers::seconds, group = "budget")]
    pub cpu_limit: Option<f64>,
    /// Budget of every run: evaluations, summed over its islands
    #[arg(long, value_name = "N", value_parser = numbers::count::<u64>, group = "budget")]
    pub evaluations: Option<u64>,
    /// No runs, but a report from the lines that `solve --json` has printed, one for each run.
    /// --steps is then the target [default: the fewest steps of any run of the instance]
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "topology", "collective", "source", "senders", "receivers", "switching", "ports", "routing",
        "fail_link", "fail_node", "instance", "run", "runs", "seed", "budget"])]
    pub from: Option<PathBuf>,
    /// Save every run as a line of CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Save pictures: PREFIX-<instance>-time.svg and PREFIX-<instance>-cost.svg
    #[arg(long, value_name = "PREFIX")]
    pub svg: Option<PathBuf>,
    /// Print a line of JSON for every configuration and instance instead of tables
    #[arg(long)]
    pub json: bool,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// Compares what `args` name.
///
/// # Errors
/// Wrong input, or runs that fail.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    heed_interrupts();
    let (study, how) = match &args.from {
        Some(path) => {
            let study = lines::read(path, args.steps)?;
            args.check_outputs(&study.instances)?;
            (study, format!("Runs: from {}.", path.display()))
        }
        None => args.make_runs()?,
    };
    print(args, &study, &how)?;
    save(args, &study)?;
    let interrupted = args.from.is_none() && INTERRUPT.load(Ordering::Relaxed);
    Ok(ExitCode::from(if interrupted { INTERRUPTED } else { 0 }))
}

impl Args {
    /// Makes all runs. Wrong input is told before the first of them.
    fn make_runs(&self) -> anyhow::Result<(Study, String)> {
        let budget = self.budget()?;
        let configurations = self.configurations()?;
        let instances = self.instances()?;
        let names: Vec<String> = instances.iter().map(|i| i.name.clone()).collect();
        self.check_outputs(&names)?;
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let workers = side_by_side(&configurations, cores);
        for c in configurations.iter().filter(|c| c.islands > cores) {
            log::warn!(
                "{}: {} islands share {cores} cores; compare by --cpu-limit or --evaluations, not \
                 by the wall clock",
                c.name,
                c.islands
            );
        }
        let tasks = order(instances.len(), configurations.len(), self.seed, self.runs.into());
        let bar = self.bar(tasks.len());
        let begun = |task: &Task| {
            let (instance, configuration) =
                (&instances[task.instance].name, &configurations[task.configuration].name);
            bar.set_message(format!("{instance}: {configuration}, seed {}", task.seed));
            bar.inc(1);
        };
        let comparison = Comparison {
            instances: &instances,
            configurations: &configurations,
            budget,
            interrupted: &INTERRUPT,
        };
        let records = comparison.execute(&tasks, workers, &begun);
        bar.finish_and_clear();
        let records = records?;
        let how = format!(
            "Runs: {} of {}, {} on {cores} core{}, seeds from {}, configurations in turn.",
            records.len(),
            tasks.len(),
            if workers == 1 { "one at a time".into() } else { format!("{workers} side by side") },
            if cores == 1 { "" } else { "s" },
            self.seed
        );
        let configurations = configurations.into_iter().map(|c| c.name).collect();
        Ok((Study { instances: names, configurations, budget, records }, how))
    }

    fn budget(&self) -> Result<Budget> {
        let budget = self.time_limit.map(Budget::Seconds);
        let budget = budget.or(self.cpu_limit.map(Budget::CpuSeconds));
        budget.or(self.evaluations.map(Budget::Evaluations)).ok_or_else(|| {
            Error::problem(
                "a budget for every run is needed: --cpu-limit, --time-limit or --evaluations",
            )
        })
    }

    fn configurations(&self) -> Result<Vec<Configuration>> {
        if self.run.is_empty() {
            return Err(Error::problem(
                "nothing to compare: name configurations, for example --run hgsa:islands=8 --run \
                 hgsa:islands=1; or earlier runs with --from",
            ));
        }
        if let Some(twice) = repeated(&self.run) {
            return Err(Error::problem(format!("--run {twice} is there twice")));
        }
        self.run.iter().map(|text| configuration::parse(text)).collect()
    }

    fn instances(&self) -> Result<Vec<Instance>> {
        if self.instance.is_empty() {
            let steps = self.steps.ok_or_else(|| {
                Error::problem("--steps is needed: a run is a success when it reaches so many")
            })?;
            return Ok(vec![instance(&self.problem, steps)?]);
        }
        self.instance.iter().map(|text| self.parse_instance(text)).collect()
    }

    /// The two last parts are collective and steps; a file's name may have slashes of its own.
    fn parse_instance(&self, text: &str) -> Result<Instance> {
        let wrong = |why: &str| Error::problem(format!("--instance {text}: {why}"));
        let mut parts = text.rsplitn(3, '/');
        let (Some(steps), Some(collective), Some(topology)) =
            (parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong("not TOPOLOGY/COLLECTIVE/STEPS, for example heawood/aas/10"));
        };
        let steps = numbers::count(steps).map_err(|e| wrong(&format!("steps '{steps}': {e}")))?;
        let collective: Collectives =
            collective.parse().map_err(|e: Error| wrong(&e.to_string()))?;
        let problem =
            ProblemArgs { topology: topology.to_string(), collective, ..self.problem.clone() };
        instance(&problem, steps).map_err(|e| wrong(&e.to_string()))
    }

    /// Says early whether what is asked for can be written, and that no picture replaces another.
    fn check_outputs(&self, instances: &[String]) -> anyhow::Result<()> {
        let slugs: Vec<String> = instances.iter().map(|name| slug(name)).collect();
        if let Some(twice) = repeated(&slugs) {
            return Err(anyhow!("the instance {twice} is there twice"));
        }
        if let Some(path) = &self.csv {
            check_writable(path).context("--csv")?;
        }
        let Some(prefix) = &self.svg else { return Ok(()) };
        for (name, kind) in instances.iter().flat_map(|name| [(name, "time"), (name, "cost")]) {
            check_writable(&picture_path(prefix, name, kind)).context("--svg")?;
        }
        Ok(())
    }

    fn bar(&self, runs: usize) -> ProgressBar {
        let hidden = self.quiet || self.json;
        let target =
            if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("run {pos} of {len}, {msg} ({elapsed})");
        ProgressBar::with_draw_target(Some(runs as u64), target)
            .with_style(style.expect("a valid template"))
    }
}

/// Poses one problem and looks whether its target can be reached at all.
fn instance(args: &ProblemArgs, steps: u32) -> Result<Instance> {
    let [collective] = args.collective.0[..] else {
        return Err(Error::problem(
            "-c all: the collectives have targets of their own; use --instance for each",
        ));
    };
    let (network, faults) = args.network()?;
    let request = args.request(collective);
    let problem = request.pose(network.clone(), faults.clone())?;
    let bounds = bounds::all(&problem);
    check_goal(Some(steps), &problem, &bounds)?;
    let name = format!("{} {} {steps}", network.name(), collective.to_string().to_uppercase());
    // Engine and search are put in by each run.
    let engine = configuration::parse("auto")?.engine;
    let search = Search { seed: 0, exchange_every: 1, goal: Some(steps) };
    let job = Job { network, faults, request, engine, search };
    Ok(Instance { name, job, problem: problem.into(), bounds, steps })
}

fn print(args: &Args, study: &Study, how: &str) -> anyhow::Result<()> {
    let summaries = summaries(study);
    let mut out = std::io::stdout().lock();
    if args.json {
        for (summary, row) in summaries.iter().flat_map(|s| s.rows.iter().map(move |r| (s, r))) {
            writeln!(out, "{}", json_line(summary, row))?;
        }
    } else if summaries.is_empty() {
        writeln!(out, "no run has come to its end")?;
    } else {
        writeln!(out, "{}\n{how}", text(&summaries))?;
    }
    Ok(())
}

/// Writes what was asked for; nothing if no run has come to its end.
fn save(args: &Args, study: &Study) -> anyhow::Result<()> {
    if study.records.is_empty() {
        return Ok(());
    }
    if let Some(path) = &args.csv {
        atomic::write(path, &csv::csv(study)?).context("--csv")?;
    }
    let Some(prefix) = &args.svg else { return Ok(()) };
    let broken = |e: Box<dyn std::error::Error>| anyhow!("--svg: {e}");
    for (i, name) in study.instances.iter().enumerate() {
        if study.records.iter().all(|r| r.instance != i) {
            continue;
        }
        let time = plots::time_to_target(study, i).map_err(broken)?;
        atomic::write(&picture_path(prefix, name, "time"), &time).context("--svg")?;
        match plots::conflicts(study, i).map_err(broken)? {
            Some(cost) => {
                atomic::write(&picture_path(prefix, name, "cost"), &cost).context("--svg")?;
            }
            None => log::warn!("{name}: no picture of conflicts, which were not recorded"),
        }
    }
    Ok(())
}

fn picture_path(prefix: &Path, instance: &str, kind: &str) -> PathBuf {
    let mut path = prefix.as_os_str().to_owned();
    path.push(format!("-{}-{kind}.svg", slug(instance)));
    path.into()
}

/// The first that was there before.
fn repeated(names: &[String]) -> Option<&String> {
    names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)).map(|(_, name)| name)
}
