//! The command lines of the two programs: subcommands, names, help.

use super::commands::Task;
use super::problem_args::ProblemArgs;
use super::settings::Answer;
use super::{face, numbers, screen, solve};
use ccsched_run::islands::FAN_OUT;
use clap::{Arg, ArgAction, Args, ColorChoice, Command, CommandFactory, Id, ValueEnum};
use std::collections::HashSet;
use std::sync::OnceLock;

/// `solve` on the ranks of an MPI job.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct RankedSolve {
    /// The options common to both programs.
    #[command(flatten)]
    pub args: solve::Args,
    /// Masters of exchange groups that report to one master; with 0, all ranks report to rank 0.
    /// Changes the messages, and no result
    #[arg(long, value_name = "N", default_value_t = FAN_OUT, value_parser = numbers::fan_out, help_heading = "Search")]
    pub fan_out: usize,
    /// Print the most useful options and five examples
    #[arg(short = 'h', action = ArgAction::SetTrue, value_parser = Answer("true", screen::ranked), help_heading = "Output")]
    pub screen: String,
    /// Print all options
    #[arg(long, action = ArgAction::HelpLong, help_heading = "Output")]
    pub help: Option<bool>,
}

/// Example command lines of `ccsched-mpi`.
pub const TRY: &str = "\
Try also:
  mpirun -n 8 ccsched-mpi -t heawood -c aas      another network
  mpirun -n 8 ccsched-mpi -t hypercube:3 -c all  all collectives of the papers
  mpirun -n 8 ccsched-mpi -t mesh:4x4 -c oab --source 11 --switching sf
  mpirun -n 8 ccsched-mpi faults sweep --fail-links 1 -t mesh:4x4 -c all
  mpirun -n 8 ccsched-mpi -o schedule.json       save it; ccsched verify schedule.json
  mpirun -n 12 ccsched-mpi replay schedule.json  play it on 12 ranks, one a terminal
  ccsched-mpi --help                             everything else";

/// Advice for the case that `mpirun` refuses to start the ranks.
pub const SLOTS: &str = "\
If mpirun reports too few slots, it allows no more ranks than cores: add
--oversubscribe (Open MPI 4) or --map-by :OVERSUBSCRIBE (Open MPI 5).";

/// Design a conflict-free schedule of a collective communication on all ranks of an MPI job
#[derive(clap::Parser)]
#[command(name = "ccsched-mpi", version, after_help = format!("{TRY}\n\n{SLOTS}"),
          args_conflicts_with_subcommands = true, allow_negative_numbers = true)]
pub struct Optimizer {
    /// The default subcommand's options.
    #[command(flatten)]
    pub solve: RankedSolve,
    /// A subcommand, if one is named.
    #[command(subcommand)]
    pub command: Option<OptimizerCommand>,
}

/// Subcommands of `ccsched-mpi`.
#[derive(clap::Subcommand)]
pub enum OptimizerCommand {
    /// Design a schedule (the default)
    #[command(allow_negative_numbers = true)]
    Solve(Box<RankedSolve>),
    /// Another task of the laboratory.
    #[cfg(feature = "commands")]
    #[command(flatten)]
    Task(Task),
}

impl Optimizer {
    /// The task besides the search for one schedule, if it is one.
    pub fn task(&self) -> Option<&Task> {
        match &self.command {
            #[cfg(feature = "commands")]
            Some(OptimizerCommand::Task(task)) => Some(task),
            Some(OptimizerCommand::Solve(_)) | None => None,
        }
    }

    /// The options of the search for one schedule.
    pub fn search(&self) -> &RankedSolve {
        match &self.command {
            Some(OptimizerCommand::Solve(solve)) => solve,
            _ => &self.solve,
        }
    }
}

/// The option of colours.
pub const COLOR: &str = "color";

/// Options that a subcommand takes with all that pose a problem, and refuses: its help is without them.
const VAIN: [(&str, &[&str]); 1] = [(
    "deploy",
    &[
        "source",
        "senders",
        "receivers",
        "pairs",
        "matrix",
        "permutation",
        "add_up",
        "piece_bytes",
        "pieces",
        "parts",
    ],
)];

