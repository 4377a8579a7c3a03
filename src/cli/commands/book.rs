//! `ccsched faults lookup`: the schedule after a fault, from a book of repairs.

use crate::own_files::Inputs;
use crate::problem_args::{FaultArgs, broken_links, broken_nodes};
use crate::{NOT_FOUND, dash, stdout};
use anyhow::Context;
use ccsched_base::Result;
use ccsched_base::counted::counted;
use ccsched_lab::fault_sweep::FaultSet;
use ccsched_lab::repairs::{RepairSweep, Repaired, lookup, running};
use ccsched_model::schedule::ScheduleFile;
use ccsched_network::Network;
use ccsched_run::Options;
use ccsched_run::repair::{Target, record, repaired};
use ccsched_verify::verify;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// A book, and what is broken.
#[derive(Clone, Debug, clap::Args)]
pub struct Lookup {
    /// The folder of the book
    #[arg(value_name = "BOOK")]
    pub book: PathBuf,
    /// What is broken now.
    #[command(flatten)]
    pub faults: FaultArgs,
    /// Save the new schedule
    #[arg(short, long, value_name = "NEW")]
    pub output: Option<PathBuf>,
    /// Print one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// The line of `--json`. Its keys are a public interface.
#[derive(serde::Serialize)]
struct Line<'e> {
    fault: &'e str,
    like: Option<&'e str>,
    old_steps: usize,
    steps: usize,
    lower_bound: Option<u32>,
    kept: usize,
    changed: usize,
    dropped: usize,
    /// No repair changes fewer messages.
    least_changed: usize,
}

/// Finds the repair, checks the new schedule, and saves it.
///
/// # Errors
/// The book cannot be read or lacks the faults; the output cannot be written.
pub fn run(args: &Lookup) -> anyhow::Result<ExitCode> {
    let about = || args.book.display().to_string();
    let old = running(&args.book).with_context(about)?;
    let sets = |network: &Network| args.set(network).map(|set| vec![set]);
    let sweep = RepairSweep::new(old, sets, (Target::Old, Options::default()))?;
    let Some(set) = sweep.sets.first() else {
        anyhow::bail!("name what is broken: --fail A-B, or --fail V for a vertex");
    };
    let (header, entry) = lookup(&args.book, set, &sweep.network).with_context(about)?;
    let label = set.label(&sweep.network);
    let Some(entry) = entry else {
        anyhow::bail!("{}: it has no repair for {label}; `ccsched repair` makes one", about());
    };
    let Some(Repaired { steps, lower_bound, changed, at_least, kept, dropped, ref patch }) =
        entry.repaired
    else {
        let why = entry.impossible.unwrap_or_else(|| "no repair was found".into());
        writeln!(std::io::stderr(), "{label}: {why}")?;
        return Ok(ExitCode::from(NOT_FOUND));
    };
    let problem = sweep.problem(set)?;
    let plan = repaired(&sweep.old, &problem, patch).with_context(about)?;
    let options =
        Options { seed: header.seed, islands: Some(header.islands), ..Options::default() };
    let schedule = record(&problem, &plan, &[], &options);
    if let Some(wrong) = verify(&schedule).first() {
        anyhow::bail!("{}: the repair for {label} is not valid: {wrong}", about());
    }
    args.save(&schedule)?;
    if args.json {
        let line = Line {
            fault: &entry.fault,
            like: entry.like.as_deref(),
            old_steps: sweep.old.steps.len(),
            steps,
            lower_bound,
            kept,
            changed,
            dropped,
            least_changed: at_least,
        };
        writeln!(stdout::stdout(), "{}", serde_json::to_string(&line)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_printed = args.output.as_deref().is_some_and(dash::is_stdout);
    let mut out: Box<dyn Write> = match is_printed {
        true => Box::new(std::io::stderr()),
        false => Box::new(stdout::text()),
    };
    let bound = lower_bound.map_or(String::new(), |bound| match bound as usize == steps {
        true => ", optimal".into(),
        false => format!(", bound {bound}"),
    });
    let before = sweep.old.steps.len();
    writeln!(out, "{label}: {steps}{bound}, before {before}", steps = counted(steps, "step"))?;
    writeln!(
        out,
        "{kept} kept, {changed} changed, {dropped} dropped; at least {at_least} change",
        kept = counted(kept, "message")
    )?;
    Ok(ExitCode::SUCCESS)
}

impl Lookup {
    /// Saves the repaired schedule, but not in place of a file of the book.
    fn save(&self, schedule: &ScheduleFile) -> anyhow::Result<()> {
        let Some(output) = &self.output else { return Ok(()) };
        for name in ["schedule.json", "repairs.jsonl"] {
            let of_book = self.book.join(name);
            Inputs::default().with("the book", Some(&of_book)).refuse("--output", output)?;
        }
        dash::write_with(output, |out| schedule.write_for(output, out)).context("--output")
    }

    /// What is broken.
    fn set(&self, network: &Network) -> Result<FaultSet> {
        let mut set = FaultSet::default();
        let [links, vertices] = self.faults.lists(network);
        for list in &vertices {
            set.vertices.extend(broken_nodes(network, list)?);
        }
        for list in &links {
            set.channels.extend(broken_links(network, list)?);
        }
        let is_broken = |v| set.vertices.contains(&v);
        set.channels.retain(|&c| {
            let ends = network.channel(c);
            !is_broken(ends.from) && !is_broken(ends.to)
        });
        set.channels.sort_unstable();
        set.channels.dedup();
        set.vertices.sort_unstable();
        set.vertices.dedup();
        Ok(set)
    }
}
