//! `solve`: from the command line to a verified schedule.

use super::progress::Watch;
use super::report::{Run, Summary};
use super::{INTERRUPTED, NOT_FOUND, numbers};
use crate::atomic::check_writable;
use crate::bounds;
use crate::engines::hgsa;
use crate::islands::{Crew, Job, Search, Stop, StopReason};
use crate::network::{Network, faults, spec};
use crate::problem::{Collective, Ports, Problem, Request, Routing, Switching};
use crate::schedule::file::{FaultRecord, Provenance};
use crate::{Error, Result};
use anyhow::Context;
use clap::ValueEnum;
use indexmap::IndexSet;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What to schedule, on what, how long.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The network: a family with its parameters (`ccsched topology --help` lists them) or a file
    #[arg(short, long, value_name = "SPEC|FILE", default_value = "kautz:3,2")]
    pub topology: String,
    /// oab, aab, oas, aas, aog, their MPI names (broadcast, allgather, scatter, alltoall, gather),
    /// or all for the four of the papers
    #[arg(short, long, default_value = "aas")]
    pub collective: Collectives,
    /// The one source, or the root of a gather [default: the first terminal]
    #[arg(long, value_name = "VERTEX")]
    pub source: Option<String>,
    /// Who sends [default: all terminals]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub senders: Option<Vec<String>>,
    /// Who receives [default: all terminals]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub receivers: Option<Vec<String>>,
    /// wormhole (wh) or store-and-forward (sf)
    #[arg(long, default_value = "wormhole")]
    pub switching: Switching,
    /// Messages that a terminal sends, and receives, in a step: all or a number
    #[arg(long, default_value = "all")]
    pub ports: Ports,
    /// Allowed paths: minimal, or slack:S for paths up to S channels longer
    #[arg(long, default_value = "minimal")]
    pub routing: Routing,
    /// A broken link: A-B, or A:B for the one direction; #2 after it picks one of parallel links
    #[arg(long, value_name = "A-B")]
    pub fail_link: Vec<String>,
    /// A broken vertex
    #[arg(long, value_name = "VERTEX")]
    pub fail_node: Vec<String>,
    /// The engine; auto takes what is best for the problem
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: Engine,
    /// Ask for so many steps instead of the fewest
    #[arg(long, value_name = "K", value_parser = numbers::count::<u32>)]
    pub steps: Option<u32>,
    /// Where all random numbers come from
    #[arg(long, default_value_t = 1, value_parser = numbers::seed)]
    pub seed: u64,
    /// Stop after so many seconds [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = numbers::seconds)]
    pub time_limit: Option<f64>,
    /// Stop after so many iterations of every island; one iteration is one move per delivery
    #[arg(long, default_value_t = 100_000, value_parser = numbers::count::<u64>)]
    pub iterations: u64,
    /// Iterations between two exchanges of the islands
    #[arg(long, default_value_t = 10, value_parser = numbers::count::<u64>)]
    pub exchange_every: u64,
    /// Save the schedule; with -c all, one file each with the collective in its name
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print one line of JSON instead of the schedule
    #[arg(long)]
    pub json: bool,
    /// No progress, no schedule: the summary alone
    #[arg(short, long)]
    pub quiet: bool,
    /// More log lines; twice for even more
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Parameters of HGSA
    #[command(flatten)]
    pub hgsa: HgsaArgs,
}

/// Parameters of HGSA that are worth changing.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "HGSA")]
pub struct HgsaArgs {
    /// The moves of the islands
    #[arg(long, value_enum, default_value = "paper")]
    pub neighbourhood: Neighbourhood,
    /// Temperature at the beginning of a round of cooling, in conflicts
    #[arg(long, default_value_t = hgsa::Params::default().cooling.hot, value_parser = numbers::positive)]
    pub hot: f64,
    /// Temperature at its end
    #[arg(long, default_value_t = hgsa::Params::default().cooling.cold, value_parser = numbers::positive)]
    pub cold: f64,
    /// Iterations of the first round; every round is half as long again
    #[arg(long, default_value_t = hgsa::Params::default().cooling.first_round,
          value_parser = numbers::count::<u64>)]
    pub round: u64,
    /// Share of the moves that let two transfers exchange their places
    #[arg(long, default_value_t = hgsa::Params::default().swap_share, value_parser = numbers::share)]
    pub swaps: f64,
    /// How far a terminal may inform another in a wormhole all-to-all broadcast; raised where it
    /// would cut somebody off
    #[arg(long, default_value_t = hgsa::Params::default().radius,
          value_parser = numbers::count::<u32>)]
    pub radius: u32,
}

