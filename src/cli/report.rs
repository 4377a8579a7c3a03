//! The summary of a run: text for people, one line of JSON for programs.

use super::rules::rules;
use super::time_args::{TimeArgs, arrival};
use ccsched_base::counted::{counted, form};
use ccsched_bounds as bounds;
use ccsched_engines::Method;
use ccsched_model::problem::{Multicast, Problem, Relays};
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::{Plan, TimeModel};
use ccsched_network::Rate;
use ccsched_network::faults::Fault;
use ccsched_run::islands::{Solution, StopReason, memory};
use ccsched_run::regroup::Regrouped;
use ccsched_run::repair::spare::Spare;
use indicatif::HumanCount;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// Less memory is not worth a line of the text.
const MUCH: u64 = 256_000_000;

/// The summary line: `--json`. Its keys are a public interface.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    topology: &'a str,
    collective: String,
    switching: String,
    ports: String,
    /// Whether terminals that take no part forward messages; absent if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    relays: Option<String>,
    /// What copies and adds up on the way; absent if nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    multicast: Option<String>,
    routing: String,
    source: Option<&'a str>,
    /// The pieces of each message, if they are cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<u32>,
    faults: &'a [Fault],
    /// Null if no schedule was found.
    steps: Option<usize>,
    lower_bound: u32,
    bound: &'a str,
    /// Steps above the lower bound.
    gap: Option<usize>,
    optimal: bool,
    /// The last step target.
    seeking: Option<u64>,
    /// Conflicts that were left then.
    conflicts: Option<u64>,
    channel_steps: Option<usize>,
    longest_path: Option<usize>,
    time_us: Option<f64>,
    /// Where channels have delays: of the time, the largest delays of all steps, and what no schedule undercuts.
    #[serde(flatten)]
    delays: Option<DelaysTold>,
    /// When a message has arrived everywhere, on average.
    mean_arrival_us: Option<f64>,
    /// Null unless the energy of a bit is given.
    energy_nj: Option<f64>,
    /// What the modelled time is computed from.
    time_model: TimeModel,
    /// What capacity 1 stands for, if the network's speeds are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<&'a Rate>,
    /// The requested engine.
    engine: &'a str,
    /// The method that found the schedule.
    method: Option<String>,
    /// The parameters that the method used.
    parameters: BTreeMap<&'static str, Value>,
    seed: u64,
    ranks: usize,
    iterations: u64,
    evaluations: u64,
    seconds: f64,
    /// CPU seconds of the rank that has used most, and moves of the island that has made most, since
    /// the search began or was resumed.
    rank_cpu_seconds: f64,
    rank_moves: u64,
    /// The most memory that this process has used, in bytes, where the system tells it.
    peak_memory: Option<u64>,
    /// The most memory that another rank has used, in bytes, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_memory_of_others: Option<u64>,
    /// Why the run ended.
    reason: StopReason,
    /// The schedule file, if one was written.
    schedule: Option<&'a Path>,
    /// The clauses of the refutation, if they were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'a Path>,
    /// Why the refutation that was asked for is not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_proof: Option<String>,
    /// Laxer rules with schedules of fewer steps, or under which these are not ruled out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    laxer: Vec<Laxer>,
    /// What no schedule undercuts in which terminals make all copies and sums.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_terminals: Option<ByTerminals>,
    /// How the schedule was chosen among others by its repairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    spare: Option<Spare>,
    /// What the schedule has gained where its steps were regrouped by their delays; absent if they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    regrouped: Option<Regrouped>,
    /// What the reader of the network did not use or had to guess.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
    /// The file of --output, if a better schedule of an earlier run has stayed in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<Kept<'a>>,
    /// With static routing: the throughput of a liquid schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    liquid: Option<Liquid>,
    #[serde(skip)]
    lengths: String,
    /// Whether the transfer time is that of the rate.
    #[serde(skip)]
    is_of_rate: bool,
    /// Whether a user has said what things cost.
    #[serde(skip)]
    is_modelled: bool,
    #[serde(skip)]
    left: (u64, u64),
}

