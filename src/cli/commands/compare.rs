//! `compare`: runs of several configurations, the same on all ranks, so that a task tells a rank all; their
//! statistics, and tables, lines of JSON, CSV files and pictures of them.

use super::{batch, configuration};
use crate::objective::ObjectiveArgs;
use crate::own_files::{Inputs, check_distinct};
use crate::problem_args::{Collectives, ProblemArgs};
use crate::signals::{INTERRUPT, heed_interrupts};
use crate::time_args::TimeArgs;
use crate::{INTERRUPTED, dash, numbers, stdout, terminal};
use anyhow::{Context, anyhow};
use ccsched_base::atomic::check_writable;
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result, cores};
use ccsched_engines::Engine;
use ccsched_lab::compare::runs::{Comparison, Task, least, order, side_by_side};
use ccsched_lab::compare::{
    Budget, Configuration, Instance, LeastTime, Study, csv, history, json_line, lines, plots, slug,
    summaries, text,
};
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{Gap, Job, Prepared, RankGroup, Search, SearchError, least_cost};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

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
        "switching", "ports", "multicast", "routing", "fail", "fail_link", "fail_node", "slow", "delay", "instance", "gap", "minimize", "timed", "run", "runs", "seed", "budget", "parallel"], help_heading = "Runs")]
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
    print(args, &study, &how)?;
    save(args, &study)?;
    let interrupted = args.from.is_none() && INTERRUPT.load(Ordering::Relaxed);
    Ok(ExitCode::from(if interrupted { INTERRUPTED } else { 0 }))
}

