//! The record of one run.

use super::Budget;
use serde::{Deserialize, Serialize};

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
    /// The steps that were sought.
    pub seeking: u32,
    /// Steps of the best schedule so far.
    pub steps: Option<usize>,
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
        match budget {
            Budget::Seconds(_) | Budget::Longest(_) => self.seconds,
            Budget::CpuSeconds(_) => self.cpu_seconds,
            Budget::Evaluations(_) => self.evaluations as f64,
            Budget::Iterations(_) => self.iterations as f64,
        }
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
        match budget {
            Budget::Seconds(_) | Budget::Longest(_) => self.seconds,
            Budget::CpuSeconds(_) => self.cpu_seconds.unwrap_or(self.seconds),
            Budget::Evaluations(_) => self.evaluations as f64,
            Budget::Iterations(_) => self.iterations as f64,
        }
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
