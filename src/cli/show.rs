//! `ccsched show`: schedules as the papers print them. Nothing is verified.

use super::stdout::stdout;
use super::time_args::TimeArgs;
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
    /// The modelled time, which is printed if one of these options is given
    #[command(flatten)]
    pub time: TimeArgs,
}

/// Prints every file.
///
/// # Errors
/// A file cannot be read.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut out = stdout();
    for (i, path) in args.files.iter().enumerate() {
        let schedule = ScheduleFile::read(path)?;
        let text = fitted(&schedule, terminal::width());
        if i > 0 {
            writeln!(out)?;
        }
        write!(out, "{text}")?;
        if args.time.is_given() {
            writeln!(out, "\n{:.3} us modelled", schedule.time_us(&args.time.model()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
