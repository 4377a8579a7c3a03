//! Input of a comparison: configurations of engines, instances, and one budget for all runs.

use ccsched_base::counted::counted;
use ccsched_engines::Engine;
use ccsched_run::islands::{EXCHANGE_EVERY, Form, Gap, Migration, Prepared};
use serde::Serialize;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_plain() {
        assert_eq!(slug("kautz:3,2 AAS 7"), "kautz-3-2-aas-7");
        assert_eq!(slug("  a/b..c "), "a-b-c");
    }
}