impl HgsaArgs {
    fn check(&self) -> Result<()> {
        if self.cold <= self.hot {
            return Ok(());
        }
        let (hot, cold) = (self.hot, self.cold);
        Err(Error::problem(format!("--cold {cold} is above --hot {hot}: cooling goes down")))
    }
}

/// Which engine searches.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The best there is for the problem
    Auto,
    /// Hybrid of parallel simulated annealing and genetic operators
    Hgsa,
}

/// Which moves HGSA's islands make.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbourhood {
    /// The mutations of the paper
    Paper,
}

/// One collective, or the four of the papers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collectives(Vec<Collective>);

impl std::str::FromStr for Collectives {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "all" {
            return Ok(Collectives(Collective::OF_THE_PAPERS.to_vec()));
        }
        Ok(Collectives(vec![text.parse()?]))
    }
}

/// Raised by Ctrl-C and by batch systems.
static INTERRUPT: AtomicBool = AtomicBool::new(false);

/// From now on an interrupt (Ctrl-C, or of a batch system) ends the search, not the process.
pub fn heed_interrupts() {
    // A second handler in one process is not needed: the first raises the same flag.
    let _ = ctrlc::set_handler(|| INTERRUPT.store(true, Ordering::Relaxed));
}

/// Solves what `args` ask for with `crew`.
///
/// # Errors
/// Wrong input, or islands that fail.
pub fn run(args: &Args, crew: &mut dyn Crew) -> anyhow::Result<ExitCode> {
    heed_interrupts();
    let outputs: Vec<Option<PathBuf>> =
        args.collective.0.iter().map(|c| args.output_of(*c)).collect();
    for output in outputs.iter().flatten() {
        check_writable(output).context("--output")?;
    }
    args.hgsa.check()?;
    let (network, faults) = args.network()?;
    // Wrong input is told before anything is searched or written.
    let task = |&collective| Task::new(args.job(collective, network.clone(), faults.clone()));
    let tasks = args.collective.0.iter().map(task).collect::<Result<Vec<_>>>()?;
    let mut worst = 0;
    for (task, output) in tasks.iter().zip(&outputs) {
        worst = worst.max(solve(args, task, output.as_deref(), crew)?);
    }
    Ok(ExitCode::from(worst))
}

/// One collective to schedule.
struct Task {
    job: Job,
    problem: Arc<Problem>,
    bounds: Vec<bounds::Bound>,
}

impl Task {
    fn new(job: Job) -> Result<Self> {
        let problem = job.pose()?;
        let bounds = bounds::all(&problem);
        check_goal(job.search.goal, &problem, &bounds)?;
        Ok(Task { job, problem, bounds })
    }
}

/// Solves one collective; returns the exit status.
fn solve(
    args: &Args,
    task: &Task,
    output: Option<&Path>,
    crew: &mut dyn Crew,
) -> anyhow::Result<u8> {
    let limit = args.time_limit.map(Duration::from_secs_f64);
    let stop = Stop::new(args.iterations, limit, &INTERRUPT);
    let Task { job, problem, bounds } = task;
    let bound = bounds.first().map_or(1, |b| b.steps);
    let mut watch = Watch::new(
        problem,
        bounds,
        args.provenance(job, crew.islands()),
        output,
        args.quiet || args.json,
    );
    let outcome = crew.search(job, problem, bound, stop, &mut watch)?;
    let provenance = args.provenance(job, crew.islands());
    drop(watch);
    let ranks = crew.islands();
    let seconds = stop.elapsed().as_secs_f64();
    let run = Run { engine: "hgsa", seed: args.seed, ranks, seconds, output };
    let summary = Summary::new(problem, bounds, &outcome, run);
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&summary)?)?;
    } else {
        if let Some(plan) = outcome.best.as_ref().filter(|_| !args.quiet) {
            let record = plan.record(problem, bounds, provenance);
            writeln!(out, "{}", crate::show::schedule(&record))?;
        }
        writeln!(out, "{}", summary.text())?;
    }
    Ok(match outcome.reason {
        StopReason::Interrupted => INTERRUPTED,
        _ if outcome.best.is_some() => 0,
        _ => NOT_FOUND,
    })
}

