//! `ccsched verify`: prints one line for a valid schedule file, else its violations.

use super::{claimed, diff};
use crate::signals::interrupted;
use crate::stdout;
use crate::{dash, logging, numbers, rules, sizes};
use ccsched_base::counted::counted;
use ccsched_model::schedule::ScheduleFile;
use ccsched_model::schedule::file::BoundRecord;
use ccsched_model::schedule::printable::{printable, quoted};
use ccsched_run::islands::{Limits, StopCondition, memory};
use ccsched_verify::{Proof, verify, verify_proof};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Options of `verify`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Schedule files; - is the standard input
    #[arg(value_name = "FILE", required = true, value_parser = dash::input)]
    pub files: Vec<PathBuf>,
    /// Check the refutation of fewer steps that `solve --proof` has written to this folder
    #[arg(long, value_name = "DIR")]
    pub proof: Option<PathBuf>,
    /// Give a refutation up after this time: 90s, 10m, 1h30m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds, requires = "proof")]
    pub time_limit: Option<f64>,
    /// Give it up when the program uses more memory: 500M, 4G [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = sizes::size, requires = "proof")]
    pub memory: Option<u64>,
    /// Say which messages have other transfers in the second of two files, in place of checking them;
    /// exit status 1 if any have
    #[arg(long, conflicts_with = "proof")]
    pub diff: bool,
    /// Count the changes of every vertex, step or link instead of listing the messages
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "json", requires = "diff")]
    pub by: Option<diff::By>,
    /// Print one line of JSON for each file; with --diff one line
    #[arg(long)]
    pub json: bool,
}

/// The line of `--json`. Its keys are a public interface.
#[derive(serde::Serialize)]
struct Line<'a> {
    file: &'a str,
    valid: bool,
    violations: Vec<String>,
    topology: &'a str,
    collective: String,
    steps: usize,
    /// The largest certified bound of the file, and its name.
    lower_bound: Option<u32>,
    bound: Option<&'a str>,
    /// Where messages have lengths: the bytes that pass one channel meanwhile, and the bound on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound_bytes: Option<u64>,
    optimal: bool,
    /// Whether the refutation of `--proof` follows, and why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_proof: Option<String>,
}

impl<'a> Line<'a> {
    fn of(name: &'a str, file: &'a ScheduleFile, violations: Vec<String>) -> Self {
        let (steps, bound) = (file.steps.len(), largest(file, true));
        let in_bytes = largest_in_bytes(file);
        let valid = violations.is_empty();
        Line {
            file: name,
            valid,
            violations,
            topology: &file.network.name,
            collective: file.model.collective.to_string(),
            steps,
            lower_bound: bound.map(|b| b.steps),
            bound: bound.map(|b| &*b.name),
            bytes: file.span(),
            lower_bound_bytes: in_bytes.map(|(bytes, _)| bytes),
            optimal: valid
                && match file.is_timed() {
                    true => in_bytes.is_some_and(|(bytes, _)| Some(bytes) == file.span()),
                    false => bound.is_some_and(|b| b.steps as usize == steps),
                },
            proof: None,
            no_proof: None,
        }
    }
}

/// Checks every file; exit status 1 if one of them violates a rule.
///
/// # Errors
/// A file cannot be read; the others are still checked.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.diff {
        let [old, new] = &args.files[..] else {
            anyhow::bail!("--diff: name two files, OLD NEW, not {}", args.files.len());
        };
        return diff::run([old, new], args.by, args.json);
    }
    let mut out = stdout::text();
    let mut code = ExitCode::SUCCESS;
    let mut unreadable = Vec::new();
    // An interrupt ends the program at once: it has nothing to save.
    let time = args.time_limit.map(Duration::from_secs_f64);
    let limits = Limits { time, ..Limits::default() };
    let stop =
        StopCondition::of(limits, interrupted()).with_memory(args.memory.or_else(memory::most));
    let limit = || stop.cuts().map(|why| why.words().to_string());
    for path in &args.files {
        let path_name = path.display().to_string();
        let name = printable(&path_name);
        let file = match ScheduleFile::read(path) {
            Ok(file) => file,
            Err(e) => {
                unreadable.push(e.to_string());
                continue;
            }
        };
        let violations = verify(&file);
        let folder = args.proof.as_deref().filter(|_| violations.is_empty());
        let proof = folder.map(|folder| verify_proof(&file, folder, &limit));
        if !violations.is_empty() || matches!(proof, Some(Err(_))) {
            code = ExitCode::from(1);
        }
        if args.json {
            let said = violations.iter().map(ToString::to_string).collect();
            let mut line = Line::of(&path_name, &file, said);
            line.proof = proof.as_ref().map(Result::is_ok);
            line.no_proof = proof.and_then(Result::err);
            writeln!(stdout::stdout(), "{}", serde_json::to_string(&line)?)?;
            continue;
        }
        if violations.is_empty() {
            writeln!(out, "{name}: valid: {}", summary(&file))?;
        }
        match proof {
            None => {}
            Some(Ok(proof)) => writeln!(out, "{name}: {}", refutation(&proof))?,
            Some(Err(why)) => writeln!(out, "{name}: proof: {}", printable(&why))?,
        }
        for violation in violations {
            writeln!(out, "{name}: {violation}")?;
        }
    }
    let last = unreadable.pop();
    unreadable.iter().for_each(|why| logging::error(why));
    last.map_or(Ok(code), |why| Err(anyhow::anyhow!(why)))
}

