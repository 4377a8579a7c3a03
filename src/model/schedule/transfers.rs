//! The transfers of a schedule file in flat arrays: vertices are numbered by their names, which may
//! be any text, and the paths of all transfers share one array. A large file has millions of
//! transfers, and records of strings and vectors would take ten times as much memory.

use super::names::{NameId, Names};
use super::paths::Paths;
use super::stops::{Ends, Stops};
use crate::problem::Phase;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::fmt;
use std::ops::Range;

/// In place of a destination that is absent.
pub(super) const NOBODY: NameId = NameId::MAX;

/// The transfers of every step.
#[derive(Clone, Default)]
pub struct Steps {
    pub(super) names: Names,
    /// By step, the end of its transfers; the step before it ends where it begins.
    pub(super) ends: Vec<usize>,
    /// Whether messages are named by the root of their sum in place of a source.
    pub(super) are_sums: bool,
    /// By transfer, the source (of a sum, the root) and the destination of its message.
    pub(super) messages: Vec<Ends>,
    pub(super) stops: Stops,
    pub(super) paths: Paths<usize>,
    /// By transfer; empty if no transfer says which copy it carries.
    pub(super) copies: Vec<Option<u32>>,
    /// By transfer; empty if no transfer gives a length.
    pub(super) bytes: Vec<Option<u64>>,
    /// By transfer; empty if no transfer says which piece it carries.
    pub(super) pieces: Vec<Option<u32>>,
    /// By transfer; empty if no transfer has a phase.
    pub(super) phases: Vec<Option<Phase>>,
    /// By transfer, when it starts; empty if no transfer says so.
    pub(super) starts: Vec<Option<u64>>,
}

/// The names of a transfer by number, and what its message has beside them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The source of the message; of a sum, its root.
    pub source: NameId,
    /// The destination of the message; absent in broadcasts.
    pub destination: Option<NameId>,
    /// Which of several messages of this pair, from 1.
    pub copy: Option<u32>,
    /// The length of the message.
    pub bytes: Option<u64>,
    /// Which piece of the message, from 0.
    pub piece: Option<u32>,
    /// What the transfer does with a sum, where a collective does both.
    pub phase: Option<Phase>,
    /// When it starts, in a timed schedule.
    pub at: Option<u64>,
    /// Where the transfer starts.
    pub from: NameId,
    /// Where it ends.
    pub to: NameId,
}

impl Steps {
    /// The steps of these records.
    pub fn of(records: &[Vec<TransferRecord>]) -> Self {
        let first = records.iter().flatten().next();
        let are_sums = first.is_some_and(|t| t.message.is_sum);
        let mut steps = Steps { are_sums, ..Steps::default() };
        for step in records {
            for t in step {
                let m = &t.message;
                let entry = Entry {
                    source: steps.names.number(&m.source),
                    destination: m.destination.as_ref().map(|name| steps.names.number(name)),
                    copy: m.copy,
                    bytes: m.bytes,
                    piece: m.piece,
                    phase: t.phase,
                    at: t.at,
                    from: steps.names.number(&t.from),
                    to: steps.names.number(&t.to),
                };
                steps.paths.open().extend(&t.channels);
                steps.end_transfer(entry);
            }
            steps.end_step();
        }
        steps
    }

    /// All transfers as records.
    pub fn records(&self) -> Vec<Vec<TransferRecord>> {
        self.iter().map(|step| step.map(RecordRef::to_record).collect()).collect()
    }

    /// Ends a transfer, whose channels have been added.
    pub(super) fn end_transfer(&mut self, entry: Entry) {
        let Entry { source, destination, copy, bytes, piece, phase, at, from, to } = entry;
        let before = self.messages.len();
        add(&mut self.copies, before, copy);
        add(&mut self.bytes, before, bytes);
        add(&mut self.pieces, before, piece);
        add(&mut self.phases, before, phase);
        add(&mut self.starts, before, at);
        self.paths.end(before);
        self.messages.push([source, destination.unwrap_or(NOBODY)]);
        if let Stops::Told(stops) = &mut self.stops {
            stops.push([from, to]);
        }
    }

