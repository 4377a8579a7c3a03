//! `ccsched`, the companion for one machine: dispatches to the subcommands.

use super::logging::Voice;
use super::parse::parse;
use super::programs::{self, Companion};
use super::{
    book, bound, compare, deploy, diff, export, finish, generate, import_schedule, launcher,
    logging, register, repair, reproduce, resilience, routes, show, signals, solve, study,
    topology, trace_plot, tradeoff, verify,
};
use ccsched_engines::OwnEngine;
use ccsched_run::ISLANDS;
use ccsched_run::comm::Solo;
use ccsched_run::islands::{RankGroup, Threads, fitting_islands};
use std::ffi::OsString;
use std::process::ExitCode;

/// The program `ccsched` with engines of another crate beside its own: its main function.
pub fn run(engines: &[&'static OwnEngine]) -> ExitCode {
    run_from(std::env::args_os(), engines)
}

/// The same for a command line, which begins with the name of the program.
pub fn run_from(
    words: impl IntoIterator<Item = OsString>,
    engines: &[&'static OwnEngine],
) -> ExitCode {
    signals::survive_long_files();
    if let Some(code) = register(engines) {
        return code;
    }
    let command: Companion = parse(words, "none").unwrap_or_else(|error| error.exit());
    let voice = match &command {
        Companion::Solve(solve) => solve.args.voice(),
        Companion::Compare(args) => Voice::quiet(args.quiet),
        Companion::Reproduce(args) => Voice::quiet(args.quiet),
        Companion::Routes(_) | Companion::ImportSchedule(_) => Voice::quiet(false),
        _ => Voice::quiet(true),
    };
    logging::start(None, voice);
    if searches(&command) {
        launcher::warn_of_copies();
    }
    let result = match command {
        Companion::Solve(solve) => {
            let default = if solve.args.engine.engine.is_serial() { 1 } else { ISLANDS };
            let islands = solve.islands.map_or(default, usize::from);
            solve::run(&solve.args, &mut Threads(fitting(islands)))
        }
        Companion::Compare(args) => compare::run(&args, &mut RankGroup::new(&mut Solo)),
        Companion::Study(args) => study::run(&args),
        Companion::Reproduce(args) => reproduce::run(&args, &mut RankGroup::new(&mut Solo)),
        Companion::Bound(args) => bound::run(&args),
        Companion::Tradeoff(args) => tradeoff::run(&args),
        Companion::Routes(args) => routes::run(&args),
        Companion::Deploy(args) => deploy::run(&args),
        Companion::Topology(args) => topology::run(&args),
        Companion::Verify(args) => verify::run(&args),
        Companion::Repair(args) => repair::run(&args),
        Companion::Diff(args) => diff::run(&args),
        Companion::Book(book::Book::Lookup(args)) => book::run(&args),
        Companion::Resilience(args) => resilience::run(&args, &mut RankGroup::new(&mut Solo)),
        Companion::Topologies(resilience::Topologies::Compare(args)) => resilience::compare(&args),
        Companion::Trace(args) => trace_plot::run(&args),
        Companion::Show(args) => show::run(&args),
        Companion::Export(args) => export::run(&args),
        Companion::ImportSchedule(args) => import_schedule::run(&args),
        Companion::Problem(_) => Err(anyhow::anyhow!(
            "problem is a page of help: ccsched help problem; ccsched solve designs a schedule"
        )),
        Companion::Generate(args) => generate::run(&args, programs::all()),
    };
    finish(result)
}

/// The islands that have room below the limits of this process; a warning if they are fewer.
fn fitting(islands: usize) -> usize {
    let fitting = fitting_islands(islands);
    if fitting < islands {
        log::warn!(
            "the limit of addresses or data of this process (ulimit -v, -d) has room for the threads of \
             {fitting} of {islands} islands: {fitting} search"
        );
    }
    fitting
}

/// Whether a command works for long.
fn searches(command: &Companion) -> bool {
    use Companion as C;
    matches!(
        command,
        C::Solve(_)
            | C::Compare(_)
            | C::Study(_)
            | C::Reproduce(_)
            | C::Tradeoff(_)
            | C::Routes(_)
            | C::Deploy(_)
            | C::Resilience(_)
            | C::Topologies(_)
            | C::Repair(_)
    )
}
