//! `ccsched show`: schedules as the papers print them. Nothing is verified.

use super::stdout::stdout;
use crate::schedule::ScheduleFile;
use crate::show::schedule;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `show`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Schedule files.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// Prints every file.
///
/// # Errors
/// A file cannot be read.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut out = stdout();
    for (i, path) in args.files.iter().enumerate() {
        let text = schedule(&ScheduleFile::read(path)?);
        if i > 0 {
            writeln!(out)?;
        }
        write!(out, "{text}")?;
    }
    Ok(ExitCode::SUCCESS)
}
