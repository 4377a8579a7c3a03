//! What a search tells while it runs.

use crate::engines::{Method, Tally};
use crate::schedule::Plan;
use serde::{Deserialize, Serialize};

/// Where a search stands, after an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of steps sought.
    pub seeking: u32,
    /// Steps of the best schedule so far.
    pub best: Option<usize>,
    /// Fewest conflicts among the islands.
    pub conflicts: u64,
    /// Temperature of the master's island.
    pub temperature: f64,
    /// Iterations of every island so far, whole legs between exchanges: what limits count.
    pub iterations: u64,
    /// Iterations done by the island that has done the most; an island ends its leg early when it
    /// has a schedule.
    pub iterations_done: u64,
    /// How many of `iterations` it took to the best schedule, or to the beginning.
    pub improved_at: u64,
    /// Moves of all islands so far.
    pub evaluations: u64,
    /// Exchanges so far.
    pub exchanges: u64,
}

/// What an island did between two exchanges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandStats {
    /// What is wrong with its solution.
    pub cost: u64,
    /// Its temperature; 0 where it does not anneal.
    pub temperature: f64,
    /// Moves made.
    pub evaluations: u64,
    /// What its walker has counted.
    pub tally: Tally,
    /// Islands that are given its solution to cross over with.
    pub sent: u64,
}

/// Hears of a search while it runs.
pub trait Observer {
    /// After every exchange.
    fn progress(&mut self, progress: &Progress);

    /// After every exchange, what each island did since the one before.
    fn islands(&mut self, _progress: &Progress, _islands: &[IslandStats]) {}

    /// The state of the search is about to be kept: what was heard so far must last, too.
    fn flush(&mut self) {}

    /// An island has found a better schedule, of which the others hear at the next exchange.
    ///
    /// # Errors
    /// As [`Observer::improved`].
    fn found(&mut self, _plan: &Plan, _method: &Method) -> Result<(), String> {
        Ok(())
    }

    /// A better schedule was found: the best of all islands.
    ///
    /// # Errors
    /// A schedule that is not valid ends the search.
    fn improved(&mut self, plan: &Plan, method: &Method) -> Result<(), String>;
}
