//! `ccsched-mpi`, the distributed optimizer: `mpirun -n 32 ccsched-mpi`. Rank 0 reads the command
//! line and the files; the other ranks serve its searches.
//!
//! Every failure, including a panic, ends the whole job with one message.

use super::commands::Task;
use super::logging::Voice;
use super::parse::parse;
use super::programs::{Optimizer, RankedSolve, SLOTS, TRY};
use super::stdout::stdout;
use super::{WRONG_INPUT, finish, launcher, logging, register, signals, solve};
use ccsched_engines::EngineRow;
use ccsched_run::comm::{Communicator, mpi};
use ccsched_run::islands::{RankGroup, SearchError, serve};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

const PROGRAM: &str = "ccsched-mpi";

/// The program `ccsched-mpi` with engines of another crate beside its own: its main function.
pub fn run_ranks(engines: &[&'static EngineRow]) -> ExitCode {
    run_ranks_from(std::env::args_os(), engines)
}

/// The same for a command line, which begins with the name of the program.
pub fn run_ranks_from(
    words: impl IntoIterator<Item = OsString>,
    engines: &[&'static EngineRow],
) -> ExitCode {
    signals::survive_long_files();
    if let Some(code) = register(engines) {
        return code;
    }
    // Every rank reads the command line: in a replay the others play a part of their own, in a
    // reproduction they make rows.
    let words: Vec<OsString> = words.into_iter().collect();
    let no_arguments = words.len() == 1;
    let parsed: clap::error::Result<Optimizer> = parse(words, &mpi::library());
    let task = || parsed.as_ref().ok().and_then(Optimizer::task);
    let played = task().filter(|task| task.is_played());
    if played.is_none() {
        // Before MPI, whose start may take seconds on many ranks.
        signals::heed_interrupts();
    }
    mpi::begin_vigil(PROGRAM, limit(&parsed), signals::interrupted());
    let Some((universe, mut ranks)) = mpi::start() else {
        eprintln!("{PROGRAM}: MPI cannot be started");
        return ExitCode::from(WRONG_INPUT);
    };
    mpi::end_the_job_on_panic(PROGRAM, ranks.rank());
    let code = match played {
        Some(task) => play(task, &mut ranks),
        None if ranks.rank() == 0 => lead(parsed, no_arguments, &mut ranks),
        None => follow(task(), &mut ranks),
    };
    let is_wrong = code == ExitCode::from(WRONG_INPUT) && ranks.rank() == 0 && ranks.size() > 1;
    ranks.finish();
    drop(universe);
    if is_wrong && std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some() {
        eprintln!("(mpirun -q leaves out what mpirun adds below)");
    }
    code
}

/// The time limit of a run, if it has one.
fn limit(parsed: &clap::error::Result<Optimizer>) -> Option<Duration> {
    let cli = parsed.as_ref().ok().filter(|cli| cli.task().is_none())?;
    cli.search().args.limit()
}

/// The main program of the other ranks in searches and tasks.
fn follow(task: Option<&Task>, ranks: &mut mpi::Ranks) -> ExitCode {
    logging::start(Some(ranks.rank()), Voice::quiet(true));
    let served = match task {
        Some(task) => task.follow(ranks),
        None => serve(ranks, signals::interrupted()),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => mpi::fail(PROGRAM, ranks.rank(), &error.to_string()),
    }
}

/// The main program of all ranks in a task that all of them begin.
fn play(task: &Task, ranks: &mut mpi::Ranks) -> ExitCode {
    let rank = ranks.rank();
    logging::start(Some(rank), task.voice());
    if let Some(code) = refused(ranks.size()) {
        return code;
    }
    match task.play(ranks) {
        Ok(result) => finish(result),
        Err(broken) => mpi::fail(PROGRAM, rank, &broken),
    }
}

/// Says that another MPI has started the job, if so.
fn refused(size: usize) -> Option<ExitCode> {
    let message = foreign_launcher(size)?;
    // In such a job every process takes itself for rank 0; only one of them prints.
    if launcher::rank() == 0 {
        eprintln!("{PROGRAM}: {message}");
    }
    Some(ExitCode::from(WRONG_INPUT))
}

/// The main program of rank 0.
fn lead(
    parsed: clap::error::Result<Optimizer>,
    no_arguments: bool,
    ranks: &mut mpi::Ranks,
) -> ExitCode {
    let size = ranks.size();
    let mut group = RankGroup::new(ranks);
    let code = lead_group(parsed, no_arguments, &mut group, size);
    if group.lost() > 0 {
        mpi::leave(PROGRAM, group.lost());
    }
    match group.dismiss() {
        Ok(()) => code,
        Err(error) => mpi::fail(PROGRAM, 0, &error.to_string()),
    }
}

fn lead_group(
    parsed: clap::error::Result<Optimizer>,
    no_arguments: bool,
    group: &mut RankGroup<'_, mpi::Ranks>,
    size: usize,
) -> ExitCode {
    let foreign = foreign_launcher(size);
    // In such a job every process takes itself for rank 0; only one of them prints.
    let speaks = foreign.is_none() || launcher::rank() == 0;
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version exit with status 0.
            if speaks {
                let _ = error.print();
            }
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let search = cli.search();
    let voice = cli.task().map_or_else(|| search.args.voice(), Task::voice);
    logging::start(Some(0), voice);
    if let Some(message) = foreign {
        if speaks {
            eprintln!("{PROGRAM}: {message}");
        }
        return ExitCode::from(WRONG_INPUT);
    }
    let result = match cli.task() {
        Some(task) => task.lead(group),
        None => run(search, group),
    };
    if let Some(broken) = result.as_ref().err().filter(|e| is_failure(e)) {
        mpi::fail(PROGRAM, 0, &format!("{broken:#}"));
    }
    if no_arguments && result.is_ok() {
        // If the output is closed, only the hints are lost.
        let _ = hint(size);
    }
    finish(result)
}

/// Solves on all ranks, with the tree of masters that is asked for.
fn run(ranked: &RankedSolve, group: &mut RankGroup<'_, mpi::Ranks>) -> anyhow::Result<ExitCode> {
    group.set_fan_out(ranked.fan_out);
    solve::run(&ranked.args, group)
}

/// Suggestions after a run without arguments.
fn hint(ranks: usize) -> std::io::Result<()> {
    let mut out = stdout();
    writeln!(out, "\n{TRY}")?;
    if ranks == 1 {
        writeln!(out, "\nThis was one rank alone: mpirun -n 4 {PROGRAM} uses four.\n{SLOTS}")?;
    }
    Ok(())
}

/// Whether an error leaves other ranks in the middle of a search.
fn is_failure(error: &anyhow::Error) -> bool {
    error.downcast_ref::<SearchError>().is_some()
}

/// Detects a launcher of another MPI, which starts ranks that cannot reach each other.
fn foreign_launcher(size: usize) -> Option<String> {
    let (launcher, started) = launcher::launched()?;
    (size == 1).then(|| {
        format!(
            "{launcher} started {started} processes, but each of them runs alone: this program was \
             built for {}. Use the mpirun of that MPI, or build the program with the mpicc of the \
             launcher's MPI (MPICC=... cargo build)",
            mpi::library()
        )
    })
}
