//! What a user sees and keeps while a search goes on: a progress line on a terminal, log lines
//! elsewhere, and the best schedule so far, verified and in its file.

use crate::bounds::Bound;
use crate::islands::{Listener, Progress};
use crate::problem::Problem;
use crate::schedule::Plan;
use crate::schedule::file::Provenance;
use crate::verify::verify;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::Path;
use std::time::{Duration, Instant};

/// The progress line is drawn, and a log line written, at most this often.
const DRAW_EVERY: Duration = Duration::from_millis(100);
const LOG_EVERY: Duration = Duration::from_secs(10);

/// The listener of a search from the command line.
pub struct Watch<'a> {
    problem: &'a Problem,
    bounds: &'a [Bound],
    provenance: Provenance,
    output: Option<&'a Path>,
    line: ProgressBar,
    begin: Instant,
    drawn: Option<Instant>,
    logged: Instant,
}

impl<'a> Watch<'a> {
    /// Watches a search; better schedules go to `output`.
    pub fn new(
        problem: &'a Problem,
        bounds: &'a [Bound],
        provenance: Provenance,
        output: Option<&'a Path>,
        quiet: bool,
    ) -> Self {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let line = ProgressBar::with_draw_target(None, target)
            .with_style(ProgressStyle::with_template("{spinner} {msg}").expect("a valid template"));
        let begin = Instant::now();
        Watch { problem, bounds, provenance, output, line, begin, drawn: None, logged: begin }
    }

    /// Verifies a schedule with its bounds and writes its file.
    ///
    /// # Errors
    /// A schedule or a bound that is not valid, or cannot be written.
    pub fn keep(&self, plan: &Plan, bounds: &[Bound]) -> Result<(), String> {
        let file = plan.record(self.problem, bounds, self.provenance.clone());
        if let Some(violation) = verify(&file).first() {
            return Err(format!(
                "internal error, please report it: the engine returned a schedule that is not \
                 valid: {violation}"
            ));
        }
        self.output.map_or(Ok(()), |path| file.write(path)).map_err(|e| e.to_string())
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

impl Listener for Watch<'_> {
    fn progress(&mut self, progress: &Progress) {
        let now = Instant::now();
        if self.drawn.is_none_or(|drawn| now - drawn >= DRAW_EVERY) && !self.line.is_hidden() {
            self.drawn = Some(now);
            self.line.set_message(self.describe(progress));
            self.line.tick();
        }
        if now - self.logged >= LOG_EVERY {
            self.logged = now;
            log::info!("{}", self.describe(progress));
        }
    }

    fn improved(&mut self, plan: &Plan) -> Result<(), String> {
        self.keep(plan, self.bounds)?;
        log::info!("found a schedule of {} steps", plan.steps.len());
        Ok(())
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
