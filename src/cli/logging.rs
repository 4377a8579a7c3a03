//! Log lines on the standard error: rank if there are several, level, text.

use crate::schedule::printable::printable_lines;
use std::io::{IsTerminal, Write};

/// Starts logging, for one of several ranks. `RUST_LOG` overrides the level; `verbose` counts the
/// `-v`, `quiet` is `-q`. On a terminal, the contents of the progress line are not logged.
pub fn start(rank: Option<usize>, verbose: u8, quiet: bool) {
    let level = match (quiet, verbose) {
        (true, _) => "warn",
        (_, 0) if std::io::stderr().is_terminal() => "warn",
        (_, 0) => "info",
        (_, 1) => "debug",
        _ => "trace",
    };
    let environment = env_logger::Env::default().default_filter_or(format!("ccsched={level}"));
    let mut builder = env_logger::Builder::from_env(environment);
    let rank = rank.map_or(String::new(), |rank| format!("[rank {rank}] "));
    builder.format(move |out, record| {
        let (level, text) = (record.level().as_str().to_lowercase(), record.args().to_string());
        writeln!(out, "{rank}{level}: {}", printable_lines(&text))
    });
    // A second start in one process (tests) keeps the first.
    let _ = builder.try_init();
}
