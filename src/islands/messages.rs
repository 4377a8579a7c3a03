//! What islands and the master say to each other.

use crate::engines::Gene;
use serde::{Deserialize, Serialize};

/// From an island to the master, at every exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What is wrong with its solution; 0 for a schedule.
    pub cost: u64,
    /// Its solution.
    pub genes: Vec<Gene>,
    /// Moves made since the last exchange.
    pub evaluations: u64,
}

/// From the master to an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Orders {
    /// Search for so many steps.
    Seek(u32),
    /// Go on, after meeting another island's solution, if there is another island.
    Meet(Option<Vec<Gene>>),
    /// The search is over.
    Stop,
}
