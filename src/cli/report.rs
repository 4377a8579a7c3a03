//! The end of a solve: the schedule as the papers print it, the summary for people, and the summary
//! line for programs.

use crate::bounds::Bound;
use crate::islands::{Outcome, StopReason};
use crate::network::faults::Fault;
use crate::problem::Problem;
use crate::schedule::{Plan, TimeModel};
use indicatif::HumanCount;
use serde::Serialize;
use std::path::Path;

/// The summary line: `--json`. The keys are fixed, because programs of other people read them.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    topology: &'a str,
    collective: String,
    switching: String,
    ports: String,
    routing: String,
    source: Option<&'a str>,
    faults: &'a [Fault],
    /// Null if no schedule was found.
    steps: Option<usize>,
    lower_bound: u32,
    bound: &'a str,
    optimal: bool,
    channel_steps: Option<usize>,
    longest_path: Option<usize>,
    time_us: Option<f64>,
    engine: &'a str,
    seed: u64,
    ranks: usize,
    iterations: u64,
    evaluations: u64,
    seconds: f64,
    /// The schedule file, if one was written.
    schedule: Option<&'a Path>,
    /// How the schedule was found, where the engine has several ways.
    method: Option<String>,
    /// With static routing: what a liquid schedule would carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    liquid: Option<Liquid>,
    #[serde(skip)]
    lengths: String,
    #[serde(skip)]
    reason: StopReason,
    #[serde(skip)]
    conflicts: (u32, u64),
}

/// The liquid throughput of a traffic with one route a pair (liquid-schedules, section 3).
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Liquid {
    transfers: usize,
    /// Load of the bottleneck.
    duration: u32,
    /// Transfers over duration: how many links' worth of throughput.
    links: f64,
    /// The same in MB/s, if it is known what a link has.
    mb_per_s: Option<f64>,
}

impl Liquid {
    fn of(problem: &Problem, link_rate: Option<f64>) -> Option<Self> {
        let duration = Some(problem.static_duration()).filter(|&load| load > 0)?;
        let transfers = problem.demands.len();
        let links = transfers as f64 / f64::from(duration);
        let mb_per_s = link_rate.map(|rate| rounded(links * rate));
        Some(Liquid { transfers, duration, links: rounded(links), mb_per_s })
    }
}

/// Without the noise of floating-point sums.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// How a search was run.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The engine that ran.
    pub engine: &'a str,
    /// Its seed.
    pub seed: u64,
    /// Number of islands.
    pub ranks: usize,
    /// How long it took.
    pub seconds: f64,
    /// Where the schedule is kept.
    pub output: Option<&'a Path>,
    /// Throughput of a link in MB/s.
    pub link_rate: Option<f64>,
}

impl<'a> Summary<'a> {
    /// Sums a run up. `bounds` are sorted, the largest first.
    pub fn new(problem: &'a Problem, bounds: &'a [Bound], outcome: &Outcome, run: Run<'a>) -> Self {
        let best: Option<&Plan> = outcome.best.as_ref();
        let (lower_bound, bound) = bounds.first().map_or((0, ""), |b| (b.steps, b.name));
        Summary {
            topology: problem.network.name(),
            collective: problem.collective.to_string(),
            switching: problem.switching.to_string(),
            ports: problem.ports.to_string(),
            routing: problem.routing.to_string(),
            source: problem.root.map(|v| problem.network.vertex_name(v)),
            faults: &problem.faults,
            steps: best.map(|plan| plan.steps.len()),
            lower_bound,
            bound,
            optimal: best.is_some_and(|plan| plan.steps.len() as u32 == lower_bound),
            channel_steps: best.map(Plan::channel_steps),
            longest_path: best.map(Plan::longest_path),
            time_us: best.map(|plan| {
                rounded(plan.time_us(&TimeModel::default(), problem.lengths.as_deref()))
            }),
            engine: run.engine,
            seed: run.seed,
            ranks: run.ranks,
            iterations: outcome.progress.iterations,
            evaluations: outcome.progress.evaluations,
            seconds: rounded(run.seconds),
            schedule: run.output.filter(|_| best.is_some()),
            method: outcome.method.clone(),
            liquid: Liquid::of(problem, run.link_rate),
            lengths: match &problem.lengths {
                None => format!("{} bytes", TimeModel::default().message_bytes),
                Some(_) => "their lengths".into(),
            },
            reason: outcome.reason,
            conflicts: (outcome.progress.seeking, outcome.progress.conflicts),
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut lines = vec![format!(
            "{} of {}, {}, ports {}, {} routing{}",
            self.collective,
            self.topology,
            self.switching,
            self.ports,
            self.routing,
            self.source.map_or(String::new(), |s| format!(", source {s}")),
        )];
        lines.push(self.verdict());
        if let (Some(time), Some(work), Some(path)) =
            (self.time_us, self.channel_steps, self.longest_path)
        {
            let bytes = &self.lengths;
            lines.push(format!(
                "{time:.3} us modelled for messages of {bytes}; {} channel-steps, longest path {path}",
                HumanCount(work as u64)
            ));
        }
        if let Some(Liquid { transfers, duration, links, mb_per_s }) = self.liquid {
            let rate = mb_per_s.map_or(String::new(), |rate| format!(", {rate} MB/s"));
            lines.push(format!(
                "liquid throughput: {transfers} transfers in {duration} steps, {links:.3} links{rate}"
            ));
        }
        lines.push(format!(
            "{}{}, seed {}, {} island{}: {} iterations, {} evaluations, {:.3} s",
            self.engine,
            self.method.as_ref().map_or(String::new(), |method| format!(" ({method})")),
            self.seed,
            self.ranks,
            if self.ranks == 1 { "" } else { "s" },
            HumanCount(self.iterations),
            HumanCount(self.evaluations),
            self.seconds
        ));
        if let Some(path) = self.schedule {
            lines.push(format!("saved in {}", path.display()));
        }
        lines.join("\n")
    }

    /// That an exact search has found that there is nothing to be found.
    fn nothing(&self, sought: u32) -> String {
        let kind = if sought == self.lower_bound { "liquid schedule" } else { "schedule" };
        let plural = if sought == 1 { "" } else { "s" };
        format!(
            "no {kind} exists: all full teams were tried, and no schedule has {sought} step{plural}; \
             --steps {} asks for one more",
            sought + 1
        )
    }

    fn verdict(&self) -> String {
        let Some(steps) = self.steps else {
            if self.reason == StopReason::Refuted {
                let sought = self.conflicts.0;
                return format!("no schedule has {sought} steps (by search)");
            }
            let (sought, conflicts) = self.conflicts;
            if self.reason == StopReason::Exhausted {
                return self.nothing(sought);
            }
            if sought == 0 {
                return "no schedule found: the search was broken off at its beginning".into();
            }
            let more = match self.reason {
                StopReason::Iterations => "; more --iterations or --islands may help",
                StopReason::Time => "; a longer --time-limit or more islands may help",
                _ => "",
            };
            return format!(
                "no schedule found: with {sought} steps {conflicts} conflicts were left{more}"
            );
        };
        let plural = if steps == 1 { "" } else { "s" };
        let (bound, name) = (self.lower_bound, self.bound);
        if self.optimal {
            if self.reason == StopReason::Refuted {
                return format!("{steps} step{plural}, optimal (by search)");
            }
            format!("{steps} step{plural}, optimal: no schedule has fewer ({name} bound)")
        } else {
            let gap = steps - bound as usize;
            format!("{steps} step{plural}, {gap} above the lower bound of {bound} ({name})")
        }
    }
}
