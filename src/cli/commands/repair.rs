//! `ccsched repair FILE`: the schedule of a changed network or membership, with few changes.

use super::batch;
use crate::own_files::Inputs;
use crate::problem_args::{FaultArgs, listed_hosts};
use crate::signals::{heeded, is_interrupted};
use crate::stdout;
use crate::{INTERRUPTED, Interrupted, NOT_FOUND, dash, named, numbers, terminal};
use anyhow::Context;
use ccsched_base::Error;
use ccsched_base::counted::{counted, form};
use ccsched_lab::plots::frontier;
use ccsched_model::problem::{Collective, Names, Problem, Request, hosts, pairs_file};
use ccsched_model::schedule::{ScheduleFile, asked};
use ccsched_network::{Network, faults};
use ccsched_run::islands::{ITERATIONS, Limits, left_for_tables};
use ccsched_run::repair::{Row, Target, repair_towards, without_broken};
use ccsched_run::{Options, SEED};
use ccsched_verify::verify;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// More terminals are counted, not named.
const MOST_NAMED: usize = 5;
/// Steps of a frontier beyond the fewest.
const FRONTIER: u32 = 4;

/// An old schedule, and what has changed.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ccsched repair s.json --fail 00-01 -o new.json          first the fewest steps, then few changes
  ccsched repair s.json --fail 00-01 --keep-steps -o new.json
  ccsched repair s.json --fail 33 --frontier --extra 2 -o new.json")]
pub struct Args {
    /// The old schedule; - is the standard input
    #[arg(value_name = "FILE", value_parser = dash::input)]
    pub file: PathBuf,
    /// What is broken now, beside what the file has.
    #[command(flatten)]
    pub faults: FaultArgs,
    /// The network as it is now, in place of that of the file: a family or a file
    #[arg(short, long, value_name = "NET", value_parser = dash::topology)]
    pub topology: Option<String>,
    /// The terminals that send and receive now, in place of those of the file; of a traffic, messages of
    /// others are dropped
    #[arg(long, value_name = "LIST")]
    pub members: Option<String>,
    /// The same in Slurm's notation, n[1-8],n12
    #[arg(long, value_name = "HOSTS", conflicts_with = "members")]
    pub host_list: Option<String>,
    /// The messages of a traffic as they are now, in place of those of the file: a table as for `ccsched
    /// solve --traffic`
    // It is the option below, which the parser of words puts in its place.
    #[arg(long, value_name = "FILE")]
    pub traffic: Option<String>,
    /// The same.
    #[arg(long, value_name = "FILE", value_parser = dash::input)]
    pub pairs: Option<PathBuf>,
    /// A schedule to return to, such as that of before a fault that is mended: where it needs no more steps, or
    /// no later end, than the best that is found
    #[arg(long, value_name = "FILE", value_parser = dash::input)]
    pub prefer: Option<PathBuf>,
    /// This number of steps
    #[arg(long, value_name = "K", value_parser = numbers::count::<u32>, conflicts_with_all = ["keep_steps", "extra", "frontier"])]
    pub steps: Option<u32>,
    /// The steps, or the end, of the old schedule; more only if they do not suffice
    #[arg(long, conflicts_with_all = ["extra", "frontier"])]
    pub keep_steps: bool,
    /// Steps beyond the fewest, for fewer changes; of a timed schedule, bytes beyond the least end
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub extra: u32,
    /// Print the changes for the fewest steps and for each number up to four, or --extra, more; of a timed
    /// schedule for five ends up to that of the fewest changes, or --extra
    #[arg(long)]
    pub frontier: bool,
    /// Seed of all random numbers
    #[arg(long, default_value_t = SEED, value_parser = numbers::seed)]
    pub seed: u64,
    /// Islands that repair in parallel, each with random numbers of its own
    #[arg(long, value_name = "N", value_parser = numbers::islands)]
    pub islands: Option<u16>,
    /// Iterations of the search for the fewest steps [default: 100000]
    #[arg(long, value_name = "N", value_parser = numbers::count::<u64>)]
    pub iterations: Option<u64>,
    /// The time for all
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = numbers::seconds)]
    pub time_limit: f64,
    /// Save the new schedule
    #[arg(short, long, value_name = "NEW")]
    pub output: Option<PathBuf>,
    /// Save a picture of the frontier: PREFIX-frontier.svg, changed messages over steps
    #[arg(long, value_name = "PREFIX", requires = "frontier")]
    pub svg: Option<PathBuf>,
    /// Print one line of JSON for each number of steps
    #[arg(long)]
    pub json: bool,
    /// Print only the summary, without the table of --frontier
    #[arg(short, long)]
    pub quiet: bool,
}

