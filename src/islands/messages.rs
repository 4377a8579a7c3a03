//! What islands and the master say to each other.

use super::state::IslandState;
use crate::engines::{Genome, Tally};
use crate::schedule::Plan;
use serde::{Deserialize, Serialize};

/// From an island to the master, at every exchange.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What is wrong with its solution; 0 for a schedule.
    pub cost: u64,
    /// The schedule, if it has one, and how it was found.
    pub plan: Option<(Plan, Option<String>)>,
    /// Its solution, if it has no schedule.
    pub genome: Genome,
    /// Moves made since the last exchange.
    pub evaluations: u64,
    /// How hot it is.
    pub temperature: f64,
    /// What its walker has counted since the last exchange.
    pub tally: Tally,
    /// An interrupt has come before its iterations were over.
    pub broken_off: bool,
}

/// From the master to an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Orders {
    /// Search for so many steps.
    Seek(u32),
    /// Go on, after meeting another island's solution, if there is another island.
    Meet(Option<Genome>),
    /// Go on with the iterations that an interrupt has left.
    GoOn,
    /// Wait for the others: the master has the report of this stretch already.
    Wait,
    /// Tell the state instead of a report.
    Save,
    /// Take over a state, then do something else.
    Load(Box<IslandState>, Box<Orders>),
    /// The search is over.
    Stop,
}
