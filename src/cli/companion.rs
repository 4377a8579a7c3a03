//! `ccsched`, the companion for one machine: dispatches to the subcommands.

use super::programs::{self, Companion};
use super::{
    bound, compare, export, finish, generate, import_schedule, logging, register, reproduce,
    routes, show, signals, solve, study, topology, trace_plot, tradeoff, verify,
};
use crate::ISLANDS;
use crate::comm::Solo;
use crate::engines::OwnEngine;
use crate::islands::{RankGroup, Threads};
use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;

const PROGRAM: &str = "ccsched";

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
    if let Some(code) = register(PROGRAM, engines) {
        return code;
    }
    let command = Companion::parse_from(words);
    let (verbose, quiet) = match &command {
        Companion::Solve(solve) => (solve.args.verbose, solve.args.quiet),
        Companion::Compare(args) => (0, args.quiet),
        Companion::Reproduce(args) => (0, args.quiet),
        Companion::Routes(_) | Companion::ImportSchedule(_) => (0, false),
        _ => (0, true),
    };
    logging::start(None, verbose, quiet);
    let result = match command {
        Companion::Solve(solve) => {
            let default = if solve.args.engine.engine.is_serial() { 1 } else { ISLANDS };
            let islands = solve.islands.map_or(default, usize::from);
            solve::run(&solve.args, &mut Threads(islands))
        }
        Companion::Compare(args) => compare::run(&args),
        Companion::Study(args) => study::run(&args),
        Companion::Reproduce(args) => reproduce::run(&args, &mut RankGroup::new(&mut Solo)),
        Companion::Bound(args) => bound::run(&args),
        Companion::Tradeoff(args) => tradeoff::run(&args),
        Companion::Routes(args) => routes::run(&args),
        Companion::Topology(args) => topology::run(&args),
        Companion::Verify(args) => verify::run(&args),
        Companion::Trace(args) => trace_plot::run(&args),
        Companion::Show(args) => show::run(&args),
        Companion::Export(args) => export::run(&args),
        Companion::ImportSchedule(args) => import_schedule::run(&args),
        Companion::Generate(args) => generate::run(&args, programs::all()),
    };
    finish(PROGRAM, result)
}
