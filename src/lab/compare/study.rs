//! What a comparison is made of: configurations of engines, instances, one budget for all runs, and the record of
//! each run.

use ccsched_base::counted::counted;
use ccsched_engines::Engine;
use ccsched_run::islands::{EXCHANGE_EVERY, Form, Gap, Migration, Prepared};
use serde::{Deserialize, Serialize};

/// An engine with its parameters and number of islands.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// As the user wrote it.
    pub name: String,
    /// The engine.
    pub engine: Engine,
    /// Islands that search in parallel.
    pub islands: usize,
    /// Iterations between two exchanges. It is also the resolution of the measurement: a run ends,
    /// and its results are recorded, at exchanges only.
    pub exchange_every: u64,
    /// What the islands exchange.
    pub migration: Migration,
}

impl Configuration {
    /// A configuration with the exchange of the paper.
    pub fn of(name: String, engine: Engine, islands: usize) -> Self {
        let migration = Migration::default();
        Configuration { name, engine, islands, exchange_every: EXCHANGE_EVERY, migration }
    }
}

/// A problem, and the steps to reach.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Network, collective, steps, as printed.
    pub name: String,
    /// The problem with its bounds; each run sets its own engine and search.
    pub prepared: Prepared,
    /// The target; if none, it becomes the fewest steps that any run reaches.
    pub steps: Option<u32>,
    /// Where the time is to be the least.
    pub time: Option<LeastTime>,
}

impl Instance {
    /// Whether the best of all runs is the target.
    pub fn has_no_target(&self) -> bool {
        self.steps.is_none() && self.time.is_none_or(|time| time.bytes.is_none())
    }
}

/// Time in place of steps, of messages with lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastTime {
    /// The form of schedules.
    pub form: Form,
    /// The target in bytes, start-up times of steps included; if none, the least that any run reaches.
    pub bytes: Option<u64>,
    /// The same as a share of the bounds.
    pub gap: Gap,
}

/// The budget of every run, the same for all configurations; its unit is the measure of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Budget {
    /// Seconds on the wall clock.
    Seconds(f64),
    /// Seconds of CPU time of all islands.
    CpuSeconds(f64),
    /// Evaluations of all islands, as the engine counts them.
    Evaluations(u64),
    /// Iterations of every island, which run at the same time.
    Iterations(u64),
    /// Earlier runs with unknown budget: the wall-clock seconds of the longest run.
    Longest(f64),
}

impl Budget {
    /// The amount, in its own unit.
    pub fn amount(self) -> f64 {
        match self {
            Budget::Seconds(s) | Budget::CpuSeconds(s) | Budget::Longest(s) => s,
            Budget::Evaluations(n) | Budget::Iterations(n) => n as f64,
        }
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Budget::Seconds(_) | Budget::Longest(_) => "seconds",
            Budget::CpuSeconds(_) => "CPU seconds",
            Budget::Evaluations(_) => "evaluations",
            Budget::Iterations(_) => "iterations",
        }
    }

    /// What is spent of it, of all that is.
    fn of(self, seconds: f64, cpu_seconds: f64, [evaluations, iterations]: [u64; 2]) -> f64 {
        match self {
            Budget::Seconds(_) | Budget::Longest(_) => seconds,
            Budget::CpuSeconds(_) => cpu_seconds,
            Budget::Evaluations(_) => evaluations as f64,
            Budget::Iterations(_) => iterations as f64,
        }
    }

    /// A description for reports.
    pub fn describe(self) -> String {
        match self {
            Budget::Seconds(s) => format!("{s} seconds on the wall clock a run, the same for all"),
            Budget::CpuSeconds(s) => {
                format!("{s} seconds of CPU time a run, summed over its islands, the same for all")
            }
            Budget::Evaluations(n) => format!(
                "{n} a run, summed over its islands, the same for all (what one costs \
                 differs between engines)",
                n = counted(n, "evaluation")
            ),
            Budget::Iterations(n) => {
                format!("{n} of each island, the same for all", n = counted(n, "iteration"))
            }
            Budget::Longest(s) => format!(
                "unknown (earlier runs); the longest run took {s} seconds on the wall clock"
            ),
        }
    }
}

/// A form of the name for file names: lower-case letters and digits, dashes for all else.
pub fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    let words: String = name.chars().map(plain).collect();
    words.split_whitespace().collect::<Vec<_>>().join("-")
}

