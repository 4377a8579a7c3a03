//! Log lines on the standard error: rank if there are several, level, text. They go above a progress
//! line; with `--progress json` each is a line of JSON as well.

use anstream::ColorChoice;
use ccsched_model::schedule::printable::printable_lines;
use indicatif::ProgressBar;
use std::io::{IsTerminal, Result, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The progress line on the terminal, if there is one.
static LINE: Mutex<Option<ProgressBar>> = Mutex::new(None);
/// Whether the standard error takes nothing but JSON.
static JSON: AtomicBool = AtomicBool::new(false);

/// What is logged, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Voice {
    /// The number of `-v`.
    pub verbose: u8,
    /// `-q`.
    pub quiet: bool,
    /// Whether the standard error takes nothing but JSON.
    pub json: bool,
}

impl Voice {
    /// Only warnings, or not.
    pub fn quiet(quiet: bool) -> Self {
        Voice { quiet, ..Voice::default() }
    }
}

/// Starts logging, for one of several ranks. `RUST_LOG` overrides the level. On a terminal, the
/// contents of the progress line are not logged.
pub fn start(rank: Option<usize>, voice: Voice) {
    let Voice { verbose, quiet, json } = voice;
    JSON.store(json, Relaxed);
    let level = match (quiet, verbose) {
        (true, _) => "warn",
        (_, 0) if stderr().is_terminal() => "warn",
        (_, 0) => "info",
        (_, 1) => "debug",
        _ => "trace",
    };
    let environment = env_logger::Env::default().default_filter_or(format!("ccsched={level}"));
    let mut builder = env_logger::Builder::from_env(environment);
    builder.target(env_logger::Target::Pipe(Box::new(Above)));
    builder.format(move |out, record| {
        let level = record.level().as_str().to_lowercase();
        writeln!(out, "{}", said(rank, &level, &record.args().to_string()))
    });
    // A second start in one process (tests) keeps the first.
    let _ = builder.try_init();
    super::face::tell();
}

/// Log lines go above this progress line, until there is another or none.
pub fn beside(line: Option<ProgressBar>) {
    *LINE.lock().unwrap_or_else(PoisonError::into_inner) = line;
}

/// The colours of this process, from now on.
pub fn paint(choice: clap::ColorChoice) {
    match choice {
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    }
    .write_global();
}

/// Prints the error that ends the program, in the style of the command line's own errors.
pub fn error(text: &str) {
    let _ = writeln!(Above, "{}", said(None, "error", text));
}

/// A line of the log, or of JSON. Nothing in it is executed by a terminal.
fn said(rank: Option<usize>, level: &str, text: &str) -> String {
    if JSON.load(Relaxed) {
        let mut line = serde_json::json!({ "level": level, "message": text });
        if let Some(rank) = rank {
            line["rank"] = rank.into();
        }
        return line.to_string();
    }
    let rank = rank.map_or(String::new(), |rank| format!("[rank {rank}] "));
    // Bold red and yellow, as the command line's own errors and warnings.
    let (begin, end) = match level {
        "error" => ("\x1b[1;31m", "\x1b[0m"),
        "warn" => ("\x1b[1;33m", "\x1b[0m"),
        _ => ("", ""),
    };
    format!("{rank}{begin}{level}:{end} {}", printable_lines(text))
}

/// The standard error above the progress line.
struct Above;

impl Write for Above {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        let line = LINE.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let print = || anstream::AutoStream::auto(stderr()).lock().write_all(bytes);
        line.map_or_else(print, |line| line.suspend(print))
    }

    fn flush(&mut self) -> Result<()> {
        stderr().flush()
    }
}