/// The line of `--json`. Its keys are a public interface.
#[derive(serde::Serialize)]
struct Line {
    /// Null in a timed schedule.
    steps: Option<usize>,
    lower_bound: Option<u32>,
    /// Of messages with lengths: the bytes that pass one channel meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// No schedule of the changed problem has fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound_bytes: Option<u64>,
    kept: usize,
    changed: usize,
    added: usize,
    dropped: usize,
    /// No repair changes fewer messages.
    least_changed: usize,
    /// Transfers that the old schedule does not have.
    transfers: usize,
    seconds: f64,
    /// When the first repair was found, in any number of steps.
    first_seconds: f64,
}

impl Line {
    fn of(row: &Row) -> Self {
        let changes = &row.changes;
        let schedule = &row.schedule;
        let has_steps = !schedule.is_timed();
        let of_steps = schedule.bounds.iter().find(|bound| bound.bytes.is_none());
        Line {
            steps: has_steps.then_some(schedule.steps.len()),
            lower_bound: of_steps.map(|bound| bound.steps),
            bytes: schedule.span(),
            lower_bound_bytes: schedule.bounds.iter().filter_map(|bound| bound.bytes).max(),
            kept: changes.kept,
            changed: changes.changed.len(),
            added: changes.added.len(),
            dropped: changes.dropped.len(),
            least_changed: row.least.saturating_sub(changes.added.len()),
            transfers: changes.transfers(),
            seconds: row.seconds,
            first_seconds: row.first_seconds,
        }
    }
}

/// Repairs a schedule, saves the new one, and says what it keeps.
///
/// # Errors
/// Wrong input: a schedule that is not valid, unknown links or vertices.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let old = ScheduleFile::read(&args.file)?;
    let name = args.file.display();
    if let Some(wrong) = verify(&old).first() {
        anyhow::bail!("{name}: it is not valid, so there is nothing to repair: {wrong}");
    }
    if old.is_timed() && args.steps.is_some() {
        anyhow::bail!(
            "--steps: {name} is a timed schedule and has an end in place of steps: --keep-steps keeps it, \
             and --extra N allows N bytes beyond the least that is found"
        );
    }
    if let Some(output) = &args.output {
        dash::check_writable(output).context("--output")?;
        Inputs::default().with("the command", Some(&args.file)).refuse("--output", output)?;
    }
    let inputs = Inputs::default().with("the command", Some(&args.file));
    batch::check(&inputs, None, args.svg.as_deref(), ["frontier"])?;
    let interrupt = heeded();
    let problem = args.problem(&old)?;
    let prefer = args.preferred(&old)?;
    let options = args.options(interrupt);
    let rows = repair_towards((&old, prefer.as_ref()), &problem, args.target(&old), &options)?;
    let is_cut = is_interrupted();
    if is_cut && rows.is_empty() {
        return Err(Interrupted.into());
    }
    // The row that is asked for is the last, or in a frontier that of --extra.
    let wanted = match args.frontier {
        true => rows.iter().rev().find(|row| is_within(row, &rows, args.extra)),
        false => rows.last(),
    };
    if let (Some(row), Some(output)) = (wanted, &args.output) {
        dash::write_with(output, |out| row.schedule.write_for(output, out)).context("--output")?;
    }
    if let (Some(prefix), false) = (&args.svg, rows.is_empty()) {
        let on = &rows[0].schedule.network.name;
        let caption = format!("{} of {on}", old.model.collective);
        batch::save_picture(prefix, "frontier", frontier(&rows, &caption))?;
    }
    args.print(&old, &rows, wanted)?;
    Ok(match wanted {
        Some(_) if is_cut => {
            log::warn!("interrupted: a longer search may change fewer messages");
            ExitCode::from(INTERRUPTED)
        }
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(NOT_FOUND),
    })
}

