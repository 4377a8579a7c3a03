//! Log lines: level, rank, text, on standard error.

use std::io::{IsTerminal, Write};

/// Starts logging for one rank. `RUST_LOG` has the last word; without it `verbose` counts the `-v`,
/// `quiet` is `-q`, and what the progress line shows is not logged on a terminal.
pub fn start(rank: usize, verbose: u8, quiet: bool) {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (_, 0) if std::io::stderr().is_terminal() => "warn",
        (_, 0) => "info",
        (_, 1) => "debug",
        _ => "trace",
    };
    let environment = env_logger::Env::default().default_filter_or(format!("ccsched={level}"));
    let mut builder = env_logger::Builder::from_env(environment);
    builder.format(move |out, record| {
        writeln!(out, "[rank {rank}] {}: {}", record.level().as_str().to_lowercase(), record.args())
    });
    // A second start in one process (tests) keeps the first.
    let _ = builder.try_init();
}