impl Args {
    /// Makes all runs. Wrong input is reported before the first run.
    fn make_runs<C: Communicator>(
        &self,
        group: &mut RankGroup<'_, C>,
    ) -> anyhow::Result<(Study, String)> {
        let comparison = self.comparison()?;
        let Comparison { configurations, instances, budget, .. } = &comparison;
        let (cores, ranks) = (cores::available(), group.size());
        self.check_runs(&comparison, cores)?;
        let tasks = order(instances.len(), configurations.len(), self.seed, self.runs.into());
        let template = "run {pos} of {len}, {elapsed_precise}, {wide_msg}";
        let bar = batch::bar(tasks.len(), template, self.quiet || self.json);
        let begun = |task: &Task| {
            let (instance, configuration) =
                (&instances[task.instance].name, &configurations[task.configuration].name);
            bar.set_message(format!("{instance}: {configuration}, seed {}", task.seed));
            bar.inc(1);
        };
        let workers = if ranks > 1 { ranks } else { side_by_side(configurations, cores) };
        let records = match ranks {
            1 => comparison.execute(&tasks, (workers, &INTERRUPT), &begun),
            _ => comparison.share(&tasks, (group, &INTERRUPT), &begun).map(|(records, is)| {
                // The interrupt may have reached another rank.
                INTERRUPT.fetch_or(is, Ordering::Relaxed);
                records
            }),
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
        let named = |(i, instance)| named(instance, |budget| least(&records, i, budget), *budget);
        let names = instances.iter().enumerate().map(named).collect();
        let measure = if instances.iter().any(|i| i.time.is_some()) { "bytes" } else { "steps" };
        let family = |c: &Configuration| (configuration::without_islands(&c.name), c.islands);
        let families = configurations.iter().map(family).collect();
        let budget = *budget;
        let configurations = comparison.configurations.into_iter().map(|c| c.name).collect();
        Ok((Study { instances: names, configurations, families, budget, measure, records }, how))
    }

    /// Checks before the first run that the runs can be compared, and tells what makes that hard.
    fn check_runs(&self, comparison: &Comparison, cores: usize) -> anyhow::Result<()> {
        let Comparison { configurations, instances, budget, .. } = comparison;
        if let Some(open) =
            instances.iter().find(|i| i.has_no_target() && !self.parallel.is_empty())
        {
            let why =
                "--parallel compares times to a target: --steps K, /K after --instance, or --gap";
            return Err(Error::problem(format!("{}: {why}", open.name)).into());
        }
        let names: Vec<String> = instances.iter().map(|i| i.name.clone()).collect();
        self.check_outputs(&names)?;
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
        Ok(())
    }

    /// The runs that are asked for.
    fn comparison(&self) -> Result<Comparison> {
        let budget = self.budget()?;
        let configurations = self.configurations()?;
        let instances = self.instances()?;
        check_engines(&configurations, &instances)?;
        let keeps_history = self.history.is_some();
        let rates = instances.iter().map(|i| i.prepared.problem().network().rate());
        let times = rates.map(|rate| self.time.model(rate)).collect();
        Ok(Comparison { instances, configurations, budget, times, keeps_history })
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

impl Args {
    /// All instances.
    ///
    /// # Errors
    /// Problems that cannot be posed, and targets that a bound rules out.
    fn instances(&self) -> Result<Vec<Instance>> {
        if self.instance.is_empty() {
            let all = &self.problem.collective.0;
            let several = all.len() * self.problem.topology.len() > 1;
            if let (Some(steps), true) = (self.steps, several) {
                return Err(Error::problem(format!(
                    "--steps {steps}: -c all and several -t have targets of \
                     their own; use --instance for each"
                )));
            }
            let networks: Vec<ProblemArgs> = self.problem.each().collect();
            let of = |network: &ProblemArgs, one| {
                let problem = ProblemArgs { collective: Collectives::one(one), ..network.clone() };
                self.instance(&problem, self.steps)
            };
            let instances = networks.iter().flat_map(|at| all.iter().map(move |&one| (at, one)));
            return instances.map(|(network, one)| of(network, one)).collect();
        }
        self.instance.iter().map(|text| self.parse_instance(text)).collect()
    }

    /// Parsed from the end: steps (optional), collective; the rest is the topology, as a file name
    /// may contain slashes.
    fn parse_instance(&self, text: &str) -> Result<Instance> {
        let wrong = |why: &str| Error::problem(format!("--instance {text}: {why}"));
        let (rest, steps) = match text.rsplit_once('/') {
            Some((rest, steps)) if steps.parse::<Collectives>().is_err() => (rest, Some(steps)),
            _ => (text, None),
        };
        let Some((topology, collective)) = rest.rsplit_once('/') else {
            return Err(wrong("not TOPOLOGY/COLLECTIVE[/STEPS], for example heawood/aas/10"));
        };
        let read =
            |text: &str| numbers::count(text).map_err(|e| wrong(&format!("steps '{text}': {e}")));
        let steps = steps.map(read).transpose()?;
        let collective: Collectives =
            collective.parse().map_err(|e: Error| wrong(&e.to_string()))?;
        let problem = ProblemArgs {
            topology: vec![topology.to_string()],
            collective,
            ..self.problem.clone()
        };
        self.instance(&problem, steps).map_err(|e| wrong(&e.to_string()))
    }

    /// Poses one problem, and sets its target.
    fn instance(&self, args: &ProblemArgs, steps: Option<u32>) -> Result<Instance> {
        if !self.objective.asks_for_time()? {
            return instance(args, steps, self.gap);
        }
        if let Some(steps) = steps {
            let why = format!("{steps}: the least time has no steps to reach; --gap sets a target");
            return Err(Error::field("steps", why));
        }
        let (name, mut job) = posed(args, None)?;
        let model = self.time.model(job.network.rate());
        if let Some(network) = self.objective.with_costs(&job.network, &model)? {
            job.network = network;
        }
        let problem = job.pose()?;
        let form = self.objective.form(&problem, &self.time.model(problem.network().rate()))?;
        job.search.form = Some(form);
        let least = |gap: Gap| least_cost(&problem, form).map(|least| gap.of(least));
        let bytes = self.gap.map(least).transpose()?;
        let name = bytes.map_or(name.clone(), |bytes| {
            format!("{name} {bytes}", bytes = counted(bytes, "byte"))
        });
        let time = Some(LeastTime { form, bytes, gap: self.gap.unwrap_or_default() });
        let prepared = Prepared::without_bounds(job, problem, 1)?;
        Ok(Instance { name, prepared, steps: None, time })
    }
}

/// The name of an instance with its target, which is the least of all runs if none was given.
fn named(instance: &Instance, least: impl FnOnce(Budget) -> Option<u64>, budget: Budget) -> String {
    let (name, time) = (&instance.name, instance.time);
    match (instance.has_no_target().then(|| least(budget)).flatten(), time) {
        (None, _) => name.clone(),
        (Some(steps), None) => format!("{name} {steps} (fewest of all runs)"),
        (Some(bytes), Some(_)) => {
            format!("{name} {bytes} (least of all runs)", bytes = counted(bytes, "byte"))
        }
    }
}

/// The name of a problem, and its job; each run has an engine and a seed of its own.
fn posed(args: &ProblemArgs, goal: Option<u32>) -> Result<(String, Job)> {
    let [collective] = args.collective.0[..] else {
        return Err(Error::problem(
            "-c all: the collectives have targets of their own; use --instance for each",
        ));
    };
    let (network, faults) = args.network()?;
    let request = args.request(collective, &network)?;
    let name = format!("{} {}", network.name(), request.collective.to_string().to_uppercase());
    let engine = Engine::default();
    let search = Search { seed: 0, exchange_every: 1, goal, ..Search::default() };
    Ok((name, Job { network, faults, request, engine, search, table: None }))
}

/// Poses one problem and checks its target against the bounds. Without steps, a gap above the largest
/// bound makes the target.
fn instance(args: &ProblemArgs, steps: Option<u32>, gap: Option<Gap>) -> Result<Instance> {
    let (name, job) = posed(args, steps)?;
    let prepared = Prepared::new(job, 1)?;
    let bound = prepared.bounds().first().map_or(1, |bound| bound.steps);
    let steps = steps.or(gap.map(|gap| gap.steps(bound)));
    let name = steps.map_or(name.clone(), |steps| format!("{name} {steps}"));
    Ok(Instance { name, prepared, steps, time: None })
}

/// Makes runs as a rank other than 0, which has the same arguments, until dismissed.
///
/// # Errors
/// The master is gone, or a run fails.
pub fn follow<C: Communicator>(args: &Args, comm: &mut C) -> Result<(), SearchError> {
    let level = log::max_level();
    log::set_max_level(log::LevelFilter::Off);
    let comparison = args.comparison().ok().filter(|_| args.from.is_none());
    log::set_max_level(level);
    batch::follow(comm, comparison, |runs: &Comparison, &task, stops| runs.run(task, stops))
}

/// Checks every engine against every instance before the first run, not after hours of runs.
fn check_engines(configurations: &[Configuration], instances: &[Instance]) -> Result<()> {
    for Configuration { name, engine, islands, .. } in configurations {
        for instance in instances {
            let problem = instance.prepared.problem();
            let checked = engine.check(problem.switching(), *islands);
            let is_able = match instance.time {
                None => Ok(()),
                Some(_) => engine.least_time().map(drop),
            };
            let checked = checked.and(is_able);
            checked.and_then(|()| engine.check_problem(problem)).map_err(|why| {
                Error::problem(format!("--run {name} on {}: {why}", instance.name))
            })?;
        }
    }
    Ok(())
}

impl Args {
    /// Checks before the first run that outputs can be written and pictures have distinct names.
    ///
    /// # Errors
    /// Files that cannot be written, instances whose pictures have the same name.
    fn check_outputs<'a>(&'a self, instances: &[String]) -> anyhow::Result<()> {
        let slugs: Vec<String> = instances.iter().map(|name| slug(name)).collect();
        if let Some(twice) = repeated(&slugs) {
            return Err(anyhow!("the instance {twice} is given twice"));
        }
        let kinds = slugs
            .iter()
            .flat_map(|slug| ["time", "cost", "steps", "islands"].map(|of| format!("{slug}-{of}")));
        let inputs = Inputs::problem(&self.problem).with("--from", self.from.as_deref());
        // Each part of an instance that ends before a slash may be the file of its network.
        let starts = |text: &'a String| {
            text.match_indices('/').map(|(end, _)| Path::new(&text[..end])).collect::<Vec<_>>()
        };
        let networks = self.instance.iter().flat_map(starts);
        let inputs = networks.fold(inputs, |all, path| all.with("--instance", Some(path)));
        batch::check(&inputs, self.csv.as_deref(), self.svg.as_deref(), kinds)?;
        let Some(path) = &self.history else { return Ok(()) };
        check_writable(path).context("--history")?;
        inputs.refuse("--history", path)?;
        let tables = [("--csv", self.csv.as_deref()), ("--history", Some(path.as_path()))];
        check_distinct(tables.into_iter().filter_map(|(option, path)| Some((option, path?))))
    }
}

/// Prints the tables or JSON lines; `how` describes how the runs were made.
fn print(args: &Args, study: &Study, how: &str) -> anyhow::Result<()> {
    let summaries = summaries(study);
    if args.json {
        let rows = summaries.iter().flat_map(|s| s.rows.iter().map(move |row| json_line(s, row)));
        batch::print_json(rows)?;
    } else if summaries.is_empty() {
        writeln!(stdout::text(), "no run has finished")?;
    } else {
        writeln!(stdout::text(), "{}\n{how}", text(&summaries, terminal::columns()))?;
    }
    Ok(())
}

/// Writes the requested files; nothing if no run has finished.
fn save(args: &Args, study: &Study) -> anyhow::Result<()> {
    if study.records.is_empty() {
        return Ok(());
    }
    if let Some(path) = &args.csv {
        dash::write(path, &csv(study)?).context("--csv")?;
    }
    if let Some(path) = &args.history {
        dash::write(path, &history(study)?).context("--history")?;
    }
    let Some(prefix) = &args.svg else { return Ok(()) };
    let summaries = summaries(study);
    for (i, name) in study.instances.iter().enumerate() {
        if study.records.iter().all(|r| r.instance != i) {
            continue;
        }
        let slug = slug(name);
        let time = plots::time_to_target(study, i);
        batch::save_picture(prefix, &format!("{slug}-time"), time)?;
        match plots::conflicts(study, i).transpose() {
            Some(cost) => batch::save_picture(prefix, &format!("{slug}-cost"), cost)?,
            None => match plots::steps(study, i).transpose() {
                Some(steps) => batch::save_picture(prefix, &format!("{slug}-steps"), steps)?,
                None => log::warn!("{name}: no picture of conflicts: they were not recorded"),
            },
        }
        let summary = summaries.iter().find(|summary| summary.instance == *name);
        let gain = summary.map(plots::speedups).and_then(Result::transpose);
        if let Some(gain) = gain {
            batch::save_picture(prefix, &format!("{slug}-islands"), gain)?;
        }
    }
    Ok(())
}