/// Refuses a network that has none of the terminals of the old schedule, and says which ones are missing.
fn check_names(text: &str, network: &Network, old: &[&str]) -> anyhow::Result<()> {
    let missing: Vec<&str> =
        old.iter().copied().filter(|name| network.find(name).is_none()).collect();
    let some = missing.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = if missing.len() > MOST_NAMED { ", .." } else { "" };
    anyhow::ensure!(
        missing.len() < old.len(),
        "--topology {text}: it has none of the {} terminals of the schedule ({some}{more}), so nothing of \
         that can be kept; ccsched solve -t {text} makes a schedule of its own",
        old.len()
    );
    if !missing.is_empty() {
        log::warn!(
            "--topology {text}: it lacks {} of the {} terminals of the schedule ({some}{more}), whose messages \
             are dropped",
            missing.len(),
            old.len()
        );
    }
    Ok(())
}

/// Whether a row has at most `extra` steps, or bytes, more than the first.
fn is_within(row: &Row, rows: &[Row], extra: u32) -> bool {
    row.length() <= rows[0].length() + u64::from(extra)
}

impl Args {
    /// The options of the library.
    fn options(&self, interrupt: Option<Arc<AtomicBool>>) -> Options {
        let limits = Limits {
            time: Some(Duration::from_secs_f64(self.time_limit)),
            iterations: self.iterations.unwrap_or(ITERATIONS),
            ..Limits::default()
        };
        let islands = self.islands.map(usize::from);
        Options { seed: self.seed, islands, limits, interrupt, ..Options::default() }
    }

    /// The numbers of steps, or ends, that repairs are made for.
    fn target(&self, old: &ScheduleFile) -> Target {
        match (self.steps, self.keep_steps) {
            (Some(steps), _) => Target::Given(steps),
            (None, true) => Target::Old,
            (None, false) if self.frontier && old.is_timed() => Target::Frontier(self.extra),
            (None, false) if self.frontier => Target::Frontier(self.extra.max(FRONTIER)),
            (None, false) => Target::Fewest(self.extra),
        }
    }

    /// The schedule whose places are taken where the old ones are impossible.
    fn preferred(&self, old: &ScheduleFile) -> anyhow::Result<Option<ScheduleFile>> {
        let prefer = self.prefer.as_ref().map(ScheduleFile::read).transpose()?;
        if let Some(other) = prefer.as_ref().filter(|prefer| prefer.is_timed() != old.is_timed()) {
            let [this, that] =
                [old, other].map(|file| if file.is_timed() { "timed" } else { "of steps" });
            anyhow::bail!("--prefer: the schedule is {that}, and the old schedule is {this}");
        }
        Ok(prefer)
    }

    /// The changed problem.
    fn problem(&self, old: &ScheduleFile) -> anyhow::Result<Problem> {
        let (own, mut request) = asked(old)?;
        let (whole, mut faults) = match &self.topology {
            Some(text) => (named::network(text, &named::ReadingArgs::default())?, Vec::new()),
            None => (own, old.faults.clone()),
        };
        let (network, more) = self.faults.broken(&whole)?;
        faults = faults::after(&faults, more);
        self.regroup(&mut request, &whole)?;
        if let Some(text) = &self.topology {
            check_names(text, &whole, &old.processes())?;
        }
        without_broken(&mut request, &network)?;
        let begin = Instant::now();
        let time = Some(Duration::from_secs_f64(self.time_limit));
        Ok(request.pose_within(network, faults, &|| left_for_tables(time, begin.elapsed()))?)
    }

