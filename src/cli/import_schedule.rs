//! `ccsched import-schedule`: a schedule of another program becomes a schedule file, if `verify`
//! accepts it.

use super::own_files::Inputs;
use super::problem_args::ProblemArgs;
use super::stdout::stdout;
use super::verify::summary;
use super::{NOT_FOUND, dash};
use crate::bounds;
use crate::import;
use crate::schedule::file::Provenance;
use crate::schedule::printable::printable;
use crate::verify::{Violation, verify};
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Read and check a schedule of another program, and save it as a schedule file
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = format!("Formats, told apart by their content: {}", import::names()))]
pub struct Args {
    /// The schedule; - is the standard input
    #[arg(value_name = "FILE", value_parser = dash::input)]
    pub file: PathBuf,
    /// What it is a schedule of
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Save it as a schedule file; - is the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Checks the schedule; exit status 1 if it violates a rule, and then nothing is saved.
///
/// # Errors
/// Wrong input: the problem, or lines of the file.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.output.as_deref().map_or(Ok(()), dash::check_writable).context("--output")?;
    let inputs = Inputs::problem(&args.problem).with("the command", Some(&args.file));
    args.output.as_deref().map_or(Ok(()), |path| inputs.refuse("--output", path))?;
    let [collective] = args.problem.collective.0[..] else {
        anyhow::bail!("--collective all: a schedule is of one collective; name it");
    };
    let (network, faults) = args.problem.network()?;
    let request = args.problem.request(collective, &network)?;
    let problem = request.pose(network, faults)?;
    let imported = import::read(&args.file, &problem)?;
    let provenance = Provenance::new("import", "", 0, 0, []);
    let schedule = imported.plan.record(&problem, &bounds::all(&problem), provenance);
    let mut out = stdout();
    let name = args.file.display().to_string();
    let name = printable(&name);
    let violations = verify(&schedule);
    for violation in &violations {
        match line(violation, &imported.lines) {
            Some(line) => writeln!(out, "{name}:{line}: {violation}")?,
            None => writeln!(out, "{name}: {violation}")?,
        }
    }
    if !violations.is_empty() {
        return Ok(ExitCode::from(NOT_FOUND));
    }
    let is_printed = args.output.as_deref().is_some_and(dash::is_stdout);
    if let Some(path) = &args.output {
        dash::write_with(path, |out| schedule.write_for(path, out)).context("--output")?;
    }
    if !is_printed {
        writeln!(out, "{name}: valid: {}", summary(&schedule))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The line of the first transfer at fault.
fn line(violation: &Violation, lines: &[Vec<usize>]) -> Option<usize> {
    let first = violation.transfers.first()?;
    lines.get(first.step)?.get(first.index).copied()
}