    /// Ends a step, whose transfers have been added.
    pub(super) fn end_step(&mut self) {
        self.ends.push(self.messages.len());
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The steps in their order; each is an iterator over its transfers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Records<'_>> + Clone {
        (0..self.len()).map(|step| Records { steps: self, left: self.places(step) })
    }

    /// The numbers of the transfers of a step; the transfers are numbered from 0, step by step.
    pub fn places(&self, step: usize) -> Range<usize> {
        step.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[step]
    }

    /// The step of the transfer of this number.
    pub fn step_of(&self, transfer: usize) -> usize {
        self.ends.partition_point(|&end| end <= transfer)
    }

    /// The names of the vertices by number.
    pub fn names(&self) -> &[Box<str>] {
        self.names.list()
    }

    /// The transfer of this number.
    pub fn entry(&self, transfer: usize) -> Entry {
        let [source, destination] = self.messages[transfer];
        let [from, to] = self.stops(transfer);
        Entry {
            source,
            destination: Some(destination).filter(|&d| d != NOBODY),
            copy: self.copies.get(transfer).copied().flatten(),
            bytes: self.bytes.get(transfer).copied().flatten(),
            piece: self.pieces.get(transfer).copied().flatten(),
            phase: self.phases.get(transfer).copied().flatten(),
            at: self.starts.get(transfer).copied().flatten(),
            from,
            to,
        }
    }

    /// Whether every message has a destination, or none has, and none a copy, a piece or a length.
    pub fn have_only_ends(&self, have_destinations: bool) -> bool {
        let is_so = |message: &Ends| (message[1] != NOBODY) == have_destinations;
        let are_alone = self.copies.is_empty() && self.bytes.is_empty() && self.pieces.is_empty();
        are_alone && self.starts.is_empty() && self.messages.iter().all(is_so)
    }

    /// By channel below `channels`, the ends of transfers over it, if each transfer has one channel
    /// that determines them.
    pub fn ends_of_hops(&self, channels: usize) -> Option<&[[NameId; 2]]> {
        match &self.stops {
            Stops::OfChannels(ends, _) if self.paths.are_single_below(channels) => Some(ends),
            _ => None,
        }
    }

    /// Makes the schedule a timed one: by transfer, when it starts.
    pub fn set_starts(&mut self, starts: &[u64]) {
        self.starts = starts.iter().copied().map(Some).collect();
    }

    /// Whether some transfer says when it starts.
    pub fn have_starts(&self) -> bool {
        !self.starts.is_empty()
    }

    /// Whether the messages are sums, each named by its root.
    pub fn are_sums(&self) -> bool {
        self.are_sums
    }

    /// Where this transfer starts and ends.
    pub fn stops(&self, transfer: usize) -> [NameId; 2] {
        self.stops.of(transfer, self.path(transfer))
    }

    /// The source of the message of this transfer.
    pub fn source(&self, transfer: usize) -> NameId {
        self.messages[transfer][0]
    }

    /// The path of the transfer of this number.
    pub fn path(&self, transfer: usize) -> &[u32] {
        self.paths.path(transfer)
    }

    /// The transfer of this number with names.
    pub fn record(&self, transfer: usize) -> RecordRef<'_> {
        let Entry { source, destination, copy, bytes, piece, phase, at, from, to } =
            self.entry(transfer);
        let name = |id: NameId| &*self.names()[id as usize];
        let (source, destination) = (name(source), destination.map(name));
        let is_sum = self.are_sums;
        RecordRef {
            message: MessageRef { is_sum, source, destination, copy, bytes, piece },
            phase,
            at,
            from: name(from),
            to: name(to),
            channels: self.path(transfer),
        }
    }
}

/// Adds the value of the next transfer, if this one or one before it has a value.
fn add<T: Clone>(values: &mut Vec<Option<T>>, before: usize, value: Option<T>) {
    if value.is_some() || !values.is_empty() {
        values.resize(before, None);
        values.push(value);
    }
}