/// A laxer rule under which a schedule has fewer steps, or may have fewer than an optimal one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Laxer {
    /// What it allows.
    #[serde(skip)]
    pub what: &'static str,
    /// The options of that rule.
    pub options: String,
    /// No schedule under it has fewer steps.
    pub lower_bound: u32,
    /// The bound by name.
    pub bound: &'static str,
    /// The steps of a schedule that a constructor makes under it, if that has fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<usize>,
}

/// What a schedule takes at least in which terminals, and not switches, make all copies and sums.
#[derive(Clone, Debug, Serialize)]
struct ByTerminals {
    lower_bound: u32,
    bound: &'static str,
    channel_steps: u64,
}

impl ByTerminals {
    /// None where switches make none.
    fn of(problem: &Problem) -> Option<Self> {
        let plain = problem.is_multicast().then(|| problem.without_multicast().ok())??;
        let best = bounds::quick(&plain).into_iter().next();
        let (lower_bound, bound) = best.map_or((0, ""), |best| (best.steps, best.name));
        Some(ByTerminals { lower_bound, bound, channel_steps: bounds::least_channels(&plain) })
    }
}

/// A better schedule of the same problem that was there already.
#[derive(Debug, Serialize)]
struct Kept<'a> {
    schedule: &'a Path,
    steps: usize,
}

/// The liquid throughput of a traffic with one route a pair (liquid-schedules, section 3).
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Liquid {
    transfers: usize,
    /// Load of the bottleneck.
    duration: u32,
    /// Transfers over duration: throughput in units of one link.
    links: f64,
    /// The same in MB/s, if the rate of a link is known.
    mb_per_s: Option<f64>,
}

impl Liquid {
    /// `byte_ns` is the time of a byte on a link, if it is known.
    fn of(problem: &Problem, byte_ns: Option<f64>) -> Option<Self> {
        if !problem.switching().holds_paths() {
            // A liquid schedule keeps the bottleneck busy with messages that go straight.
            return None;
        }
        let duration = Some(problem.static_duration()).filter(|&load| load > 0)?;
        let transfers = problem.demands().len();
        let links = transfers as f64 / f64::from(duration);
        let byte_ns = byte_ns.filter(|&byte_ns| byte_ns > 0.0);
        let mb_per_s = byte_ns.map(|byte_ns| rounded(links * 1e3 / byte_ns));
        Some(Liquid { transfers, duration, links: rounded(links), mb_per_s })
    }
}

/// What the delays of channels make of the time.
#[derive(Clone, Copy, Debug, Serialize)]
struct DelaysTold {
    /// The sum over all steps of the largest delay of a path, in microseconds.
    delays_us: f64,
    /// No schedule has less of it.
    least_delays_us: f64,
    /// No schedule takes less time.
    lower_bound_us: f64,
}

impl DelaysTold {
    /// That of a plan; none without delays.
    fn of(problem: &Problem, plan: &Plan, model: &TimeModel, least: u32) -> Option<Self> {
        let net = problem.network();
        if !net.has_delays() {
            return None;
        }
        let alone = TimeModel { startup_us: 0.0, byte_ns: 0.0, ..*model };
        let least_delays_us = least_delays_us(problem, model, Some(least));
        let longest = problem.lengths().map(|lengths| lengths.iter().copied().max().unwrap_or(0));
        let bytes_us = match longest {
            Some(longest) => model.byte_ns * 1e-3 * longest as f64,
            None => f64::from(least) * model.byte_ns * 1e-3 * model.message_bytes as f64,
        };
        let of_steps = f64::from(least) * model.startup_us + bytes_us;
        Some(DelaysTold {
            delays_us: rounded(plan.time_us(net, &alone, None)),
            least_delays_us: rounded(least_delays_us),
            lower_bound_us: rounded(of_steps + least_delays_us),
        })
    }
}

/// The least sum of the largest delays of all steps in microseconds, of at least a number of steps; 0 without
/// delays.
pub fn least_delays_us(problem: &Problem, model: &TimeModel, steps: Option<u32>) -> f64 {
    let net = problem.network();
    if !net.has_delays() {
        return 0.0;
    }
    let tr = (model.hop_us * 1e3) as u64;
    bounds::delays::of_steps(problem, &net.delays_in_ns(tr), steps.unwrap_or(1)) as f64 * 1e-3
}

/// Without the noise of floating-point sums.
pub fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

