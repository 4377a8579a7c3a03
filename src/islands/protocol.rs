//! What islands and the master say to each other.

use super::state::IslandState;
use crate::engines::{Genome, Tally};
use crate::schedule::Plan;
use serde::{Deserialize, Serialize};

/// From an island to the master.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromIsland {
    /// How it has fared.
    Report(Report),
    /// Its state, and what it has to do next where the master does not know better; nothing if it
    /// was broken off before it had a state.
    State(Option<Box<(IslandState, FromMaster)>>),
    /// An interrupt has reached this island's process.
    Interrupted,
}

/// How an island has fared since the last exchange.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What is wrong with its solution; 0 for a schedule.
    pub cost: u64,
    /// The schedule, if it has one, and how it was found.
    pub plan: Option<(Plan, Option<String>)>,
    /// Its solution, if it has no schedule.
    pub genome: Genome,
    /// How many iterations at this number of steps are worth while.
    pub patience: u64,
    /// Moves made since the last exchange.
    pub evaluations: u64,
    /// How hot it is.
    pub temperature: f64,
    /// What its walker has counted since the last exchange.
    pub tally: Tally,
    /// A break has come before its iterations were over.
    pub broken_off: bool,
}

/// From the master to an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromMaster {
    /// Search for so many steps.
    Seek(u32),
    /// Go on, after meeting another island's solution, if there is another island.
    CrossOver(Option<Genome>),
    /// Go on with the iterations that a break has left.
    GoOn,
    /// Wait for the others: the master has the report of this stretch already.
    Wait,
    /// Break off what is under way and report; who has reported already goes on waiting.
    Break,
    /// Tell the state instead of a report.
    Save,
    /// Take over a state, then do something else.
    Load(Box<IslandState>, Box<FromMaster>),
    /// The search is over.
    End,
}
