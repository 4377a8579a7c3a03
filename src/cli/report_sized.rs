//! The summary of a run for the least time: text for people, one line of JSON for programs.

use super::report::{least_delays_us, rounded};
use super::rules::rules;
use super::time_args::TimeArgs;
use ccsched_base::counted::counted;
use ccsched_bounds as bounds;
use ccsched_model::schedule::TimeModel;
use ccsched_network::faults::Fault;
use ccsched_run::islands::{Form, Solution, StopReason};
use serde::Serialize;
use std::path::Path;

/// The summary line: `--json`. Its keys are a public interface.
#[derive(Debug, Serialize)]
pub struct SizedSummary<'a> {
    topology: &'a str,
    collective: String,
    switching: String,
    ports: String,
    routing: String,
    faults: &'a [Fault],
    minimize: &'static str,
    timing: &'static str,
    messages: usize,
    /// The bytes of all messages.
    total_bytes: u64,
    /// The bytes that pass one channel while the schedule runs. Null if no schedule was found.
    bytes: Option<u64>,
    /// No schedule has fewer bytes.
    lower_bound_bytes: u64,
    bound: &'a str,
    /// Bytes over the lower bound.
    ratio: Option<f64>,
    /// Null in a timed schedule.
    steps: Option<usize>,
    lower_bound: Option<u32>,
    /// The most transfers of one port.
    startups: Option<u64>,
    optimal: bool,
    time_us: Option<f64>,
    /// No schedule takes less.
    lower_bound_us: f64,
    time_model: TimeModel,
    engine: &'static str,
    seed: u64,
    ranks: usize,
    iterations: u64,
    seconds: f64,
    reason: StopReason,
    schedule: Option<&'a Path>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

impl<'a> SizedSummary<'a> {
    /// The summary of a run whose schedule is saved in `output`.
    pub fn new(solution: &'a Solution, output: Option<&'a Path>, costs: &TimeArgs) -> Self {
        let problem = &*solution.problem;
        let model = costs.model(problem.network().rate());
        let file = solution.schedule();
        let file = file.as_ref();
        let time = solution.plan.as_ref().and_then(|plan| plan.time());
        let bytes = time.map(|time| time.bytes);
        let (lower_bound_bytes, bound) =
            solution.of_bytes.first().map_or((0, ""), |b| (b.bytes, b.name));
        let is_timed = solution.search.form.is_some_and(Form::is_timed);
        let steps = |steps: usize| Some(steps).filter(|_| !is_timed);
        let lower_bound = solution.bounds.first().map(|b| b.steps).filter(|_| !is_timed);
        let of_startups = match is_timed {
            true => bounds::bytes::startups(problem) as f64,
            false => f64::from(lower_bound.unwrap_or(0)),
        };
        let of_delays_us =
            if is_timed { 0.0 } else { least_delays_us(problem, &model, lower_bound) };
        let lengths = problem.lengths().unwrap_or_default();
        SizedSummary {
            topology: problem.network().name(),
            collective: problem.collective().to_string(),
            switching: problem.asked_switching().to_string(),
            ports: problem.ports().to_string(),
            routing: problem.routing().to_string(),
            faults: problem.faults(),
            minimize: "time",
            timing: if is_timed { "timed" } else { "steps" },
            messages: problem.messages(),
            total_bytes: lengths.iter().fold(0, |sum, &bytes| sum.saturating_add(bytes)),
            bytes,
            lower_bound_bytes,
            bound,
            ratio: bytes.map(|bytes| rounded(bytes as f64 / lower_bound_bytes.max(1) as f64)),
            steps: file.and_then(|file| steps(file.steps.len())),
            lower_bound,
            startups: file.filter(|_| is_timed).map(|file| file.startups()),
            optimal: solution.is_optimal(),
            time_us: file.map(|file| rounded(file.time_us(&model))),
            lower_bound_us: rounded(
                // Delays in bytes are rounded up, channel by channel.
                model.byte_ns * 1e-3 * lower_bound_bytes as f64
                    + model.startup_us * of_startups
                    + of_delays_us,
            ),
            time_model: model,
            engine: solution.engine.name(),
            seed: solution.search.seed,
            ranks: solution.ranks,
            iterations: solution.progress.iterations_done,
            seconds: rounded(solution.seconds),
            reason: solution.reason,
            schedule: output.filter(|_| bytes.is_some()),
            warnings: &[],
        }
    }

    /// What the reader of the network did not use or had to guess.
    pub fn with_warnings(self, warnings: &'a [String]) -> Self {
        SizedSummary { warnings, ..self }
    }

    /// The summary as text.
    pub fn text(&self) -> String {
        let mut lines = vec![format!(
            "{} of {}, {}, ports {}, {} routing, {} of {} in all",
            self.collective,
            self.topology,
            self.switching,
            self.ports,
            self.routing,
            counted(self.messages, "message"),
            counted(self.total_bytes, "byte")
        )];
        lines.push(self.verdict());
        if let Some(time) = self.time_us {
            let startups = self.startups.map_or(String::new(), |startups| {
                format!(", with {startups} start-ups of the busiest port")
            });
            lines.push(format!(
                "{time:.3} us modelled{startups}; none takes less than {:.3} us",
                self.lower_bound_us
            ));
        }
        lines.push(format!(
            "{}; seed {}, {}: {}, {:.3} s; {}",
            self.engine,
            self.seed,
            counted(self.ranks, "island"),
            counted(self.iterations, "iteration"),
            self.seconds,
            self.reason.words()
        ));
        lines.extend(self.schedule.map(|path| format!("saved in {}", path.display())));
        lines.join("\n")
    }

    fn verdict(&self) -> String {
        let (Some(bytes), bound) = (self.bytes, self.lower_bound_bytes) else {
            return "no schedule found: the search was stopped at its beginning".into();
        };
        let what = match (self.steps, self.lower_bound) {
            (Some(steps), Some(least)) => format!(
                "{steps} (at least {least}), their longest messages together {bytes}",
                steps = counted(steps, "step"),
                bytes = counted(bytes, "byte")
            ),
            _ => format!("timed, {bytes} long", bytes = counted(bytes, "byte")),
        };
        let (name, rules) = (self.bound, rules(&self.routing, &self.ports));
        if self.optimal {
            return format!("{what}, optimal: no schedule {rules} takes less time ({name} bound)");
        }
        let above = 100.0 * (self.ratio.unwrap_or(1.0) - 1.0);
        format!("{what}, {above:.2} % above the lower bound of {bound} ({name})")
    }
}