impl<'a> Summary<'a> {
    /// The summary of a run whose schedule is saved in `output`.
    pub fn new(solution: &'a Solution, output: Option<&'a Path>, costs: &TimeArgs) -> Self {
        let Solution { problem, plan, method, progress, .. } = solution;
        let (rate, own) = (problem.network().rate(), costs.step.byte_ns());
        let whole = costs.model(rate);
        let time = whole.of_pieces(problem.pieces());
        let (lower_bound, bound) = solution.bounds.first().map_or((0, ""), |b| (b.steps, b.name));
        let (best, lengths) = (plan.as_deref(), problem.lengths());
        let sent = best.map(|plan| match problem.collective().joins() {
            true => Cow::Owned(plan.of_joined(problem.pieces())),
            false => Cow::Borrowed(plan),
        });
        // Of a tree each channel counts once.
        let trees = best.filter(|_| problem.is_multicast());
        let trees = trees.map(|plan| plan.record(problem, &[], Provenance::default()));
        let parameters = method.as_ref().map_or(Vec::new(), |m| solution.engine.parameters_of(m));
        // What the text says where nothing was found.
        let left = (progress.seeking, progress.conflicts);
        let sought = (best.is_none() && progress.seeking > 0).then_some(left);
        Summary {
            topology: problem.network().name(),
            collective: problem.collective().to_string(),
            switching: problem.asked_switching().to_string(),
            ports: problem.ports().to_string(),
            relays: (problem.request().relays == Relays::All).then(|| Relays::All.to_string()),
            multicast: problem.is_multicast().then(|| Multicast::Switch.to_string()),
            routing: problem.routing().to_string(),
            source: problem.root().map(|v| problem.network().vertex_name(v)),
            pieces: Some(problem.pieces()).filter(|&pieces| pieces > 1),
            faults: problem.faults(),
            steps: solution.steps(),
            lower_bound,
            bound,
            gap: solution.steps().map(|steps| steps.saturating_sub(lower_bound as usize)),
            optimal: solution.is_optimal(),
            seeking: sought.map(|(seeking, _)| seeking),
            conflicts: sought.map(|(_, conflicts)| conflicts),
            channel_steps: match &trees {
                Some(file) => Some(file.channel_steps()),
                None => sent.as_deref().map(Plan::channel_steps),
            },
            longest_path: best.map(Plan::longest_path),
            time_us: best.map(|plan| rounded(plan.time_us(problem.network(), &time, lengths))),
            delays: best.and_then(|plan| DelaysTold::of(problem, plan, &time, lower_bound)),
            mean_arrival_us: best
                .map(|plan| rounded(plan.mean_arrival_us(problem.network(), &time, lengths))),
            energy_nj: match &trees {
                Some(file) => file.energy_nj(&whole),
                None => sent.and_then(|plan| plan.energy_nj(&time, lengths)),
            }
            .map(rounded),
            time_model: whole,
            rate,
            engine: solution.engine.name(),
            method: method.as_ref().map(Method::to_string),
            parameters: parameters.into_iter().collect(),
            seed: solution.search.seed,
            ranks: solution.ranks,
            iterations: progress.iterations_done,
            evaluations: progress.evaluations,
            seconds: rounded(solution.seconds),
            rank_cpu_seconds: rounded(solution.busiest.cpu.as_secs_f64()),
            rank_moves: solution.busiest.moves,
            peak_memory: memory::peak(),
            peak_memory_of_others: solution.peak_of_others,
            reason: solution.reason,
            schedule: output.filter(|_| best.is_some()),
            proof: None,
            no_proof: None,
            laxer: Vec::new(),
            by_terminals: ByTerminals::of(problem).filter(|_| best.is_some()),
            spare: None,
            regrouped: None,
            warnings: &[],
            kept: None,
            liquid: Liquid::of(problem, own.or(rate.map(Rate::byte_ns))),
            lengths: match &problem.lengths() {
                None => counted(whole.message_bytes, "byte"),
                Some(_) => "their lengths".into(),
            },
            is_of_rate: own.is_none(),
            is_modelled: costs.is_given(),
            left,
        }
    }

    /// The summary of a run that was asked for a refutation: its file, or why there is none.
    pub fn with_proof(self, proof: Option<&'a Path>, no_proof: Option<String>) -> Self {
        Summary { proof, no_proof, ..self }
    }

