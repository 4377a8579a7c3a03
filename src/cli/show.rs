//! `ccsched show`: schedules as the papers print them. Nothing is verified.

use super::stdout::stdout;
use super::{dash, terminal};
use crate::schedule::ScheduleFile;
use crate::show::fitted;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `show`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Schedule files; - is the standard input
    #[arg(value_name = "FILE", required = true, value_parser = dash::input)]
    pub files: Vec<PathBuf>,
}

/// Prints every file.
///
/// # Errors
/// A file cannot be read.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut out = stdout();
    for (i, path) in args.files.iter().enumerate() {
        let file = ScheduleFile::read(path)?;
        if let Some(name) = file.unprintable() {
            anyhow::bail!(
                "{}: the name {name:?} contains characters that a terminal executes or hides; \
                 rename it",
                path.display()
            );
        }
        let text = fitted(&file, terminal::width());
        if i > 0 {
            writeln!(out)?;
        }
        write!(out, "{text}")?;
    }
    Ok(ExitCode::SUCCESS)
}
