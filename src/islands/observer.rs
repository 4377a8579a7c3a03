//! Who wants to know how a search goes.

use super::State;
use crate::engines::Tally;
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
    /// Iterations of every island so far.
    pub iterations: u64,
    /// How many of these it took to the best schedule, or to the beginning.
    pub improved_at: u64,
    /// Moves of all islands so far.
    pub evaluations: u64,
    /// Exchanges so far.
    pub exchanges: u64,
}

/// How an island has fared between two exchanges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandStats {
    /// What is wrong with its solution.
    pub cost: u64,
    /// How hot it is.
    pub temperature: f64,
    /// Moves made.
    pub evaluations: u64,
    /// What its walker has counted.
    pub tally: Tally,
    /// Islands that are given its solution to meet.
    pub sent: u64,
}

/// Hears of a search while it goes on, and keeps what is to outlast it.
pub trait Observer {
    /// After every exchange.
    fn progress(&mut self, progress: &Progress);

    /// After every exchange, how each island has fared since the one before.
    fn fared(&mut self, _progress: &Progress, _islands: &[IslandStats]) {}

    /// Where to go on from, asked once at the beginning; nowhere for a new search.
    fn resumes(&mut self) -> Option<State> {
        None
    }

    /// Whether the state of the search is to be kept now; asked after every exchange, and when the
    /// search is about to end.
    fn wants_state(&mut self, _ends: bool) -> bool {
        false
    }

    /// Keeps the state of the search.
    ///
    /// # Errors
    /// A state that cannot be kept ends the search.
    fn keep(&mut self, _state: State) -> Result<(), String> {
        Ok(())
    }

    /// An island has found a better schedule, which the others hear of at the next exchange.
    ///
    /// # Errors
    /// As [`Observer::improved`].
    fn found(&mut self, _plan: &Plan) -> Result<(), String> {
        Ok(())
    }

    /// A better schedule was found: the best of all islands.
    ///
    /// # Errors
    /// A schedule that is not valid, or cannot be written, ends the search.
    fn improved(&mut self, plan: &Plan) -> Result<(), String>;
}