    /// Takes the members and the pairs that are given into what was asked for.
    fn regroup(&self, request: &mut Request, whole: &Network) -> anyhow::Result<()> {
        let reading = named::ReadingArgs::default();
        if let Some(path) = &self.pairs {
            let collective = request.collective;
            if collective != Collective::Traffic {
                anyhow::bail!(
                    "--traffic: it is for a traffic, and the schedule is one of {collective}"
                );
            }
            let known = Names::of(whole);
            let pairs = reading.noting(path, |notices| pairs_file::read(path, &known, notices))?;
            request.pairs = Some(pairs);
        }
        let members: Vec<String> = match (&self.members, &self.host_list) {
            (Some(list), _) => {
                hosts::names(whole, list).map_err(|why| Error::field("members", why))?
            }
            (None, Some(list)) => {
                let hosts = listed_hosts(whole, list, &reading)?;
                hosts.into_iter().map(|v| whole.vertex_name(v).to_string()).collect()
            }
            (None, None) => return Ok(()),
        };
        if let Some(unknown) = members.iter().find(|name| whole.find(name).is_none()) {
            anyhow::bail!("--members: {}", faults::unknown(whole, unknown));
        }
        if request.groups.is_some() {
            anyhow::bail!("--members: the groups of a schedule have members of their own");
        }
        if let Some(pairs) = &mut request.pairs {
            let is_member = |name: &String| members.contains(name);
            pairs.retain(|pair| is_member(&pair.source) && is_member(&pair.destination));
        }
        request.senders = request.senders.take().map(|_| members.clone());
        request.receivers = request.receivers.take().map(|_| members);
        request.processes = None;
        Ok(())
    }

    fn print(&self, old: &ScheduleFile, rows: &[Row], wanted: Option<&Row>) -> anyhow::Result<()> {
        if self.json {
            for row in rows {
                writeln!(stdout::stdout(), "{}", serde_json::to_string(&Line::of(row))?)?;
            }
            return Ok(());
        }
        let is_printed = self.output.as_deref().is_some_and(dash::is_stdout);
        let mut out: Box<dyn Write> = match is_printed {
            true => Box::new(std::io::stderr()),
            false => Box::new(stdout::text()),
        };
        let Some(wanted) = wanted else {
            let why = "no repair was found; more steps (--steps, --extra) or time may help";
            return Ok(writeln!(out, "{why}")?);
        };
        if self.frontier && !self.quiet {
            let what = if old.is_timed() { "bytes" } else { "steps" };
            writeln!(out, "{what:>9}  changed  at least  seconds")?;
            for row in rows {
                let Line { changed, least_changed, seconds, .. } = Line::of(row);
                let length = row.length();
                writeln!(out, "{length:>9}  {changed:>7}  {least_changed:>8}  {seconds:>7.2}")?;
            }
        }
        for text in described(old, wanted) {
            writeln!(out, "{}", terminal::folded(&text, 2, terminal::columns()))?;
        }
        if let Some(path) = self.output.as_deref().filter(|_| !is_printed) {
            writeln!(out, "saved in {}", path.display())?;
        }
        Ok(())
    }
}

/// What a repair has come to: its length, and what it changes.
fn described(old: &ScheduleFile, wanted: &Row) -> [String; 2] {
    let line = Line::of(wanted);
    let is_least =
        if line.changed == line.least_changed { ", no repair changes fewer" } else { "" };
    let said = |what: &str, now: u64, bound: Option<u64>, before: Option<u64>| {
        let bound = match bound {
            Some(bound) if bound == now => ", optimal".into(),
            Some(bound) => format!(", bound {bound}"),
            None => String::new(),
        };
        let before = before.map_or(String::new(), |before| format!(", before {before}"));
        format!("{now} {what}{bound}{before}")
    };
    let steps = line.steps.map(|steps| {
        let bound = line.lower_bound.map(u64::from);
        said("steps", steps as u64, bound, Some(old.steps.len() as u64))
    });
    let what = if old.is_timed() { "bytes" } else { "bytes of longest messages" };
    let bytes = line.bytes.map(|bytes| said(what, bytes, line.lower_bound_bytes, old.span()));
    let lengths: Vec<String> = steps.into_iter().chain(bytes).collect();
    let (of, on) = (&old.model.collective, &wanted.schedule.network.name);
    [
        format!("{of} of {on}: {}", lengths.join("; ")),
        format!(
            "{}; {} {} new; at least {} {}{is_least}",
            wanted.changes.summary(),
            counted(line.transfers, "transfer"),
            form(line.transfers, "is", "are"),
            line.least_changed,
            form(line.least_changed, "changes", "change")
        ),
    ]
}