/// What a proof shows.
fn refutation(proof: &Proof) -> String {
    let Proof { steps, clauses, lines } = proof;
    format!(
        "refuted: no schedule has {steps} ({clauses} of this problem, all {lines} of the log follow)",
        steps = counted(steps, "step"),
        clauses = counted(clauses, "clause"),
        lines = counted(lines, "line")
    )
}

/// The largest bound of the file, certified or not; the first of equals.
fn largest(file: &ScheduleFile, certified: bool) -> Option<&BoundRecord> {
    let of_steps = file.bounds.iter().rev().filter(|bound| bound.bytes.is_none());
    let of = of_steps.filter(|bound| bound.certified == certified);
    of.max_by_key(|bound| bound.steps)
}

/// `aas of kautz:3,2 in 7 steps, bound 7 (distance), optimal over shortest paths`. Words of the file cannot be taken for
/// ours.
pub(super) fn summary(file: &ScheduleFile) -> String {
    let in_bytes = bytes(file);
    if file.is_timed() {
        let (collective, network) = (&file.model.collective, quoted(&file.network.name));
        return format!("{collective} of {network}, timed, {in_bytes}");
    }
    let steps = file.steps.len();
    let (collective, network) = (&file.model.collective, quoted(&file.network.name));
    let claim = claimed::difference(file).map_or(String::new(), |difference| {
        format!(" (named {network}, but is not the network of that name: {difference})")
    });
    let mut text = format!("{collective} of {network}{claim} in {}", counted(steps, "step"));
    let certified = largest(file, true);
    if let Some(b) = certified {
        text += &format!(", bound {} ({})", b.steps, quoted(&b.name));
        if b.steps as usize == steps {
            text += &format!(", optimal {}", rules::of_file(&file.model));
        }
    }
    // Nothing but the file stands for the others, so nothing follows from them.
    if let Some(b) = largest(file, false).filter(|b| certified.is_none_or(|c| c.steps < b.steps)) {
        text +=
            &format!("; the file claims a bound of {} ({}), unchecked", b.steps, quoted(&b.name));
    }
    match in_bytes.is_empty() {
        true => text,
        false => format!("{text}; the longest messages of all steps: {in_bytes}"),
    }
}

/// The largest certified bound in bytes; the first of equals.
fn largest_in_bytes(file: &ScheduleFile) -> Option<(u64, &BoundRecord)> {
    let of = file.bounds.iter().rev().filter(|bound| bound.certified);
    of.filter_map(|b| Some((b.bytes?, b))).max_by_key(|&(bytes, _)| bytes)
}

/// The length of a schedule of messages with lengths, with its bound: `17186 bytes, bound 17186 (ports), optimal
/// over shortest paths`; nothing without lengths.
fn bytes(file: &ScheduleFile) -> String {
    let Some(span) = file.span() else { return String::new() };
    let bound = largest_in_bytes(file).map_or(String::new(), |(bytes, b)| {
        let optimal = if bytes == span {
            format!(", optimal {}", rules::of_file(&file.model))
        } else {
            String::new()
        };
        format!(", bound {bytes} ({}){optimal}", quoted(&b.name))
    });
    format!("{span}{bound}", span = counted(span, "byte"))
}
