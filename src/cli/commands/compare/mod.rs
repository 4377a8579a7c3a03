//! `compare`: runs of several configurations, and their statistics.

mod instances;
mod outputs;
mod work;

pub use work::follow;

use super::{batch, configuration};
use crate::objective::ObjectiveArgs;
use crate::problem_args::ProblemArgs;
use crate::signals::{INTERRUPT, heed_interrupts};
use crate::time_args::TimeArgs;
use crate::{INTERRUPTED, dash, numbers};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result, cores};
use ccsched_lab::compare::runs::{Task, order, side_by_side};
use ccsched_lab::compare::{Budget, Configuration, Instance, Study, lines, target};
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{Gap, RankGroup};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use work::Work;

/// Configurations, instances, budget.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Example:
  ccsched compare -t heawood -c aas --steps 10 --run hgsa:islands=8 --run umda --cpu-limit 30")]
pub struct Args {
    /// One instance. Switching, ports, routing and faults apply to all instances
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Steps to reach on it [default: the fewest that any run reaches; every run then continues
    /// until it reaches a lower bound or its budget ends]
    #[arg(long, value_name = "K", value_parser = numbers::count::<u32>, help_heading = "Runs")]
    pub steps: Option<u32>,
    /// Steps, or the time, to reach on every instance without steps of its own: those within this share of its
    /// lower bound, 1%
    #[arg(long, value_name = "PERCENT", value_parser = numbers::gap, conflicts_with = "steps",
          help_heading = "Runs")]
    pub gap: Option<Gap>,
    /// Steps or time
    #[command(flatten)]
    pub objective: ObjectiveArgs,
    /// One of several instances, in place of -t, -c and --steps: heawood/aas/10; the steps are
    /// optional; may be repeated
    #[arg(long, value_name = "NET/COLL[/STEPS]",
          conflicts_with_all = ["topology", "collective", "steps"], help_heading = "Runs")]
    pub instance: Vec<String>,
    /// A configuration: an engine and, after a colon, its options as in `solve`, without dashes.
    /// It has one island unless islands=N is given. Values between bars, 'umda:population=30|60', make
    /// a configuration each
    #[arg(long, value_name = "ENGINE[:SETTINGS]", help_heading = "Runs")]
    pub run: Vec<String>,
    /// Runs of every configuration on every instance, each with another seed
    #[arg(long, default_value_t = 30, value_parser = numbers::count::<u32>, help_heading = "Runs")]
    pub runs: u32,
    /// The first seed; the next run has the next one
    #[arg(long, default_value_t = 1, value_parser = numbers::seed, help_heading = "Runs")]
    pub seed: u64,
    /// Budget of every run: time on the wall clock, 30s or 2m
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds, group = "budget", help_heading = "Runs")]
    pub time_limit: Option<f64>,
    /// Budget of every run: CPU time, summed over its islands
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds, group = "budget", help_heading = "Runs")]
    pub cpu_limit: Option<f64>,
    /// Budget of every run: evaluations, summed over its islands
    #[arg(long, value_name = "N", value_parser = numbers::count::<u64>, group = "budget", help_heading = "Runs")]
    pub evaluations: Option<u64>,
    /// Budget of every run: iterations of each island, which are parallel time
    #[arg(long, value_name = "N", value_parser = numbers::count::<u64>, group = "budget", help_heading = "Runs")]
    pub iterations: Option<u64>,
    /// Run every configuration with each of these numbers of islands, and report what they gain: CPU
    /// seconds of the busiest rank and moves of the busiest island until the steps to reach
    #[arg(long, value_name = "ISLANDS,..", value_delimiter = ',', value_parser = numbers::islands,
          help_heading = "Runs")]
    pub parallel: Vec<u16>,
    /// Report on earlier runs instead: a file (- for the standard input) of the lines that `solve
    /// --json` prints, one per run. --steps is then the target [default: the fewest steps of any run
    /// of the instance]
    #[arg(long, value_name = "FILE", value_parser = dash::input, conflicts_with_all = [
        "topology", "collective", "source", "senders", "receivers", "pairs", "permutation",
        "switching", "ports", "routing", "fail", "fail_link", "fail_node", "slow", "instance", "gap", "minimize", "timed", "run", "runs", "seed", "budget", "parallel"], help_heading = "Runs")]
    pub from: Option<PathBuf>,
    /// Save every run as a line of CSV
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub csv: Option<PathBuf>,
    /// Save the best and the mean cost of the islands of every run over its evaluations, as lines of CSV
    #[arg(long, value_name = "FILE", conflicts_with = "from", help_heading = "Output")]
    pub history: Option<PathBuf>,
    /// Save pictures: `PREFIX-<instance>-time.svg`, and the median and the quartiles of all runs:
    /// `-cost.svg`, or `-steps.svg` where no steps are given
    #[arg(long, value_name = "PREFIX", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    /// Print a line of JSON for every configuration and instance instead of tables
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No progress
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// The modelled time
    #[command(flatten)]
    pub time: TimeArgs,
}

/// Larger comparisons are refused.
const MOST_RUNS: u64 = 1_000_000;

/// Makes the runs on all ranks of the group, or reads earlier ones, and reports.
///
/// # Errors
/// Wrong input, or runs that fail.
pub fn run<C: Communicator>(args: &Args, group: &mut RankGroup<'_, C>) -> anyhow::Result<ExitCode> {
    heed_interrupts();
    let (study, how) = match &args.from {
        Some(path) => {
            // Before the file is read: it may be one of the outputs.
            args.check_outputs(&[])?;
            let study = lines::read(path, args.steps)?;
            args.check_outputs(&study.instances)?;
            (study, format!("Runs: from {}.", path.display()))
        }
        None => args.make_runs(group)?,
    };
    outputs::print(args, &study, &how)?;
    outputs::save(args, &study)?;
    let interrupted = args.from.is_none() && INTERRUPT.load(Ordering::Relaxed);
    Ok(ExitCode::from(if interrupted { INTERRUPTED } else { 0 }))
}

