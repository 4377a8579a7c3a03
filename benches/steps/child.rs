//! One run in a process of its own, so that its peak memory is that of the run alone. The parser of
//! `ccsched solve` reads the options, every schedule is verified, and the result is printed as one
//! line of JSON.

use anyhow::Context;
use ccsched::cli::solve;
use ccsched::islands::{Job, Prepared, Search, StopCondition, Threads};
use clap::Parser;
use serde::{Deserialize, Serialize};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The first argument of a process that makes one run.
pub const WORD: &str = "--one-run";

static NEVER: AtomicBool = AtomicBool::new(false);

/// The result of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The requested engine.
    pub engine: String,
    /// The method that found the schedule.
    pub method: String,
    /// Steps of the best schedule.
    pub steps: Option<usize>,
    /// The largest lower bound.
    pub bound: u32,
    /// The name of that bound.
    pub bound_name: String,
    /// Seconds of the search.
    pub seconds: f64,
    /// Iterations of every island.
    pub iterations: u64,
    /// Moves of all islands.
    pub evaluations: u64,
    /// Peak memory of the process, if the system reports it.
    pub peak_kib: Option<u64>,
}

/// A run on the command line.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Line {
    #[command(flatten)]
    solve: solve::Args,
    #[arg(long)]
    islands: usize,
}

/// Makes a run in a new process.
pub fn spawn(cell: &str, seed: u64, seconds: f64, islands: usize) -> anyhow::Result<Run> {
    let mut words = cell.split_whitespace();
    let (Some(topology), Some(collective)) = (words.next(), words.next()) else {
        anyhow::bail!("'{cell}' is not a topology, a collective, and options");
    };
    let mut command = Command::new(std::env::current_exe()?);
    command.args([WORD, "-t", topology, "-c", collective]).args(words);
    command.args([format!("--seed={seed}"), format!("--islands={islands}")]);
    command.arg(format!("--time-limit={seconds}"));
    let output = command.stderr(Stdio::inherit()).output()?;
    anyhow::ensure!(output.status.success(), "the run of '{cell}' failed: {}", output.status);
    serde_json::from_slice(&output.stdout).with_context(|| format!("output of '{cell}'"))
}

/// Makes the run that the arguments describe, and prints its result.
pub fn main(words: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let Line { solve: args, islands } = Line::try_parse_from(words)?;
    let (network, faults) = args.problem.network()?;
    let &[collective] = &args.problem.collective.0[..] else {
        anyhow::bail!("a run is about one collective");
    };
    let request = args.problem.request(collective, &network)?;
    let job = Job {
        network,
        faults,
        request,
        engine: args.engine.engine()?,
        table: None,
        search: Search {
            seed: args.seed,
            exchange_every: args.exchange.every(),
            goal: args.steps,
            ..Search::default()
        },
    };
    let prepared = Prepared::new(job, islands)?;
    // Only time limits a run, not iterations.
    let stop = StopCondition::new(u64::MAX, args.time_limit.map(Duration::from_secs_f64), &NEVER);
    let solution = prepared.run(&mut Threads(islands), stop, &mut (), None)?;
    let (bound, bound_name) = solution.bounds.first().map_or((1, "none"), |b| (b.steps, b.name));
    let run = Run {
        engine: solution.engine.name().into(),
        method: solution.method.as_ref().map_or("-".into(), ToString::to_string),
        steps: solution.steps(),
        bound,
        bound_name: bound_name.into(),
        seconds: solution.seconds,
        iterations: solution.progress.iterations_done,
        evaluations: solution.progress.evaluations,
        peak_kib: peak_kib(),
    };
    println!("{}", serde_json::to_string(&run)?);
    Ok(())
}

/// Peak memory of this process.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}
