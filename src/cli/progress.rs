//! Progress of a search: a line on a terminal, log lines elsewhere, and the best verified schedule
//! so far in its file. An output that cannot be written does not end the search.

use super::best::BestFile;
use super::logging;
use super::trace::Trace;
use ccsched_base::counted::counted;
use ccsched_model::schedule::ScheduleFile;
use ccsched_run::islands::{IslandStats, Progress, StopCondition, Watcher};
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// The progress line is drawn at most this often.
const DRAW_EVERY: Duration = Duration::from_millis(100);
/// The spinner moves this often, whatever the phase.
pub const TICK: Duration = Duration::from_millis(200);
/// A search that ends within this time has no notice.
const AT_ONCE: Duration = Duration::from_secs(1);
const LOG_EVERY: Duration = Duration::from_secs(10);

/// A line that is cut off at the terminal's width.
pub fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {elapsed_precise} {wide_msg}")
        .expect("a valid template")
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Style {
    /// A changing line on a terminal.
    Line,
    /// A line of JSON every second, on the standard error.
    Json,
    /// Not at all.
    #[value(skip)]
    None,
}

/// A line for job monitors is written at most this often.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// What became of the outputs of a search.
#[derive(Debug, Default)]
pub struct Outputs {
    /// Why the best schedule could not be written.
    pub unsaved: Option<String>,
    /// The steps of a better schedule that has stayed in the file.
    pub kept: Option<usize>,
    /// Why rows of the trace are missing.
    pub trace_lost: Option<String>,
}

/// The watcher of a search from the command line.
pub struct Watch<'a> {
    bound: Option<u64>,
    /// Whether the time is to be the least, in bytes, not the steps.
    is_of_time: bool,
    output: Option<BestFile<'a>>,
    /// Why the last schedule could not be written.
    unsaved: Option<String>,
    line: ProgressBar,
    begin: Instant,
    drawn: Option<Instant>,
    logged: Instant,
    style: Style,
    told: Option<Instant>,
    trace: Option<Trace>,
    /// When the search ends, if that is known.
    stop: Option<StopCondition<'a>>,
    /// What is told once, when the search has gone on for a while.
    notice: Option<String>,
    /// The steps and channel-steps of the schedule that was told last.
    found: Option<(usize, usize)>,
}

impl<'a> Watch<'a> {
    /// Watches a search above a bound; better schedules go to `output`.
    pub fn new(bound: Option<u64>, output: Option<BestFile<'a>>, style: Style) -> Self {
        let target = if style == Style::Line {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let line = ProgressBar::with_draw_target(None, target).with_style(self::style());
        let above = bound.map_or(String::new(), |steps| {
            format!(", bound {steps}", steps = counted(steps, "step"))
        });
        line.set_message(format!("constructions and groups{above}"));
        if !line.is_hidden() {
            line.enable_steady_tick(TICK);
            logging::beside(Some(line.clone()));
        }
        let begin = Instant::now();
        Watch {
            bound,
            is_of_time: false,
            output,
            unsaved: None,
            line,
            begin,
            drawn: None,
            logged: begin,
            style,
            told: None,
            trace: None,
            stop: None,
            notice: None,
            found: None,
        }
    }

    /// The same where the time is to be the least.
    pub fn for_time(mut self) -> Self {
        self.line.set_message("paths of the messages");
        self.is_of_time = true;
        self
    }

    /// Also writes a trace.
    pub fn with_trace(mut self, trace: Option<Trace>) -> Self {
        self.trace = trace;
        self
    }

    /// Also shows the time left.
    pub fn until(mut self, stop: StopCondition<'a>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Also logs a notice, unless the search ends at once.
    pub fn telling(mut self, notice: String) -> Self {
        self.notice = Some(notice);
        self
    }

    /// A line for job monitors.
    fn tell(&mut self, progress: &Progress) {
        if self.told.is_some_and(|told| told.elapsed() < TELL_EVERY) {
            return;
        }
        self.told = Some(Instant::now());
        eprintln!(
            "{}",
            serde_json::json!({
                "iterations": progress.iterations_done, "evaluations": progress.evaluations,
                "exchanges": progress.exchanges, "seeking": progress.seeking,
                "best": progress.best, "lower_bound": self.bound, "conflicts": progress.conflicts,
                "temperature": progress.temperature, "seconds": self.begin.elapsed().as_secs_f64(),
                "gap": self.gap(progress), "seconds_left": self.left().map(|left| left.as_secs_f64()),
            })
        );
    }

    /// What became of the outputs, after the end of a search with this progress.
    pub fn outputs(&mut self, progress: &Progress) -> Outputs {
        let end = |trace: Trace| trace.finish(progress, self.bound).err();
        Outputs {
            unsaved: self.unsaved.take(),
            kept: self.output.as_ref().and_then(BestFile::kept),
            trace_lost: self.trace.take().and_then(end),
        }
    }

    fn write(
        &mut self,
        schedule: &ScheduleFile,
        is_valid: &mut dyn FnMut() -> bool,
    ) -> Result<(), String> {
        let output = self.output.as_mut();
        let written = output.map_or(Ok(()), |output| output.put(schedule, is_valid));
        let written = written.map_err(|why| why.to_string());
        self.unsaved = written.clone().err();
        written
    }

    /// The text of the line, below 65 columns unless numbers are huge.
    fn describe(&self, progress: &Progress) -> String {
        let bound = self.bound.map_or(String::new(), |steps| format!(", bound {steps}"));
        let best = progress.best.map_or("none".into(), |steps| steps.to_string());
        let gap = self.gap(progress).map_or(String::new(), |gap| format!(" +{:.1} %", 100.0 * gap));
        let left = self.left().map(|left| left.as_secs());
        let left = left.map(|left| format!("{}:{:02} left", left / 60, left % 60));
        let Progress { seeking, conflicts, .. } = progress;
        let last = left.unwrap_or_else(|| self.rate(progress));
        if self.is_of_time {
            return format!("best {best} bytes{gap}{bound}, {last}");
        }
        format!("seeking {seeking}{bound}, best {best}{gap}, {conflicts} conflicts, {last}")
    }

    /// How far the best schedule is above the bound, as a share of it.
    fn gap(&self, progress: &Progress) -> Option<f64> {
        let (best, bound) = (progress.best? as f64, self.bound?.max(1) as f64);
        Some((best - bound) / bound)
    }

    /// The time left before the limit.
    fn left(&self) -> Option<Duration> {
        self.stop.as_ref().and_then(StopCondition::left)
    }

    /// The text of a log line: that of the progress line and more.
    fn describe_all(&self, progress: &Progress) -> String {
        let rate = self.left().map_or(String::new(), |_| format!(", {}", self.rate(progress)));
        format!(
            "{:.0} s: {}{rate}, {}, {}, temperature {:.2}",
            self.begin.elapsed().as_secs_f64(),
            self.describe(progress),
            counted(HumanCount(progress.iterations_done), "iteration"),
            counted(HumanCount(progress.exchanges), "exchange"),
            progress.temperature
        )
    }

    /// Evaluations a second.
    fn rate(&self, progress: &Progress) -> String {
        let rate = progress.evaluations as f64 / self.begin.elapsed().as_secs_f64().max(1e-9);
        format!("{}/s", short(rate))
    }
}

/// A number of moves in a few columns: `1.2 M`.
fn short(moves: f64) -> String {
    match moves {
        n if n >= 1e6 => format!("{:.1} M", n / 1e6),
        n if n >= 1e3 => format!("{:.0} k", n / 1e3),
        n => format!("{n:.0}"),
    }
}

impl Watcher for Watch<'_> {
    fn progress(&mut self, progress: &Progress) {
        let now = Instant::now();
        if self.drawn.is_none_or(|drawn| now - drawn >= DRAW_EVERY) && !self.line.is_hidden() {
            self.drawn = Some(now);
            self.line.set_message(self.describe(progress));
            self.line.tick();
        }
        if self.style == Style::Json {
            self.tell(progress);
        }
        if self.begin.elapsed() >= AT_ONCE
            && let Some(notice) = self.notice.take()
        {
            log::info!("{notice}");
        }
        if now - self.logged >= LOG_EVERY {
            self.logged = now;
            log::info!("{}", self.describe_all(progress));
        }
    }

    fn bound(&mut self, least: u64) {
        self.bound = Some(least);
    }

    fn wants_islands(&self) -> bool {
        self.trace.is_some()
    }

    fn islands(&mut self, progress: &Progress, islands: &[IslandStats]) {
        if let Some(trace) = &mut self.trace {
            trace.add(progress, islands, self.bound);
        }
    }

    fn flush(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.flush();
        }
    }

