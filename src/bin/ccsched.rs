//! The companion for one machine: only wires the subcommands.

use ccsched::cli::{show, verify};
use clap::Parser;
use std::process::ExitCode;

/// Conflict-free schedules of collective communications.
#[derive(Parser)]
#[command(version)]
enum Command {
    /// Check schedule files.
    Verify(verify::Args),
    /// Print schedules as tables and trees.
    Show(show::Args),
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Verify(args) => verify::run(&args),
        Command::Show(args) => show::run(&args),
    };
    done.unwrap_or_else(|e| {
        // `ccsched show FILE | head` is no error.
        let pipe = e.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        if pipe == Some(std::io::ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        eprintln!("error: {e:#}");
        ExitCode::from(2)
    })
}
