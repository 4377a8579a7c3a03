//! What differs between two schedules: by transfer, with its message, step and path. Vertices are
//! compared by their names, and parallel channels by their order.

use super::transfers::RecordRef;
use super::{MessageRef, ScheduleFile};
use crate::problem::Phase;
use ccsched_base::counted::counted;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// A message by its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Name {
    /// The source; of a sum, its root.
    pub source: String,
    /// The destination; none in broadcasts and sums.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// Which of several messages of the pair, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<u32>,
    /// Which piece, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub piece: Option<u32>,
    /// Whether the complete sum is spread.
    #[serde(skip)]
    gathers: bool,
}

impl Name {
    /// The name of the message of a transfer.
    pub fn of(record: &RecordRef<'_>) -> Self {
        let MessageRef { source, destination, copy, piece, .. } = record.message;
        Name {
            source: source.into(),
            destination: destination.map(String::from),
            copy,
            piece,
            gathers: record.phase == Some(Phase::Gather),
        }
    }
}

/// Where a transfer is: its step, from 1, or its start, and the vertices of its path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Placed {
    /// The step, from 1.
    pub step: usize,
    /// In a timed schedule, whose transfers are all in one step: its start, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// The vertices; of parallel channels with the number, such as `b#2`.
    pub path: Vec<String>,
}

/// A message whose transfers differ; none in the old schedule if it is new, none in the new one if it
/// is dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The message.
    pub message: Name,
    /// Its transfers that only the old schedule has.
    pub old: Vec<Placed>,
    /// Those that only the new one has.
    pub new: Vec<Placed>,
}

impl Change {
    /// Whether the same paths are taken in other steps, or at other starts.
    pub fn is_of_steps(&self) -> bool {
        let paths = |of: &[Placed]| {
            let mut paths: Vec<Vec<String>> = of.iter().map(|p| p.path.clone()).collect();
            paths.sort();
            paths
        };
        !self.old.is_empty() && paths(&self.old) == paths(&self.new)
    }
}

/// The differences of two schedules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Messages with the same transfers in both.
    pub kept: usize,
    /// Messages that both have, with other transfers.
    pub changed: Vec<Change>,
    /// Messages that only the new schedule has.
    pub added: Vec<Change>,
    /// Messages that only the old schedule has.
    pub dropped: Vec<Change>,
}

impl Changes {
    /// From an old schedule to a new one.
    pub fn between(old: &ScheduleFile, new: &ScheduleFile) -> Self {
        let (before, mut after) = (messages(old), messages(new));
        let mut changes = Changes::default();
        for (message, old) in before {
            match after.remove(&message) {
                Some(new) if new == old => changes.kept += 1,
                Some(new) => {
                    let (old, new) = (without(&old, &new), without(&new, &old));
                    changes.changed.push(Change { message, old, new });
                }
                None => changes.dropped.push(Change { message, old, new: Vec::new() }),
            }
        }
        let added = after.into_iter();
        changes.added.extend(added.map(|(message, new)| Change { message, old: vec![], new }));
        changes
    }

    /// Transfers of the new schedule that the old one does not have.
    pub fn transfers(&self) -> usize {
        self.changed.iter().chain(&self.added).map(|change| change.new.len()).sum()
    }

    /// `3,944 messages kept, 88 changed (12 only in their steps), 0 added, 0 dropped`, with counts as
    /// they are.
    pub fn summary(&self) -> String {
        let moved = self.changed.iter().filter(|change| change.is_of_steps()).count();
        let is_timed = self.changed.iter().flat_map(|change| &change.new).any(|p| p.at.is_some());
        format!(
            "{} kept, {} changed ({moved} only in their {}), {} added, {} dropped",
            counted(self.kept, "message"),
            self.changed.len(),
            if is_timed { "starts" } else { "steps" },
            self.added.len(),
            self.dropped.len()
        )
    }
}

/// The transfers of a list that another does not have.
fn without(of: &[Placed], other: &[Placed]) -> Vec<Placed> {
    of.iter().filter(|placed| other.binary_search(placed).is_err()).cloned().collect()
}

/// The transfers of every message, in order.
fn messages(file: &ScheduleFile) -> BTreeMap<Name, Vec<Placed>> {
    // Which of several channels with these ends a channel is.
    let mut before: HashMap<(&str, &str), usize> = HashMap::new();
    let numbers: Vec<usize> = (file.network.channels.iter())
        .map(|c| {
            let number = before.entry((&c.from, &c.to)).or_default();
            *number += 1;
            *number
        })
        .collect();
    let mut messages: BTreeMap<Name, Vec<Placed>> = BTreeMap::new();
    for (step, records) in file.steps.iter().enumerate() {
        for record in records {
            let mut path = vec![record.from.to_string()];
            for &c in record.channels {
                let Some(channel) = file.network.channels.get(c as usize) else { continue };
                path.push(match numbers[c as usize] {
                    1 => channel.to.clone(),
                    number => format!("{}#{number}", channel.to),
                });
            }
            let placed = Placed { step: step + 1, at: record.at, path };
            messages.entry(Name::of(&record)).or_default().push(placed);
        }
    }
    messages.values_mut().for_each(|placed| placed.sort());
    messages
}
