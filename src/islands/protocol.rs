//! What islands and the master say to each other. Every message on the wire is one of two enums, so
//! that a message out of turn is recognised as such.

use super::state::IslandState;
use super::tasks::{Solved, Task};
use super::{Job, SearchError};
use crate::comm::{CommError, Communicator, codec};
use crate::engines::{Genome, Method, Tally};
use crate::schedule::Plan;
use serde::{Deserialize, Serialize};

/// A message from the master to an island's process.
#[derive(Debug, Serialize, Deserialize)]
pub enum MasterMessage {
    /// Take part in a search, and keep snapshots if the second field says so.
    Search(Box<Job>, bool),
    /// Work on tasks until none is left.
    Tasks,
    /// A task and its number.
    Task(usize, Box<Task>),
    /// No task is left, or the one under way is to end.
    NoTask,
    /// What the island of a search does next.
    Order(FromMaster),
    /// The program ends.
    Dismissed,
}

/// A message from an island's process to the master.
#[derive(Debug, Serialize, Deserialize)]
pub enum IslandMessage {
    /// The island of a search answers.
    Answer(FromIsland),
    /// The outcome of a task, by number; a request for the next one.
    Solved(Option<(usize, Solved)>),
}

impl MasterMessage {
    /// Sends the message to some members.
    pub fn send<C: Communicator>(
        &self,
        comm: &mut C,
        ranks: impl IntoIterator<Item = usize>,
    ) -> Result<(), SearchError> {
        let bytes = codec::encode(self)?;
        comm.send(ranks.into_iter().map(|rank| (rank, bytes.clone())).collect())?;
        Ok(())
    }
}

impl IslandMessage {
    /// Sends the message to the master.
    pub fn send<C: Communicator>(&self, comm: &mut C) -> Result<(), SearchError> {
        Ok(comm.send(vec![(0, codec::encode(self)?)])?)
    }

    /// The answer of an island, where nothing else is expected.
    pub fn answer(rank: usize, bytes: &[u8]) -> Result<FromIsland, CommError> {
        match codec::decode(bytes)? {
            IslandMessage::Answer(answer) => Ok(answer),
            IslandMessage::Solved(_) => Err(CommError::OutOfTurn(rank)),
        }
    }
}

/// From an island to the master, in a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromIsland {
    /// What it did since the last exchange.
    Report(Report),
    /// Its state, and what it does next where the master does not know better; nothing if it was
    /// broken off before it had a state.
    State(Option<Box<(IslandState, FromMaster)>>),
    /// An interrupt has reached this island's process.
    Interrupted,
}

/// What an island did since the last exchange.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What is wrong with its solution; 0 for a schedule.
    pub cost: u64,
    /// The schedule, if it has one, and how it was found.
    pub plan: Option<(Plan, Method)>,
    /// Its solution, if it has no schedule.
    pub genome: Genome,
    /// How many iterations at this number of steps are worth while.
    pub patience: u64,
    /// Iterations made since the last exchange.
    pub iterations: u64,
    /// Moves made since the last exchange.
    pub evaluations: u64,
    /// Its temperature.
    pub temperature: f64,
    /// What its walker has counted since the last exchange.
    pub tally: Tally,
    /// It was broken off before its iterations were done.
    pub broken_off: bool,
}

/// From the master to an island, in a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromMaster {
    /// Search for so many steps.
    Seek(u32),
    /// Go on, after crossing over with another island's solution, if there is another island.
    CrossOver(Option<Genome>),
    /// Go on with the iterations that a break has left.
    GoOn,
    /// Wait for the others: the master has the report of this leg already.
    Wait,
    /// Break off and report; an island that has reported already goes on waiting.
    Break,
    /// Send the state instead of a report.
    Save,
    /// Adopt a state, then obey another order.
    Load(Box<IslandState>, Box<FromMaster>),
    /// The search is over.
    End,
}