impl Args {
    /// Makes all runs. Wrong input is reported before the first run.
    fn make_runs<C: Communicator>(
        &self,
        group: &mut RankGroup<'_, C>,
    ) -> anyhow::Result<(Study, String)> {
        let work = Work::new(self)?;
        let Work { configurations, instances, budget, .. } = &work;
        if let Some(open) =
            instances.iter().find(|i| i.steps.is_none() && !self.parallel.is_empty())
        {
            let why =
                "--parallel compares times to a target: --steps K, /K after --instance, or --gap";
            return Err(Error::problem(format!("{}: {why}", open.name)).into());
        }
        let names: Vec<String> = instances.iter().map(|i| i.name.clone()).collect();
        self.check_outputs(&names)?;
        let (cores, ranks) = (cores::available(), group.size());
        let by_time = !matches!(budget, Budget::Iterations(_));
        for c in configurations.iter().filter(|c| by_time && c.islands > cores) {
            log::warn!(
                "{}: {} islands share {cores} cores; compare by --cpu-limit or --evaluations, not \
                 by the wall clock",
                c.name,
                c.islands
            );
        }
        let runs = u64::from(self.runs) * (instances.len() * configurations.len()) as u64;
        if runs > MOST_RUNS {
            return Err(Error::problem(format!(
                "--runs {}: that makes {runs} runs in all; at most {MOST_RUNS} are allowed",
                self.runs
            ))
            .into());
        }
        let tasks = order(instances.len(), configurations.len(), self.seed, self.runs.into());
        let template = "run {pos} of {len}, {elapsed_precise}, {wide_msg}";
        let bar = batch::bar(tasks.len(), template, self.quiet || self.json);
        let begun = |task: &Task| {
            let (instance, configuration) =
                (&instances[task.instance].name, &configurations[task.configuration].name);
            bar.set_message(format!("{instance}: {configuration}, seed {}", task.seed));
            bar.inc(1);
        };
        let workers =
            if ranks > 1 { ranks } else { side_by_side(configurations, instances, cores) };
        let records = match ranks {
            1 => work.comparison(&INTERRUPT).execute(&tasks, workers, &begun),
            _ => work.share(&tasks, group, &begun),
        };
        bar.finish_and_clear();
        let records = records?;
        let how = format!(
            "Runs: {} of {}, {} on {}, seeds from {}, configurations in turn.",
            records.len(),
            tasks.len(),
            if workers == 1 { "one at a time".into() } else { format!("{workers} side by side") },
            match (ranks, cores) {
                (1, 1) => "1 core".into(),
                (1, _) => format!("{cores} cores"),
                _ => counted(ranks, "rank"),
            },
            self.seed
        );
        let target = |(i, instance): (usize, &Instance)| {
            let (name, time) = (&instance.name, instance.time);
            let is_open = instance.steps.is_none() && time.is_none_or(|time| time.bytes.is_none());
            let least = is_open.then(|| target::least(&records, i, *budget)).flatten();
            match (least, time) {
                (None, _) => name.clone(),
                (Some(steps), None) => format!("{name} {steps} (fewest of all runs)"),
                (Some(bytes), Some(_)) => {
                    format!("{name} {bytes} (least of all runs)", bytes = counted(bytes, "byte"))
                }
            }
        };
        let names = instances.iter().enumerate().map(target).collect();
        let measure = if instances.iter().any(|i| i.time.is_some()) { "bytes" } else { "steps" };
        let family = |c: &Configuration| (configuration::without_islands(&c.name), c.islands);
        let families = configurations.iter().map(family).collect();
        let budget = *budget;
        let configurations = work.configurations.into_iter().map(|c| c.name).collect();
        Ok((Study { instances: names, configurations, families, budget, measure, records }, how))
    }

    fn budget(&self) -> Result<Budget> {
        let budget = self.time_limit.map(Budget::Seconds);
        let budget = budget.or(self.cpu_limit.map(Budget::CpuSeconds));
        let budget = budget.or(self.evaluations.map(Budget::Evaluations));
        budget.or(self.iterations.map(Budget::Iterations)).ok_or_else(|| {
            Error::problem(
                "a budget for every run is needed: --cpu-limit, --time-limit, --evaluations or \
                 --iterations",
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
        let grids: Vec<_> =
            self.run.iter().map(|text| configuration::grid(text)).collect::<Result<_>>()?;
        let runs = grids.concat();
        if let Some(twice) = repeated(&runs) {
            return Err(Error::problem(format!("--run {twice} is given twice")));
        }
        if self.parallel.is_empty() {
            return runs.iter().map(|text| configuration::parse(text)).collect();
        }
        let with = |text: &String| {
            let text = text.clone();
            self.parallel.iter().map(move |&n| configuration::with_islands(&text, n))
        };
        let names: Vec<String> = runs.iter().flat_map(with).collect::<Result<_>>()?;
        if let Some(twice) = repeated(&names) {
            return Err(Error::problem(format!("--run {twice} comes twice from --parallel")));
        }
        names.iter().map(|text| configuration::parse(text)).collect()
    }
}

/// The first name that repeats an earlier one.
fn repeated(names: &[String]) -> Option<&String> {
    names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)).map(|(_, name)| name)
}