    /// Laxer rules under which fewer steps are not ruled out.
    pub fn with_laxer(self, laxer: Vec<Laxer>) -> Self {
        Summary { laxer, ..self }
    }

    /// What the schedule has gained where its steps were regrouped.
    pub fn with_regrouped(self, regrouped: Option<Regrouped>) -> Self {
        let rounded = |told: Regrouped| Regrouped {
            before_us: rounded(told.before_us),
            after_us: rounded(told.after_us),
            ..told
        };
        Summary { regrouped: regrouped.map(rounded), ..self }
    }

    /// How the schedule was chosen among others by its repairs.
    pub fn with_spare(self, spare: Option<Spare>) -> Self {
        Summary { spare, ..self }
    }

    /// What the reader of the network did not use or had to guess.
    pub fn with_warnings(self, warnings: &'a [String]) -> Self {
        Summary { warnings, ..self }
    }

    /// The better schedule in the file of `output` was not replaced.
    pub fn with_kept(self, output: Option<&'a Path>, steps: Option<usize>) -> Self {
        match output.zip(steps) {
            None => self,
            Some((schedule, steps)) => {
                Summary { schedule: None, kept: Some(Kept { schedule, steps }), ..self }
            }
        }
    }

    /// What delays of links make of the time, if links have delays.
    fn of_delays(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(DelaysTold { delays_us, least_delays_us, lower_bound_us }) = self.delays {
            lines.push(format!(
                "{delays_us:.3} us of it are delays of links, at least {least_delays_us:.3}; none takes less than \
                 {lower_bound_us:.3} us"
            ));
        }
        if let Some(Regrouped { before_us, after_us, steps_before }) = self.regrouped {
            lines.push(format!(
                "long links are put together: {before_us:.3} us in {before} before, {after_us:.3} us now",
                before = counted(steps_before, "step")
            ));
        }
        lines
    }

    /// The summary as text.
    pub fn text(&self) -> String {
        let mut lines = vec![format!(
            "{} of {}, {},{} ports {},{} {} routing{}{}",
            self.collective,
            self.topology,
            self.switching,
            if self.multicast.is_some() { " copies in switches," } else { "" },
            self.ports,
            self.relays.as_ref().map_or(String::new(), |relays| format!(" relays {relays},")),
            self.routing,
            self.source.map_or(String::new(), |s| format!(", source {s}")),
            self.pieces.map_or(String::new(), |pieces| format!(
                ", {pieces}",
                pieces = counted(pieces, "piece")
            )),
        )];
        lines.push(self.verdict());
        if let Some(ByTerminals { lower_bound, bound, channel_steps }) = &self.by_terminals {
            lines.push(format!(
                "copies by terminals alone take at least {} ({bound} bound) and {}",
                counted(*lower_bound, "step"),
                counted(HumanCount(*channel_steps), "channel-step")
            ));
        }
        lines.extend(self.laxer.iter().map(|laxer| {
            let Laxer { what, options, lower_bound, bound, steps } = laxer;
            let number = counted(steps.unwrap_or(*lower_bound as usize), "step");
            match steps {
                Some(_) => format!("{what} take {number} at once: {options}"),
                None => format!("{what} may allow {number}: {options} ({bound} bound)"),
            }
        }));
        if let Some(spare) = self.spare {
            let Spare { steps, links, cut, tried, before, after, least } = spare;
            let uncut = if cut == 0 { String::new() } else { format!(", {cut} cut messages off") };
            lines.push(format!(
                "after one of {links} broken links{uncut}: at most {} {} in {}; \
                 before {} in {}, of {tried} within {steps}, at least {} in {}",
                counted(after.changed, "message"),
                form(after.changed, "changes", "change"),
                counted(after.steps, "step"),
                before.changed,
                before.steps,
                least.changed,
                least.steps,
                tried = counted(tried, "schedule"),
                steps = counted(steps, "step")
            ));
        }
        if let (Some(time), Some(work), Some(path)) =
            (self.time_us, self.channel_steps, self.longest_path)
        {
            let bytes = &self.lengths;
            lines.push(format!(
                "{time:.3} us modelled for messages of {bytes}; {}, longest path {path}",
                counted(HumanCount(work as u64), "channel-step")
            ));
        }
        lines.extend(self.of_delays());
        if let Some(rate) = self.rate.filter(|_| self.is_of_rate) {
            lines.push(format!("capacity 1 = {rate}"));
        }
        if let Some(mean) = self.mean_arrival_us.filter(|_| self.is_modelled) {
            lines.push(arrival(mean, self.energy_nj));
        }
        if let Some(Liquid { transfers, duration, links, mb_per_s }) = self.liquid {
            let rate = mb_per_s.map_or(String::new(), |rate| format!(", {rate} MB/s"));
            lines.push(format!(
                "liquid throughput: {transfers} in {duration}, {links:.3} links{rate}",
                transfers = counted(transfers, "transfer"),
                duration = counted(duration, "step")
            ));
        }
        lines.push(self.work());
        if let Some(peak) = self.peak_memory.filter(|&peak| peak >= MUCH) {
            let others = self.peak_memory_of_others.map(memory::text);
            let others =
                others.map_or(String::new(), |most| format!(", of other ranks at most {most}"));
            lines.push(format!("peak memory {}{others}", memory::text(peak)));
        }
        if let Some(path) = self.schedule {
            lines.push(format!("saved in {}", path.display()));
        }
        if let Some(path) = self.proof {
            lines.push(format!("refutation of fewer steps in {}", path.display()));
        }
        lines.extend(self.no_proof.iter().map(|why| format!("no refutation is written: {why}")));
        if let Some(Kept { schedule, steps }) = self.kept {
            lines.push(format!(
                "not saved: {} holds a better schedule of the same problem, with {steps}; \
                 --force replaces it",
                schedule.display(),
                steps = counted(steps, "step")
            ));
        }
        lines.join("\n")
    }