    fn writes(&self) -> bool {
        self.output.is_some()
    }

    fn schedule(&mut self, schedule: &ScheduleFile, is_valid: &mut dyn FnMut() -> bool) -> bool {
        let steps = schedule.steps.len();
        let lengths = || schedule.steps.iter().flatten().map(|t| t.channels.len());
        let work = if log::log_enabled!(log::Level::Info) { lengths().sum() } else { 0 };
        let is_told = self.found.replace((steps, work)) == Some((steps, work)) && !self.is_of_time;
        let what = match self.is_of_time {
            true => counted(HumanCount(schedule.span().unwrap_or(0)), "byte"),
            false => format!(
                "{}, {}",
                counted(steps, "step"),
                counted(HumanCount(work as u64), "channel-step")
            ),
        };
        let found = format!("{}: found a schedule of {what}", schedule.model.collective);
        // A pipe gets only the last schedule.
        let is_stream = self.output.as_ref().is_some_and(BestFile::is_stream);
        let written = if is_stream { Ok(()) } else { self.write(schedule, is_valid) };
        if !is_valid() {
            return false;
        }
        match written {
            Ok(()) => {
                // The same schedule may come again, with other bounds.
                if !is_told {
                    log::info!("{found}");
                }
                !is_stream
            }
            // The search may run for hours more, and there may be space again by then.
            Err(why) => {
                log::error!(
                    "{found}, but it cannot be written; the next attempt is at the next schedule \
                     or at the end: {why}"
                );
                false
            }
        }
    }

    /// A schedule that cannot be written is no reason to lose it: [`Watch::outputs`] tells.
    fn end(&mut self, schedule: Option<&ScheduleFile>) -> Result<(), String> {
        if let Some(schedule) = schedule {
            let _ = self.write(schedule, &mut || true);
        }
        Ok(())
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        logging::beside(None);
        self.line.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_beside_a_clock_in_80_columns() {
        let watch = Watch::new(Some(1024), None, Style::None);
        let progress =
            Progress { seeking: 1023, best: Some(1025), conflicts: 12_345, ..Progress::default() };
        let text = watch.describe(&progress);
        assert!(
            text.starts_with("seeking 1023, bound 1024, best 1025 +0.1 %, 12345 conf"),
            "{text}"
        );
        // The spinner, a clock of eight columns, and the blanks after them.
        assert!(text.chars().count() - "0/s".len() + "12.3 M/s".len() + 11 <= 80, "{text}");
    }

    #[test]
    fn rates_are_short() {
        let rates = [0.0, 999.0, 1234.0, 56_789.0, 12_345_678.0].map(short);
        assert_eq!(rates, ["0", "999", "1 k", "57 k", "12.3 M"]);
    }
}
