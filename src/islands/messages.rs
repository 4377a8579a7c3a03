//! What islands and the master say to each other.

use crate::engines::Genome;
use crate::schedule::Plan;
use serde::{Deserialize, Serialize};

/// From an island to the master, at every exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What is wrong with its solution; 0 for a schedule.
    pub cost: u64,
    /// The schedule, if it has one, and how it was found.
    pub plan: Option<(Plan, Option<String>)>,
    /// Its solution, if it has no schedule.
    pub genome: Genome,
    /// Moves made since the last exchange.
    pub evaluations: u64,
}

/// From the master to an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Orders {
    /// Search for so many steps.
    Seek(u32),
    /// Go on, after meeting another island's solution, if there is another island.
    Meet(Option<Genome>),
    /// The search is over.
    Stop,
}
