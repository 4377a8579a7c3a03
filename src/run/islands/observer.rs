//! The observer of a search, and the progress it receives.

use ccsched_engines::{Method, Tally};
use ccsched_model::schedule::Plan;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The progress of a search after an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The target: steps, or a time in bytes.
    pub seeking: u64,
    /// Steps of the best schedule so far, or its time in bytes.
    pub best: Option<u64>,
    /// Fewest conflicts among the islands.
    pub conflicts: u64,
    /// Temperature of the master's island.
    pub temperature: f64,
    /// Iterations of each island so far, in whole legs; the limits count these.
    pub iterations: u64,
    /// Iterations really done, the maximum over the islands in each leg; an island ends its leg
    /// early when it has a schedule.
    pub iterations_done: u64,
    /// The value of `iterations` when the best schedule was found; 0 if there is none.
    pub improved_at: u64,
    /// Moves of all islands so far.
    pub evaluations: u64,
    /// Exchanges so far.
    pub exchanges: u64,
}

/// The statistics of an island between two exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct IslandStats {
    /// The cost of its solution.
    pub cost: u64,
    /// The mean cost of its solutions.
    pub mean_cost: f64,
    /// Its temperature; 0 where it does not anneal.
    pub temperature: f64,
    /// Moves made.
    pub evaluations: u64,
    /// The counts of its walker.
    pub tally: Tally,
    /// Number of islands that receive its genome to cross over with.
    pub sent: u64,
}

/// Receives progress and schedules while a search runs.
pub trait Observer {
    /// Called after each exchange.
    fn progress(&mut self, progress: &Progress);

    /// Whether statistics of islands are wanted; if not, they are not sent to the master.
    fn wants_islands(&self) -> bool {
        true
    }

    /// Called after each exchange with the statistics of the islands since the one before, if they
    /// are wanted.
    fn islands(&mut self, _progress: &Progress, _islands: &[IslandStats]) {}

    /// No schedule costs less, by what has been proved beside the search.
    fn least(&mut self) -> u64 {
        0
    }

    /// Called before the state of the search is saved: everything received so far must be durable
    /// as well.
    fn flush(&mut self) {}

    /// Called when an island finds a better schedule; the other islands learn of it at the next
    /// exchange.
    ///
    /// # Errors
    /// As [`Observer::improved`].
    fn found(&mut self, _plan: &Arc<Plan>, _method: &Method) -> Result<(), String> {
        Ok(())
    }

    /// Called at an exchange with a better schedule: the best of all islands.
    ///
    /// # Errors
    /// An invalid schedule ends the search.
    fn improved(&mut self, plan: &Arc<Plan>, method: &Method) -> Result<(), String>;
}
