//! The companion for one machine: only wires the subcommands.

use ccsched::ISLANDS;
use ccsched::cli::{
    bound, compare, finish, logging, numbers, show, solve, study, topology, trace_plot, verify,
};
use ccsched::islands::Threads;
use clap::Parser;
use std::process::ExitCode;

/// Conflict-free schedules of collective communications
#[derive(Parser)]
#[command(version)]
enum Command {
    /// Design a schedule
    #[command(allow_negative_numbers = true)]
    Solve(Box<Solve>),
    /// Compare configurations of engines by many runs of each
    #[command(allow_negative_numbers = true)]
    Compare(Box<compare::Args>),
    /// Repeat a study of the literature
    #[command(allow_negative_numbers = true)]
    Study(study::Args),
    /// List the lower bounds on the number of steps
    #[command(allow_negative_numbers = true)]
    Bound(Box<bound::Args>),
    /// Describe a network, or save it as a TOML file
    Topology(topology::Args),
    /// Check schedule files
    Verify(verify::Args),
    /// Draw how a search went, from what `solve --trace` has saved
    Trace(trace_plot::Args),
    /// Print schedules as tables and trees
    Show(show::Args),
}

#[derive(clap::Args)]
struct Solve {
    #[command(flatten)]
    args: solve::Args,
    /// Islands that search side by side, each on a thread [default: 4; 1 for serial engines]
    #[arg(long, value_parser = numbers::islands)]
    islands: Option<u16>,
}

fn main() -> ExitCode {
    let result = match Command::parse() {
        Command::Solve(solve) => {
            let serial = solve.args.engine.engine().is_ok_and(|engine| engine.is_serial());
            let islands = solve.islands.map_or(if serial { 1 } else { ISLANDS }, usize::from);
            logging::start(None, solve.args.verbose, solve.args.quiet);
            solve::run(&solve.args, &mut Threads(islands))
        }
        Command::Compare(args) => {
            logging::start(None, 0, args.quiet);
            compare::run(&args)
        }
        Command::Study(args) => study::run(&args),
        Command::Bound(args) => bound::run(&args),
        Command::Topology(args) => topology::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Trace(args) => trace_plot::run(&args),
        Command::Show(args) => show::run(&args),
    };
    finish("ccsched", result)
}
