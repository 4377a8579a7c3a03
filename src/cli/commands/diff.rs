//! `ccsched verify --diff OLD NEW`: which messages have other transfers, and where.

use crate::stdout;
use ccsched_model::schedule::ScheduleFile;
use ccsched_model::schedule::changes::{Change, Changes, Placed};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// What changes are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// The vertices on the paths.
    Vertex,
    /// The steps.
    Step,
    /// The links on the paths.
    Link,
}

/// The line of `--json`. Its keys are a public interface.
#[derive(serde::Serialize)]
struct Line<'c> {
    /// Null of timed schedules.
    old_steps: Option<usize>,
    new_steps: Option<usize>,
    /// Of messages with lengths.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_bytes: Option<u64>,
    kept: usize,
    changed: &'c [Change],
    added: &'c [Change],
    dropped: &'c [Change],
}

/// Prints the differences; exit status 1 if there are any.
///
/// # Errors
/// A file cannot be read.
pub fn run(files: [&Path; 2], by: Option<By>, json: bool) -> anyhow::Result<ExitCode> {
    let [old, new] = [ScheduleFile::read(files[0])?, ScheduleFile::read(files[1])?];
    let is_timed = old.is_timed();
    if is_timed != new.is_timed() {
        anyhow::bail!(
            "one of them is a timed schedule, the other has steps: they cannot be compared"
        );
    }
    if is_timed && by == Some(By::Step) {
        anyhow::bail!("--by step: a timed schedule has no steps; vertex and link are counted");
    }
    let changes = Changes::between(&old, &new);
    let Changes { kept, changed, added, dropped } = &changes;
    let is_same = [changed, added, dropped].iter().all(|list| list.is_empty());
    let [old_steps, new_steps] =
        [&old, &new].map(|file| Some(file.steps.len()).filter(|_| !is_timed));
    let [old_bytes, new_bytes] = [&old, &new].map(ScheduleFile::span);
    if json {
        let kept = *kept;
        let line =
            Line { old_steps, new_steps, old_bytes, new_bytes, kept, changed, added, dropped };
        writeln!(stdout::stdout(), "{}", serde_json::to_string(&line)?)?;
        return Ok(ExitCode::from(u8::from(!is_same)));
    }
    let mut out = stdout::text();
    let all = || changed.iter().chain(added).chain(dropped);
    match by {
        None => {
            for change in all() {
                writeln!(out, "{}", said(change))?;
            }
        }
        Some(by) => {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for placed in all().flat_map(|change| change.old.iter().chain(&change.new)) {
                for key in keys(by, placed) {
                    *counts.entry(key).or_default() += 1;
                }
            }
            for (key, count) in counts {
                writeln!(out, "{key}  {count}")?;
            }
        }
    }
    let steps = old_steps.zip(new_steps).map(|(old, new)| (old as u64, new as u64));
    for (ends, unit) in [(steps, "steps"), (old_bytes.zip(new_bytes), "bytes")] {
        if let Some((old, new)) = ends {
            write!(out, "{old} {unit}, now {new}; ")?;
        }
    }
    writeln!(out, "{}", changes.summary())?;
    Ok(ExitCode::from(u8::from(!is_same)))
}

/// `00>33: step 2, 00 01 11 -> step 5, 00 10 11`.
fn said(change: &Change) -> String {
    let list = |of: &[Placed]| match of {
        [] => "nothing".to_string(),
        _ => {
            let said = |p: &Placed| match p.at {
                Some(start) => format!("start {start}, {}", p.path.join(" ")),
                None => format!("step {}, {}", p.step, p.path.join(" ")),
            };
            of.iter().map(said).collect::<Vec<_>>().join("; ")
        }
    };
    let message = &change.message;
    let to = message.destination.as_ref().map_or(String::new(), |to| format!(">{to}"));
    let number = |mark: &str, n: Option<u32>| n.map_or(String::new(), |n| format!("{mark}{n}"));
    let (copy, piece) = (number(" copy ", message.copy), number(" piece ", message.piece));
    format!("{}{to}{copy}{piece}: {} -> {}", message.source, list(&change.old), list(&change.new))
}

/// What a transfer counts for; steps as numbers that sort.
fn keys(by: By, placed: &Placed) -> Vec<String> {
    match by {
        By::Vertex => placed.path.clone(),
        By::Step => vec![format!("{:>6}", placed.step)],
        By::Link => placed.path.windows(2).map(|ends| ends.join("->")).collect(),
    }
}
