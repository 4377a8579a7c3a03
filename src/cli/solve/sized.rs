//! A solve whose objective is time: messages have lengths, and the schedule of the least time is sought.

use super::Args;
use crate::best::BestFile;
use crate::objective::Objective;
use crate::phase::Phase;
use crate::progress::Style;
use crate::report_sized::SizedSummary;
use crate::stdout::stdout;
use crate::{INTERRUPTED, NOT_FOUND, NOT_SAVED, dash, terminal};
use ccsched_base::Error;
use ccsched_base::atomic::check_writable;
use ccsched_base::counted::counted;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::printable::printable_lines;
use ccsched_model::schedule::{ScheduleFile, order_onto};
use ccsched_run::islands::{
    Backend, Form, Prepared, SearchError, StopCondition, StopReason, solve_sized,
};
use ccsched_tools::show;
use std::io::Write;
use std::time::Duration;

/// A schedule is not saved before the search has had this time for every message.
const PER_MESSAGE: Duration = Duration::from_micros(100);
/// Saving better schedules takes at most one part in this number of the time.
const SHARE: u32 = 10;

/// Transfers in a table that is printed without being asked for.
const MOST_SHOWN: usize = 200;

impl Args {
    /// The form of the schedule, if its time is to be the least: where that is asked for, and where
    /// messages have different lengths.
    ///
    /// # Errors
    /// Options that are for steps.
    pub(crate) fn form(&self, problem: &Problem) -> ccsched_base::Result<Option<Form>> {
        let is_asked = self.objective.asks_for_time()?;
        let (holds_paths, for_steps) = (problem.holds_whole_paths(), self.asks_for_steps());
        let wants_steps = self.objective.minimize == Some(Objective::Steps);
        if !is_asked && (wants_steps || !problem.has_different_lengths()) {
            return Ok(None);
        }
        if !is_asked && (!holds_paths || for_steps.is_some()) {
            let why = match for_steps.filter(|_| holds_paths) {
                Some(option) => format!(": {option} is for steps"),
                None => ", which is for wormhole switching and messages with one destination each"
                    .into(),
            };
            log::warn!(
                "messages have different lengths, and the steps are minimised, not the time{why}"
            );
            return Ok(None);
        }
        if let Some(option) = for_steps {
            let why = format!("{option} is for the fewest steps: --minimize steps");
            return Err(Error::field("minimize", why));
        }
        self.objective.form(problem, &self.time.model(problem.network().rate())).map(Some)
    }

    /// An option of searches for the fewest steps.
    fn asks_for_steps(&self) -> Option<&'static str> {
        let engine = !self.engine.engine().is_ok_and(|engine| engine.is_universal());
        let options = [
            (self.steps.is_some(), "--steps"),
            (self.spare.is_some(), "--spare"),
            (self.trace.is_some(), "--trace"),
            (self.proof.is_some(), "--proof"),
            (engine, "--engine"),
        ];
        options.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }
}

/// Solves one collective; returns the exit status.
///
/// # Errors
/// As [`solve_sized`], and outputs that cannot be written.
pub(super) fn solve(
    args: &Args,
    prepared: &Prepared,
    form: Form,
    backend: &mut dyn Backend,
    stop: StopCondition<'_>,
) -> anyhow::Result<u8> {
    let (problem, search) = (prepared.problem(), prepared.job().search);
    let output = args.output.as_deref();
    if let Some(path) = output.filter(|path| !dash::is_stdout(path)) {
        check_writable(path)?;
    }
    let phase = Phase::begin("least time", args.quiet || args.progress != Style::Line);
    let startup = if let Form::Steps { startup } = form { startup } else { 0 };
    let mut keeper = args.keep.keeper(prepared, &args.problem.collective.0, backend.islands())?;
    let mut best = output.map(|path| BestFile::new(path, args.force).for_time(startup));
    let mut due = PER_MESSAGE * problem.messages() as u32;
    let mut hear = |cost: u64, _, make: &dyn Fn() -> Result<ScheduleFile, SearchError>| {
        let found = stop.elapsed();
        if let Some(best) = best.as_mut().filter(|best| !best.is_stream() && found >= due) {
            let written = make().and_then(|file| Ok(best.put(&file, &mut || true)?));
            if let Err(why) = written {
                log::error!("--output: {why}");
            }
            let spent = stop.elapsed().saturating_sub(found);
            due = stop.elapsed() + spent * SHARE;
        }
        log::info!("{cost} after {:.3} s", found.as_secs_f64(), cost = counted(cost, "byte"));
    };
    let first = args.from.as_deref().map(|path| {
        let order = ScheduleFile::read(path).and_then(|file| order_onto(&file, problem));
        order.map_err(|why| Error::problem(format!("--from {}: {why}", path.display())))
    });
    let first = first.transpose()?;
    let solution =
        solve_sized(problem, form, search, (first, Some(&mut keeper)), backend, stop, &mut hear)?;
    drop(phase);
    let mut is_saved = None;
    let mut is_lost = false;
    if let Some(why) = keeper.failure() {
        log::error!("--checkpoint: {why}; the last state of the search is not saved");
        is_lost = true;
    }
    if let (Some(best), Some((_, file))) = (&mut best, &solution.found) {
        match best.put(file, &mut || true) {
            Ok(()) => is_saved = output,
            Err(why) => {
                log::error!("--output: {why}");
                is_lost = true;
            }
        }
    }
    let warnings = args.problem.reading.notices();
    let summary = SizedSummary::new(&solution, is_saved, &args.time).with_warnings(&warnings);
    let mut out: Box<dyn Write> = match output.is_some_and(dash::is_stdout) && !args.json {
        true => Box::new(std::io::stderr()),
        false => Box::new(stdout()),
    };
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&summary)?)?;
    } else {
        if let Some((_, file)) = solution.found.as_ref().filter(|_| !args.quiet) {
            let is_short = output.is_none() && problem.demands().len() <= MOST_SHOWN;
            if args.table || is_short {
                let table = show::fitted(file, terminal::width());
                writeln!(out, "{}", printable_lines(&table))?;
            } else if output.is_none() {
                writeln!(
                    out,
                    "{}; --table prints the schedule",
                    counted(problem.demands().len(), "transfer")
                )?;
            }
        }
        writeln!(out, "{}", printable_lines(&summary.text()))?;
    }
    Ok(match solution.reason {
        _ if is_lost => NOT_SAVED,
        StopReason::Interrupted => INTERRUPTED,
        _ if solution.found.is_some() => 0,
        _ => NOT_FOUND,
    })
}
