//! The companion for one machine: dispatches to the subcommands.

use ccsched::ISLANDS;
use ccsched::cli::programs::{self, Companion};
use ccsched::cli::{
    bound, compare, export, finish, generate, import_schedule, logging, reproduce, routes, show,
    signals, solve, study, topology, trace_plot, tradeoff, verify,
};
use ccsched::comm::Solo;
use ccsched::islands::{RankGroup, Threads};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::survive_long_files();
    let command = Companion::parse();
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
    finish("ccsched", result)
}
