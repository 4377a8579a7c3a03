//! The protocol between islands and masters. Every message on the wire is one of two enums, so that
//! an unexpected message is recognised; while ranks work on tasks, it is one of those of the farm.

use super::groups::{Decision, FromGroups, Terms};
use super::least_time::OfTime;
use super::run::Course;
use super::{Job, SearchError};
use crate::comm::{Census, Communicator};
use ccsched_base::codec;
use ccsched_base::rng::Rng;
use ccsched_engines::{Genome, Method, Tally};
use ccsched_model::schedule::Plan;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::cell::Cell;
use std::sync::Arc;

/// A message from the master to an island's process.
#[derive(Debug, Serialize, Deserialize)]
pub enum MasterMessage {
    /// Take part in a search.
    Search(Box<Job>, Course, Option<OfTime>),
    /// Work on tasks until none is left.
    Tasks,
    /// The next message to the island of a search.
    Order(FromMaster),
    /// The next decision for the groups of a master, and of the masters below it.
    Decide(Decision, Terms),
    /// The program ends.
    Dismissed,
}

/// A message from an island's process to the master.
#[derive(Debug, Serialize, Deserialize)]
pub enum IslandMessage {
    /// The answer of the island of a search.
    Answer(FromIsland),
    /// The same of the groups of a master, and of the masters below it.
    Groups(FromGroups),
    /// The last message of a search: no message of it follows from here or below.
    Ended(Census),
}

impl MasterMessage {
    /// Sends the message to some ranks.
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
    /// Sends the message to a master.
    pub fn send<C: Communicator>(&self, comm: &mut C, master: usize) -> Result<(), SearchError> {
        Ok(comm.send(vec![(master, codec::encode(self)?)])?)
    }
}

/// From an island to the master, in a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromIsland {
    /// The report of a leg.
    Report(Report),
    /// Its state, and the message that resumes it after an interrupt within a leg; none if it was
    /// interrupted before it had a state.
    State(Option<Box<(IslandState, FromMaster)>>),
    /// An interrupt reached the process of this island.
    Interrupted,
    /// The island did not answer in time; its master says so in its place.
    Lost,
    /// The island has panicked. It takes no further part, but answers.
    Failed,
}

/// The report of an island after a leg.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The cost of its solution; 0 for a complete schedule.
    pub cost: u64,
    /// The mean cost of its solutions.
    pub mean_cost: f64,
    /// The schedule and its method, if it has one that no other island reports.
    pub plan: Option<(Arc<Plan>, Method)>,
    /// The genome of its solution.
    pub genome: Genome,
    /// The iterations to spend on one step target.
    pub patience: u64,
    /// Iterations made since the last exchange.
    pub iterations: u64,
    /// Iterations that the leg counts: all of a leg, also if a schedule has ended it; those made if
    /// the leg ends because a team exchanges.
    pub passed: u64,
    /// Moves made since the last exchange.
    pub evaluations: u64,
    /// Its temperature.
    pub temperature: f64,
    /// The counts of its walker since the last exchange.
    pub tally: Tally,
    /// It was interrupted before the end of the leg.
    pub broken_off: bool,
}

/// From the master to an island, in a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromMaster {
    /// Cross over with the genome of another island, if there is one, and search for a schedule of
    /// this cost.
    Seek(u64, Option<Genome>),
    /// Cross over with the genome of another island, if there is one, and continue.
    CrossOver(Option<Genome>),
    /// Continue with the iterations that an interrupt left.
    GoOn,
    /// Wait for the other islands: the master already has the report of this leg.
    Wait,
    /// Break off and report; an island that has already reported keeps waiting.
    Break,
    /// Send the state instead of a report.
    Save,
    /// Load a state, then follow the second message, which is no other `Load`.
    Load(Box<IslandState>, #[serde(deserialize_with = "innermost")] Box<FromMaster>),
    /// The search is over.
    End,
}

/// Reads a message inside another. Only one level is taken: bytes that claim a million would need as
/// many stack frames.
fn innermost<'de, D: Deserializer<'de>>(bytes: D) -> Result<Box<FromMaster>, D::Error> {
    thread_local! {
        static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
    }
    if IS_INSIDE.replace(true) {
        return Err(D::Error::custom("a message inside a message inside a message"));
    }
    let message = Box::<FromMaster>::deserialize(bytes);
    IS_INSIDE.set(false);
    message
}

/// The state of an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IslandState {
    pub(super) rng: Rng,
    /// The saved state of its walker.
    pub(super) walker: Vec<u8>,
    pub(super) leg: Leg,
}

/// The leg between two exchanges: its remaining iterations and its counts so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Leg {
    /// Iterations left.
    pub left: u64,
    /// Moves made.
    pub evaluations: u64,
    /// The counts of the walker.
    pub tally: Tally,
}
