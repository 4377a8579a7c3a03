//! `ccsched import`: a schedule of another program becomes a schedule file, if `verify`
//! accepts it. If it does not, the other rules under which it would are named.

use super::verify::summary;
use crate::own_files::Inputs;
use crate::problem_args::ProblemArgs;
use crate::stdout;
use crate::{NOT_FOUND, dash};
use anyhow::Context;
use ccsched_base::Result;
use ccsched_bounds as bounds;
use ccsched_model::problem::{Problem, Request, Routing, Switching};
use ccsched_model::schedule::ScheduleFile;
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::printable::printable;
use ccsched_tools::import::{self, Imported, Source};
use ccsched_verify::{Violation, verify};
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
    /// What it is a schedule of; the collective is that of an MSCCL XML file, if it is not named
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
    let [asked] = args.problem.collective.0[..] else {
        anyhow::bail!("--collective all: a schedule is of one collective; name it");
    };
    let source = Source::open(&args.file)?;
    let own = source.collective().filter(|_| args.problem.collective.is_default());
    let collective = own.unwrap_or(asked);
    let (network, faults) = args.problem.network()?;
    let request = args.problem.request(collective, &network)?;
    let problem = request.pose(network, faults)?;
    let read = match read(&source, &problem) {
        Ok(read) => read,
        Err(error) => {
            let error = anyhow::Error::from(error);
            return Err(match accepting(&source, &problem) {
                Some(hint) => anyhow::anyhow!("{}; {hint}", crate::flagged(&error)),
                None => error,
            });
        }
    };
    let mut out = stdout::text();
    let name = args.file.display().to_string();
    let name = printable(&name);
    for (line, why) in &read.imported.warnings {
        log::warn!("{name}:{line}: {}", printable(why));
    }
    for violation in &read.violations {
        match line(violation, &read.imported.lines) {
            Some(line) => writeln!(out, "{name}:{line}: {violation}")?,
            None => writeln!(out, "{name}: {violation}")?,
        }
    }
    if !read.violations.is_empty() {
        if let Some(hint) = accepting(&source, &problem) {
            writeln!(out, "{name}: {hint}")?;
        }
        return Ok(ExitCode::from(NOT_FOUND));
    }
    let schedule = &read.schedule;
    let is_printed = args.output.as_deref().is_some_and(dash::is_stdout);
    if let Some(path) = &args.output {
        dash::write_with(path, |out| schedule.write_for(path, out)).context("--output")?;
    }
    if !is_printed {
        let chunks = read.imported.chunks;
        let several = match schedule.model.pieces {
            _ if chunks == 1 => String::new(),
            None => format!(", {chunks} chunks a message"),
            Some(_) => format!(", {chunks} chunks a message, each a piece (--pieces {chunks})"),
        };
        writeln!(out, "{name}: valid: {}{several}", summary(schedule))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A schedule as it was read, and what `verify` says.
struct Read {
    imported: Imported,
    schedule: ScheduleFile,
    violations: Vec<Violation>,
}

/// Reads and checks a schedule of a problem.
fn read(source: &Source, problem: &Problem) -> Result<Read> {
    let imported = source.read(problem)?;
    let problem = imported.posed.as_ref().unwrap_or(problem);
    let provenance = Provenance::new("import", "", 0, 0, []);
    let is_timed = !imported.starts.is_empty();
    let of_steps = if is_timed { vec![] } else { bounds::all(problem) };
    let plan = match is_timed {
        true => {
            let lengths = problem.lengths().unwrap_or_default();
            imported.plan.clone().timed(imported.starts.clone(), lengths)
        }
        false => imported.plan.clone(),
    };
    let mut schedule = plan.record(problem, &of_steps, provenance);
    if problem.holds_whole_paths() && (is_timed || problem.has_different_lengths()) {
        let quick = bounds::bytes::quick(problem, is_timed);
        let of_bytes = bounds::bytes::all(problem, quick, is_timed, &|| false);
        schedule = schedule.with_byte_bounds(problem, &of_bytes);
    }
    let violations = verify(&schedule);
    Ok(Read { imported, schedule, violations })
}

/// The options with which the schedule is valid, of those that allow messages to be forwarded, and
/// longer paths.
fn accepting(source: &Source, problem: &Problem) -> Option<String> {
    if problem.has_fixed_routes() {
        return None;
    }
    use Switching::{Hosts, StoreAndForward, Wormhole};
    let switchings = [problem.asked_switching(), StoreAndForward, Wormhole, Hosts];
    let own = problem.routing();
    let routings = [own, Routing::Slack(1), Routing::Slack(2), Routing::Slack(4), Routing::Any];
    let rules = routings.into_iter().flat_map(|r| switchings.map(|s| (s, r))).skip(1);
    let is_valid = |(switching, routing): &(Switching, Routing)| {
        let request =
            Request { switching: *switching, routing: *routing, ..problem.request().clone() };
        let posed = request.pose(problem.asked_network().into_owned(), problem.faults().to_vec());
        posed.and_then(|posed| read(source, &posed)).is_ok_and(|read| read.violations.is_empty())
    };
    let (switching, routing) = rules.into_iter().find(is_valid)?;
    let switching = match switching {
        other if other == problem.asked_switching() => "",
        Switching::StoreAndForward => " --switching sf",
        Switching::Wormhole => " --switching wh",
        Switching::Hosts => " --switching hosts",
    };
    let routing = match routing {
        other if other == problem.routing() => String::new(),
        other => format!(" --routing {other}"),
    };
    Some(format!("it is valid with{switching}{routing}"))
}

/// The line of the first transfer at fault.
fn line(violation: &Violation, lines: &[Vec<usize>]) -> Option<usize> {
    let first = violation.transfers.first()?;
    lines.get(first.step)?.get(first.index).copied()
}