/// The headings of the options that pose a problem, which `ccsched help problem` explains.
const POSING: [&str; 2] = ["Problem", "Reading a network"];
/// Those of them that the help of every subcommand has.
const NEAREST: [&str; 2] = ["topology", "collective"];
/// Those that the help of a subcommand has besides, and what one of them is there.
const NEAR: [(&str, &[&str]); 1] =
    [("deploy", &["host_list", "group", "per_node", "routes", "routing"])];
const MEANT: [(&str, &str, &str); 2] = [
    (
        "deploy",
        "collective",
        "Some of alltoall, allgather, reduce-scatter, allreduce, with commas between [default: alltoall]",
    ),
    (
        "deploy",
        "group",
        "Also schedules for communicators of some ranks, as rows and columns of a grid: a file with one a \
         line, `allreduce n[1-4]`",
    ),
];

/// A subcommand whose help leaves to `ccsched help problem` what poses a problem.
fn in_short(command: Command, posing: &HashSet<Id>) -> Command {
    let poses = command.get_arguments().any(|arg| arg.get_id() == "switching" && is_posing(arg));
    if !poses || ["solve", "problem"].contains(&command.get_name()) {
        return command;
    }
    let name = command.get_name().to_string();
    let near = NEAR.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, near)| near);
    let left = |arg: Arg| {
        let id = arg.get_id().as_str();
        let is_near = NEAREST.contains(&id) || near.contains(&id);
        // Options of its own may stand under a heading of those.
        let is_left = is_posing(&arg) && posing.contains(arg.get_id()) && !is_near;
        let meant = MEANT.iter().find(|(of, its, _)| (*of, *its) == (name.as_str(), id));
        let arg = arg.hide_short_help(is_left).hide_long_help(is_left);
        match meant {
            Some((_, _, help)) => arg.help(*help),
            None => arg,
        }
    };
    let more = "What poses the problem (--source, --switching, --ports, --traffic, --routing, ..) and how \
                files of networks are read: ccsched help problem";
    let after = command.get_after_help().map_or(String::new(), |help| format!("{help}\n\n"));
    command.mut_args(left).after_help(format!("{after}{more}"))
}

fn is_posing(arg: &Arg) -> bool {
    arg.get_help_heading().is_some_and(|heading| POSING.contains(&heading))
}

/// A command whose `-h` fits on a screen: the first clause on each option. `--help` has all of it.
fn on_a_screen(command: Command) -> Command {
    let short = |arg: Arg| {
        let Some(full) = arg.get_help().filter(|_| arg.get_long_help().is_none()) else {
            return arg;
        };
        let full = full.to_string();
        match first_clause(&full) {
            Some(first) => {
                let default = full.rfind(" [default:").map_or("", |at| &full[at..]);
                arg.help(format!("{first}{default}")).long_help(full)
            }
            None => arg,
        }
    };
    command.mut_args(short)
}

/// The words before the first semicolon or full stop, and the default; none if there are no others.
fn first_clause(text: &str) -> Option<&str> {
    let mut depth = 0;
    let ends = text.char_indices().find(|&(i, c)| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        depth == 0 && (c == ';' || c == '.') && text[i + 1..].starts_with(' ')
    });
    ends.map(|(i, _)| &text[..i])
}

/// The help of a subcommand of a program whose own help has two lengths: that takes the usual one from all
/// of them.
fn with_help(subcommand: Command) -> Command {
    let has_own = subcommand.get_arguments().any(|arg| arg.get_long() == Some("help"));
    match subcommand.is_disable_help_flag_set() || has_own {
        true => subcommand,
        false => subcommand.arg(
            Arg::new("help")
                .short('h')
                .long("help")
                .action(ArgAction::Help)
                .help("Print help")
                .help_heading("Output"),
        ),
    }
}

