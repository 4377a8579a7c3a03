//! The command line: one file per subcommand; `main` dispatches to them.

// What only the subcommands use.
#![cfg_attr(not(feature = "commands"), allow(dead_code))]

mod best;
mod checkpoint;

#[cfg(feature = "commands")]
pub mod commands;
#[cfg(not(feature = "commands"))]
#[path = "commands/none.rs"]
pub mod commands;
mod dash;
mod engine_args;
mod exchange_args;
mod exported;
mod face;
mod launcher;
pub mod logging;
mod meant;
mod named;
pub mod numbers;
mod objective;
#[cfg(feature = "mpi")]
mod optimizer;
mod own_files;
pub mod parse;
mod phase;
mod pipe;
mod problem_args;
pub mod programs;
mod progress;
mod renamed;
mod report;
mod report_sized;
mod rules;
mod screen;
mod settings;
pub mod signals;
mod sizes;
pub mod solve;
pub mod stdout;
mod terminal;
mod time_args;
pub mod trace;
mod wall_time;

#[cfg(feature = "commands")]
pub use commands::{posing, run, run_from, trace_plot};
#[cfg(feature = "mpi")]
pub use optimizer::{run_ranks, run_ranks_from};

use ccsched_base::Error;
use ccsched_engines::{Engine, EngineRow};
use std::process::ExitCode;
use stdout::Unprinted;

/// Exit status of a schedule that was not found or not valid.
pub const NOT_FOUND: u8 = 1;
/// Exit status of wrong input.
pub const WRONG_INPUT: u8 = 2;
/// Exit status of an interrupted run.
pub const INTERRUPTED: u8 = 3;
/// The run was interrupted before there was anything to save.
#[derive(Debug, thiserror::Error)]
#[error("interrupted before there was a schedule; nothing is saved")]
struct Interrupted;

/// Exit status of a run one of whose outputs could not be written.
pub const NOT_SAVED: u8 = 4;
/// Exit status of a run that ended because all islands had panicked.
pub const FAILED: u8 = 70;

/// Registers the engines of another crate; the exit status if one cannot be.
fn register(engines: &[&'static EngineRow]) -> Option<ExitCode> {
    let why = engines.iter().find_map(|engine| Engine::register(engine).err())?;
    Some(finish(Err(why.into())))
}

/// The exit status of a subcommand; an error is printed, with nothing in it that a terminal executes.
pub fn finish(result: anyhow::Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        logging::error(&flagged(&error));
        let status = match error.is::<Interrupted>() {
            true => INTERRUPTED,
            false if error.chain().any(is_of_writing) => NOT_SAVED,
            false => WRONG_INPUT,
        };
        ExitCode::from(status)
    })
}

/// Whether an output could not be written, though its name was right.
fn is_of_writing(cause: &(dyn std::error::Error + 'static)) -> bool {
    let inner = cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    inner.is_some_and(|inner| inner.is::<Unprinted>())
        || matches!(cause.downcast_ref(), Some(Error::Unwritten { .. }))
}

/// An error with all its causes. A field that the library names becomes a flag.
pub fn flagged(error: &anyhow::Error) -> String {
    let said = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<Error>() {
        // Processes are the hosts of that list.
        Some(Error::Field { field: "processes", why }) => format!("--host-list: {why}"),
        Some(Error::Field { field, why }) => format!("--{}: {why}", field.replace('_', "-")),
        _ => cause.to_string(),
    };
    face::as_written(&error.chain().map(said).collect::<Vec<_>>().join(": "))
}
