//! The companion for one machine: only wires the subcommands.

use ccsched::cli::programs::Companion;
use ccsched::cli::{
    bound, compare, finish, generate, logging, show, solve, study, topology, trace_plot, verify,
};
use ccsched::islands::Threads;
use clap::Parser;
use std::process::ExitCode;

/// Islands of engines that can have several.
const ISLANDS: u16 = 4;

fn main() -> ExitCode {
    let result = match Companion::parse() {
        Companion::Solve(solve) => {
            let serial = solve.args.engine.is_serial();
            let islands = solve.islands.unwrap_or(if serial { 1 } else { ISLANDS });
            logging::start(None, solve.args.verbose, solve.args.quiet);
            solve::run(&solve.args, &mut Threads(islands.into()))
        }
        Companion::Compare(args) => {
            logging::start(None, 0, args.quiet);
            compare::run(&args)
        }
        Companion::Study(args) => study::run(&args),
        Companion::Bound(args) => bound::run(&args),
        Companion::Topology(args) => topology::run(&args),
        Companion::Verify(args) => verify::run(&args),
        Companion::Trace(args) => trace_plot::run(&args),
        Companion::Show(args) => show::run(&args),
        Companion::Generate(args) => generate::run(&args),
    };
    finish("ccsched", result)
}