/// Runs of configurations on instances.
#[derive(Clone, Debug)]
pub struct Study {
    /// Names of the instances.
    pub instances: Vec<String>,
    /// Names of the configurations.
    pub configurations: Vec<String>,
    /// By configuration: its name without the number of islands, and that number.
    pub families: Vec<(String, usize)>,
    /// The budget of every run.
    pub budget: Budget,
    /// What schedules have the least of: steps, or bytes.
    pub measure: &'static str,
    /// The runs.
    pub records: Vec<Record>,
}

impl Study {
    /// The runs of one configuration on one instance.
    pub fn runs(&self, instance: usize, configuration: usize) -> Vec<&Record> {
        let is_of = |r: &&Record| (r.instance, r.configuration) == (instance, configuration);
        self.records.iter().filter(is_of).collect()
    }
}

/// The state of a run at one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Evaluations of all islands so far.
    pub evaluations: u64,
    /// Fewest conflicts so far.
    pub conflicts: u64,
}

/// The costs of all islands at one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Evaluations of all islands so far.
    pub evaluations: u64,
    /// The steps that were sought, or the time in bytes.
    pub seeking: u64,
    /// Steps of the best schedule so far, or its time in bytes.
    pub steps: Option<u64>,
    /// The least cost of an island.
    pub best: u64,
    /// The mean cost of all solutions: of all islands, and of all individuals of populations.
    pub mean: f64,
}

/// The time at which a run first had a schedule of this length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// Its steps, or its bytes where the time is to be the least.
    pub length: u64,
    /// Time on the wall clock until then.
    pub seconds: f64,
    /// CPU time of all islands until then.
    pub cpu_seconds: f64,
    /// Evaluations of all islands until then.
    pub evaluations: u64,
    /// Iterations of every island until then.
    pub iterations: u64,
}

impl Reached {
    /// The budget spent by then, in its unit.
    pub fn spent(&self, budget: Budget) -> f64 {
        budget.of(self.seconds, self.cpu_seconds, [self.evaluations, self.iterations])
    }
}

/// What the busiest rank of a run has spent; the two may be of different ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Busiest {
    /// CPU seconds.
    pub cpu_seconds: f64,
    /// Moves of its island.
    pub moves: u64,
}

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Index of the instance.
    pub instance: usize,
    /// Index of the configuration.
    pub configuration: usize,
    /// The seed.
    pub seed: u64,
    /// Whether the target was reached within the budget.
    pub success: bool,
    /// Time on the wall clock.
    pub seconds: f64,
    /// CPU time of all islands, if measured.
    pub cpu_seconds: Option<f64>,
    /// Evaluations of all islands.
    pub evaluations: u64,
    /// Iterations of every island.
    pub iterations: u64,
    /// What the busiest rank has spent, if known.
    pub busiest: Option<Busiest>,
    /// Modelled time of its best schedule in microseconds, if it has one and it is known.
    pub time_us: Option<f64>,
    /// Its energy in nanojoules, if that of a bit is known.
    pub energy_nj: Option<f64>,
    /// Fewest conflicts left, if known.
    pub conflicts: Option<u64>,
    /// Every schedule shorter than all before it; empty if unknown.
    pub reached: Vec<Reached>,
    /// Every improvement, and the end; empty if unknown.
    pub trace: Vec<Point>,
    /// The costs of the islands in the course of the run, if wanted.
    pub history: Vec<Moment>,
}

impl Record {
    /// The budget spent, in its unit.
    pub fn spent(&self, budget: Budget) -> f64 {
        let cpu_seconds = self.cpu_seconds.unwrap_or(self.seconds);
        budget.of(self.seconds, cpu_seconds, [self.evaluations, self.iterations])
    }

    /// The length of the best schedule with this budget spent; none before the first schedule.
    pub fn length_at(&self, spent: f64, budget: Budget) -> Option<f64> {
        let known = self.reached.iter().take_while(|r| r.spent(budget) <= spent);
        known.last().map(|r| r.length as f64)
    }

    /// Fewest conflicts after this number of evaluations; none before the first exchange.
    pub fn conflicts_at(&self, evaluations: f64) -> Option<u64> {
        let known = self.trace.iter().take_while(|p| p.evaluations as f64 <= evaluations);
        known.last().map(|p| p.conflicts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_plain() {
        assert_eq!(slug("kautz:3,2 AAS 7"), "kautz-3-2-aas-7");
        assert_eq!(slug("  a/b..c "), "a-b-c");
    }
}
