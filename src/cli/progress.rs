//! What a user sees and keeps while a search goes on: a progress line on a terminal, log lines
//! elsewhere, and the best schedule so far, verified and in its file.

use super::trace::Trace;
use crate::islands::{IslandStats, Progress, Watcher};
use crate::schedule::ScheduleFile;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::Path;
use std::time::{Duration, Instant};

/// The progress line is drawn, and a log line written, at most this often.
const DRAW_EVERY: Duration = Duration::from_millis(100);
const LOG_EVERY: Duration = Duration::from_secs(10);

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Style {
    /// A line on a terminal that changes.
    Line,
    /// A line of JSON every second, on the standard error.
    Json,
    /// Not at all.
    #[value(skip)]
    None,
}

/// A line for job monitors is written at most this often.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// The watcher of a search from the command line.
pub struct Watch<'a> {
    bound: Option<u32>,
    output: Option<&'a Path>,
    line: ProgressBar,
    begin: Instant,
    drawn: Option<Instant>,
    logged: Instant,
    style: Style,
    told: Option<Instant>,
    trace: Option<Trace>,
}

impl<'a> Watch<'a> {
    /// Watches a search above a bound; better schedules go to `output`.
    pub fn new(bound: Option<u32>, output: Option<&'a Path>, style: Style) -> Self {
        let target = if style == Style::Line {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let line = ProgressBar::with_draw_target(None, target)
            .with_style(ProgressStyle::with_template("{spinner} {msg}").expect("a valid template"));
        let begin = Instant::now();
        Watch {
            bound,
            output,
            line,
            begin,
            drawn: None,
            logged: begin,
            style,
            told: None,
            trace: None,
        }
    }

    /// Writes a trace, too.
    pub fn with_trace(mut self, trace: Option<Trace>) -> Self {
        self.trace = trace;
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
                "iterations": progress.iterations, "evaluations": progress.evaluations,
                "exchanges": progress.exchanges, "seeking": progress.seeking,
                "best": progress.best, "lower_bound": self.bound, "conflicts": progress.conflicts,
                "temperature": progress.temperature, "seconds": self.begin.elapsed().as_secs_f64(),
            })
        );
    }

    fn write(&self, schedule: &ScheduleFile) -> crate::Result<()> {
        self.output.map_or(Ok(()), |path| schedule.write(path))
    }

    fn flush_trace(&mut self) {
        if let Some(Err(why)) = self.trace.as_mut().map(Trace::flush) {
            self.lose_trace(&why);
        }
    }

    fn lose_trace(&mut self, why: &dyn std::fmt::Display) {
        log::warn!("--trace: {why}; the trace ends here");
        self.trace = None;
    }

    fn describe(&self, progress: &Progress) -> String {
        let rate = progress.evaluations as f64 / self.begin.elapsed().as_secs_f64().max(1e-9);
        let best = progress.best.map_or("none yet".into(), |steps| steps.to_string());
        format!(
            "seeking {} steps, best {best}, conflicts {}, temperature {:.2}, {} evaluations/s, \
             {} exchanges",
            progress.seeking,
            progress.conflicts,
            progress.temperature,
            HumanCount(rate as u64),
            HumanCount(progress.exchanges),
        )
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
        if now - self.logged >= LOG_EVERY {
            self.logged = now;
            log::info!("{}", self.describe(progress));
        }
    }

    fn islands(&mut self, progress: &Progress, islands: &[IslandStats]) {
        if let Some(Err(why)) = self.trace.as_mut().map(|trace| trace.add(progress, islands)) {
            self.lose_trace(&why);
        }
    }

    fn flush(&mut self) {
        self.flush_trace();
    }

    fn schedule(&mut self, schedule: &ScheduleFile) -> bool {
        let steps = schedule.steps.len();
        let plural = if steps == 1 { "" } else { "s" };
        let found =
            format!("{}: found a schedule of {steps} step{plural}", schedule.model.collective);
        match self.write(schedule) {
            Ok(()) => {
                log::info!("{found}");
                true
            }
            // Hours may lie ahead; there may be room again by then.
            Err(why) => {
                log::warn!(
                    "{found}, and it cannot be written; another attempt comes with the next one and \
                     in the end: {why}"
                );
                false
            }
        }
    }

    fn end(&mut self, schedule: Option<&ScheduleFile>) -> Result<(), String> {
        self.flush_trace();
        schedule.map_or(Ok(()), |schedule| self.write(schedule).map_err(|e| e.to_string()))
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