/// Nothing is sought that a bound rules out.
fn check_goal(goal: Option<u32>, problem: &Problem, bounds: &[bounds::Bound]) -> Result<()> {
    match (goal, bounds.first()) {
        (Some(goal), Some(bound)) if goal < bound.steps => Err(Error::problem(format!(
            "--steps {goal}: {} of {} needs at least {} steps, by the {} bound",
            problem.collective,
            problem.network.name(),
            bound.steps,
            bound.name
        ))),
        _ => Ok(()),
    }
}

impl Args {
    /// The network without what is broken, and the record of that.
    fn network(&self) -> Result<(Network, Vec<FaultRecord>)> {
        let whole = spec::load(&self.topology)?;
        let (mut channels, mut vertices, mut records) = (Vec::new(), Vec::new(), Vec::new());
        for text in &self.fail_link {
            let broken = faults::parse_link(&whole, text)
                .map_err(|e| Error::problem(format!("--fail-link {text}: {e}")))?;
            records.extend(broken.iter().map(|&c| {
                let ends = whole.channel(c);
                let name = |v| whole.vertex_name(v).to_string();
                FaultRecord::Link(name(ends.from), name(ends.to))
            }));
            channels.extend(broken);
        }
        for name in &self.fail_node {
            let broken = faults::parse_vertex(&whole, name)
                .map_err(|e| Error::problem(format!("--fail-node {name}: {e}")))?;
            vertices.push(broken);
            records.push(FaultRecord::Vertex(name.clone()));
        }
        // What is said to be broken twice is broken once.
        let records: IndexSet<FaultRecord> = records.into_iter().collect();
        let rest = faults::apply(&whole, &channels, &vertices)
            .map_err(|e| Error::problem(format!("without what is broken, {e}")))?;
        Ok((rest, records.into_iter().collect()))
    }

    fn job(&self, collective: Collective, network: Network, faults: Vec<FaultRecord>) -> Job {
        // With several collectives, what one of them has no use for does not concern it.
        let several = self.collective.0.len() > 1;
        let rooted = !matches!(collective, Collective::Aab | Collective::Aas);
        let request = Request {
            collective,
            source: self.source.clone().filter(|_| rooted || !several),
            senders: self.senders.clone().filter(|_| !collective.has_one_sender() || !several),
            receivers: self.receivers.clone(),
            switching: self.switching,
            ports: self.ports,
            routing: self.routing,
        };
        let mut params = hgsa::Params { radius: self.hgsa.radius, ..hgsa::Params::default() };
        params.swap_share = self.hgsa.swaps;
        params.cooling.hot = self.hgsa.hot;
        params.cooling.cold = self.hgsa.cold;
        params.cooling.first_round = self.hgsa.round;
        // An exchange after the last iteration would be none.
        let exchange_every = self.exchange_every.min(self.iterations);
        let search = Search { seed: self.seed, exchange_every, goal: self.steps };
        Job { network, faults, request, params, search }
    }

    fn provenance(&self, job: &Job, ranks: usize) -> Provenance {
        let parameters: BTreeMap<String, serde_json::Value> = [
            ("iterations", self.iterations.into()),
            ("exchange-every", self.exchange_every.into()),
            ("neighbourhood", "paper".into()),
            ("hot", job.params.cooling.hot.into()),
            ("cold", job.params.cooling.cold.into()),
            ("round", job.params.cooling.first_round.into()),
            ("swaps", job.params.swap_share.into()),
            ("radius", job.params.radius.into()),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .into();
        Provenance {
            // Threads or ranks: the same schedule, the same file.
            program: "ccsched".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            engine: "hgsa".into(),
            seed: self.seed,
            ranks,
            parameters,
        }
    }

    /// Where the schedule of one collective is saved.
    fn output_of(&self, collective: Collective) -> Option<PathBuf> {
        let path = self.output.clone()?;
        // That a folder is no file is told later.
        if self.collective.0.len() == 1 || path.is_dir() {
            return Some(path);
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let extension = path.extension().map_or("json".into(), |e| e.to_string_lossy());
        Some(path.with_file_name(format!("{stem}-{collective}.{extension}")))
    }
}