impl PartialEq for Steps {
    /// Equal names may have different numbers.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a.eq(b))
    }
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|step| step.collect::<Vec<_>>())).finish()
    }
}

/// A message: a broadcast has only a source. The sum of a collective that computes has its root in
/// place of a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageRecord {
    /// Whether it is a sum: `source` is then its root, under the key `root`.
    pub is_sum: bool,
    /// The source.
    pub source: String,
    /// The destination; absent in broadcasts and sums.
    pub destination: Option<String>,
    /// Which of several messages of this pair, from 1; absent where there is one.
    pub copy: Option<u32>,
    /// Its length, where the traffic gives lengths.
    pub bytes: Option<u64>,
    /// Which piece of the message, from 0; sums have it always.
    pub piece: Option<u32>,
}

/// One transfer: a message goes along channels within one step. [`Steps`] holds transfers without
/// records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferRecord {
    /// What is carried.
    pub message: MessageRecord,
    /// What it does with a sum, in collectives that reduce and gather.
    pub phase: Option<Phase>,
    /// When it starts, in a timed schedule.
    pub at: Option<u64>,
    /// Where it starts in this step.
    pub from: String,
    /// Where it ends in this step.
    pub to: String,
    /// The path: indices into `network.channels`.
    pub channels: Vec<u32>,
}

/// The message of a transfer of [`Steps`], as a [`MessageRecord`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRef<'f> {
    /// Whether it is a sum.
    pub is_sum: bool,
    /// The source; of a sum, its root.
    pub source: &'f str,
    /// The destination; absent in broadcasts and sums.
    pub destination: Option<&'f str>,
    /// Which of several messages of this pair, from 1.
    pub copy: Option<u32>,
    /// Its length.
    pub bytes: Option<u64>,
    /// Which piece of the message, from 0.
    pub piece: Option<u32>,
}

impl Serialize for MessageRef<'_> {
    /// The keys of a file, without those that are absent.
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let given = [self.copy.is_some(), self.bytes.is_some(), self.piece.is_some()];
        let keys = 1 + usize::from(self.destination.is_some());
        let keys = keys + given.into_iter().filter(|&given| given).count();
        let mut map = out.serialize_struct("MessageRecord", keys)?;
        map.serialize_field(if self.is_sum { "root" } else { "source" }, self.source)?;
        if let Some(destination) = self.destination {
            map.serialize_field("destination", destination)?;
        }
        if let Some(copy) = self.copy {
            map.serialize_field("copy", &copy)?;
        }
        if let Some(bytes) = self.bytes {
            map.serialize_field("bytes", &bytes)?;
        }
        if let Some(piece) = self.piece {
            map.serialize_field("piece", &piece)?;
        }
        map.end()
    }
}

/// A transfer of [`Steps`], as a [`TransferRecord`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RecordRef<'f> {
    /// What is carried.
    pub message: MessageRef<'f>,
    /// What it does with a sum, where a collective does both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// When it starts, in a timed schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Where it starts in this step.
    pub from: &'f str,
    /// Where it ends in this step.
    pub to: &'f str,
    /// The path: indices into `network.channels`.
    pub channels: &'f [u32],
}

impl RecordRef<'_> {
    /// A copy that stands alone.
    pub fn to_record(self) -> TransferRecord {
        let MessageRef { is_sum, source, destination, copy, bytes, piece } = self.message;
        let (source, destination) = (source.into(), destination.map(String::from));
        TransferRecord {
            message: MessageRecord { is_sum, source, destination, copy, bytes, piece },
            phase: self.phase,
            at: self.at,
            from: self.from.into(),
            to: self.to.into(),
            channels: self.channels.to_vec(),
        }
    }
}

/// Iterates over the transfers of a step.
#[derive(Clone)]
pub struct Records<'f> {
    steps: &'f Steps,
    left: Range<usize>,
}

impl<'f> Iterator for Records<'f> {
    type Item = RecordRef<'f>;

    fn next(&mut self) -> Option<RecordRef<'f>> {
        self.left.next().map(|transfer| self.steps.record(transfer))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl ExactSizeIterator for Records<'_> {}