    /// The engine, the method, and the work done.
    fn work(&self) -> String {
        let method = self.method.as_ref().map_or(String::new(), |method| format!(", {method}"));
        let spent = match (self.iterations, self.evaluations) {
            (0, 0) => String::new(),
            (iterations, evaluations) => format!(
                "{}, {}, ",
                counted(HumanCount(iterations), "iteration"),
                counted(HumanCount(evaluations), "evaluation")
            ),
        };
        format!(
            "{}{method}; seed {}, {}: {spent}{:.3} s; {}",
            self.engine,
            self.seed,
            counted(self.ranks, "island"),
            self.seconds,
            self.reason.words()
        )
    }

    /// The verdict of an exhausted search.
    fn nothing(&self, sought: u64) -> String {
        let kind =
            if sought == u64::from(self.lower_bound) { "liquid schedule" } else { "schedule" };
        format!(
            "no {kind} exists: the search is exhausted, and no schedule has {}; \
             --steps {} asks for one more",
            counted(sought, "step"),
            sought + 1
        )
    }

    fn verdict(&self) -> String {
        let Some(steps) = self.steps else {
            if self.reason == StopReason::Refuted {
                let sought = self.left.0;
                return format!(
                    "no schedule has {sought} (by search)",
                    sought = counted(sought, "step")
                );
            }
            let (sought, conflicts) = self.left;
            if self.reason == StopReason::Exhausted {
                return self.nothing(sought);
            }
            if sought == 0 {
                return "no schedule found: the search was stopped at its beginning".into();
            }
            let more = match self.reason {
                StopReason::Iterations => "; more --iterations or --islands may help",
                StopReason::Time => "; a longer --time-limit or more islands may help",
                _ => "",
            };
            return format!(
                "no schedule found for {}: {} {} left{more}",
                counted(sought, "step"),
                counted(conflicts, "conflict"),
                form(conflicts, "was", "were")
            );
        };
        let said = counted(steps, "step");
        let (bound, name) = (self.lower_bound, self.bound);
        let rules = rules(&self.routing, &self.ports);
        if self.optimal {
            if self.reason == StopReason::Refuted {
                return format!("{said}, optimal {rules} (by search)");
            }
            format!("{said}, optimal: no schedule {rules} has fewer ({name} bound)")
        } else {
            let gap = steps - bound as usize;
            format!("{said}, {gap} above the lower bound of {bound} ({name})")
        }
    }
}