/// A command whose subcommands, and theirs, are changed.
fn deep(command: Command, change: &impl Fn(Command) -> Command) -> Command {
    command.mut_subcommands(|subcommand| deep(change(subcommand), change))
}

/// A program with the options of all its subcommands.
pub fn dressed(program: Command) -> Command {
    let program = VAIN.iter().fold(program, |program, (name, vain)| {
        if program.find_subcommand(name).is_none() {
            return program;
        }
        program.mut_subcommand(name, |command| {
            vain.iter().fold(command, |command, arg| command.mut_arg(arg, |arg| arg.hide(true)))
        })
    });
    let posing = ProblemArgs::augment_args(Command::new("problem"));
    let posing = posing.get_arguments().map(|arg| arg.get_id().clone()).collect();
    let program = deep(program, &|command| in_short(command, &posing));
    let below = |arg: Arg| match arg.get_long().is_some_and(face::is_below) {
        true => arg.hide(true),
        false => arg,
    };
    let program = deep(program.mut_args(below), &|command| match command.get_name() {
        // Its options are others.
        "replay" => command,
        _ => command.mut_args(below),
    });
    let program = deep(program, &|command| match command.get_name() {
        "solve" | "problem" => command,
        _ => on_a_screen(command),
    });
    let program = match program.is_disable_help_flag_set() {
        true => deep(program, &with_help),
        false => program,
    };
    let choices = ColorChoice::value_variants().iter().filter_map(ColorChoice::to_possible_value);
    program.arg(
        Arg::new(COLOR)
            .long(COLOR)
            .global(true)
            .value_name("WHEN")
            .value_parser(choices.collect::<Vec<_>>())
            .help("Colours of messages; auto heeds NO_COLOR [default: auto]")
            .help_heading("Output"),
    )
}

/// The commit of the program.
static COMMIT: OnceLock<&str> = OnceLock::new();

/// Says of which commit the program is built, for its long version. The library does not know, so
/// that it is not compiled again for it.
pub fn built_of(commit: Option<&'static str>) {
    if let Some(commit) = commit.filter(|commit| !commit.is_empty()) {
        let _ = COMMIT.set(commit);
    }
}

/// The long version of a program: commit, if it is known, and MPI library.
pub(super) fn version(mpi: &str) -> String {
    let commit = COMMIT.get().unwrap_or(&"unknown");
    format!("{}\ncommit: {commit}\nMPI: {mpi}", env!("CARGO_PKG_VERSION"))
}

/// The command lines of both programs.
pub(super) fn known() -> Vec<Command> {
    let companion = super::commands::program();
    companion.into_iter().chain([Optimizer::command()]).collect()
}

/// The command lines of the programs in this build.
pub fn all() -> Vec<Command> {
    let mut programs = known();
    if !cfg!(feature = "mpi") {
        programs.pop();
    }
    programs.into_iter().map(dressed).collect()
}

#[cfg(all(test, feature = "commands"))]
mod tests {
    use super::*;
    use crate::commands::Companion;
    use clap::error::ErrorKind;

    /// The words that lead to a command, and to those below it.
    fn paths(command: &Command, above: &[String]) -> Vec<Vec<String>> {
        let below = command.get_subcommands().flat_map(|subcommand| {
            let path = [above, &[subcommand.get_name().to_string()]].concat();
            let further = paths(subcommand, &path);
            std::iter::once(path).chain(further).collect::<Vec<_>>()
        });
        below.collect()
    }

    #[test]
    fn every_subcommand_has_its_help() {
        for program in [Companion::command(), Optimizer::command()] {
            for path in paths(&program, &[program.get_name().to_string()]) {
                for flag in ["-h", "--help"] {
                    let words = [&path[..], &[flag.to_string()]].concat();
                    let error = dressed(program.clone()).try_get_matches_from(&words).unwrap_err();
                    // Those of `solve` are answers of their own.
                    let is_help = error.kind() == ErrorKind::DisplayHelp || path[1] == "solve";
                    assert!(is_help && error.exit_code() == 0, "{words:?}: {error}");
                }
            }
        }
    }
}
