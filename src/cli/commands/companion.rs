//! `ccsched`, the companion for one machine: dispatches to the subcommands.

use super::{
    book, bound, compare, deploy, export, faults, generate, import_schedule, repair, reproduce,
    routes, show, topology, tradeoff, verify,
};
use crate::logging::Voice;
use crate::parse::parse;
use crate::programs;
use crate::settings::Answer;
use crate::{finish, launcher, logging, numbers, problem_args, register, screen, signals, solve};
use ccsched_engines::EngineRow;
use ccsched_run::ISLANDS;
use ccsched_run::comm::Solo;
use ccsched_run::islands::{RankGroup, Threads, fitting_islands};
use clap::ArgAction;
use std::ffi::OsString;
use std::process::ExitCode;

/// Conflict-free schedules of collective communications
#[derive(clap::Parser)]
#[command(name = "ccsched", version)]
pub enum Companion {
    /// Design a schedule
    #[command(allow_negative_numbers = true)]
    Solve(Box<Solve>),
    /// Compare configurations of engines by many runs of each
    #[command(allow_negative_numbers = true)]
    Compare(Box<compare::Args>),
    /// Reproduce the tables and figures of the papers, next to print
    #[command(allow_negative_numbers = true)]
    Reproduce(Box<reproduce::Args>),
    /// List the lower bounds on the number of steps
    #[command(allow_negative_numbers = true)]
    Bound(Box<bound::Args>),
    /// Find which number of pieces, steps and rounds is the fastest for which length of messages
    #[command(allow_negative_numbers = true)]
    Tradeoff(Box<tradeoff::Args>),
    /// Compare the routings of a network, and save the best table of routes
    Routes(Box<routes::Args>),
    /// Write all that a job needs to run its collectives by the fastest way: a library to preload, scripts that
    /// measure and start, schedules, predicted times
    #[command(allow_negative_numbers = true)]
    Deploy(Box<deploy::Args>),
    /// Describe a network, draw it, save it as a TOML file; compare several networks
    #[command(allow_negative_numbers = true)]
    Topology(Box<topology::Args>),
    /// Check schedule files, or say what differs between two
    Verify(verify::Args),
    /// What broken links and vertices leave: samples, sweeps over all sets of faults, books of repairs
    #[command(subcommand)]
    Faults(faults::OfOne),
    /// Make the schedule of a changed network from an old one, with few changes
    #[command(allow_negative_numbers = true)]
    Repair(Box<repair::Args>),
    /// Show schedules: tables, trees, paths, the use of links, pictures; draw the progress of a search
    Show(show::Args),
    /// Write a schedule in the format of another program
    Export(export::Args),
    /// Read and check a schedule of another program, and save it as a schedule file
    Import(Box<import_schedule::Args>),
    /// The options that pose a problem, which most subcommands take: `ccsched help problem`
    #[command(hide = true)]
    Problem(Box<problem_args::Page>),
    /// Write man pages and shell completions into a folder
    #[command(hide = true)]
    Generate(generate::Args),
}

/// `solve` on the threads of one machine.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Solve {
    /// The options common to both programs.
    #[command(flatten)]
    pub args: solve::Args,
    /// Islands that search in parallel, each on a thread [default: 4; 1 for serial engines]
    #[arg(long, value_name = "N", value_parser = numbers::islands, help_heading = "Search")]
    pub islands: Option<u16>,
    /// Print the most useful options and five examples
    #[arg(short = 'h', action = ArgAction::SetTrue, value_parser = Answer("true", screen::solve), help_heading = "Output")]
    pub screen: String,
    /// Print all options
    #[arg(long, action = ArgAction::HelpLong, help_heading = "Output")]
    pub help: Option<bool>,
}

/// The program `ccsched` with engines of another crate beside its own: its main function.
pub fn run(engines: &[&'static EngineRow]) -> ExitCode {
    run_from(std::env::args_os(), engines)
}

/// The same for a command line, which begins with the name of the program.
pub fn run_from(
    words: impl IntoIterator<Item = OsString>,
    engines: &[&'static EngineRow],
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
        Companion::Faults(faults::OfOne::Both(faults)) => faults.voice(),
        Companion::Routes(_) | Companion::Import(_) => Voice::quiet(false),
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
        Companion::Reproduce(args) => reproduce::run(&args, &mut RankGroup::new(&mut Solo)),
        Companion::Bound(args) => bound::run(&args),
        Companion::Tradeoff(args) => tradeoff::run(&args),
        Companion::Routes(args) => routes::run(&args),
        Companion::Deploy(args) => deploy::run(&args),
        Companion::Topology(args) => topology::run(&args),
        Companion::Verify(args) => verify::run(&args),
        Companion::Repair(args) => repair::run(&args),
        Companion::Faults(faults::OfOne::Both(faults)) => {
            faults.lead(&mut RankGroup::new(&mut Solo))
        }
        Companion::Faults(faults::OfOne::Lookup(args)) => book::run(&args),
        Companion::Show(args) => show::run(&args),
        Companion::Export(args) => export::run(&args),
        Companion::Import(args) => import_schedule::run(&args),
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
            | C::Reproduce(_)
            | C::Tradeoff(_)
            | C::Routes(_)
            | C::Deploy(_)
            | C::Faults(faults::OfOne::Both(_))
            | C::Repair(_)
    )
}
