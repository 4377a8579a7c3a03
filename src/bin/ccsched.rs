//! The companion for one machine.

use clap::Parser;
use std::process::ExitCode;

#[derive(Parser)]
#[command(version, about)]
enum Command {
    Topology(ccsched::cli::topology::Args),
}

fn main() -> ExitCode {
    let Command::Topology(args) = Command::parse();
    ccsched::cli::topology::run(&args).unwrap_or_else(|e| {
        eprintln!("ccsched: {e:#}");
        ExitCode::from(2)
    })
}
