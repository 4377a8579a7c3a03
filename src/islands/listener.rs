//! Who wants to know how a search goes.

use crate::schedule::Plan;

/// Where a search stands, after an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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

/// Hears of a search while it goes on.
pub trait Listener {
    /// After every exchange.
    fn progress(&mut self, progress: &Progress);

    /// A better schedule was found.
    ///
    /// # Errors
    /// A schedule that is not valid, or cannot be written, ends the search.
    fn improved(&mut self, plan: &Plan) -> Result<(), String>;
}
