//! The parts of all ranks while they are written: blocks, tags and operations.

use super::script::{Script, Transfer};
use crate::comm::part::{Act, Operation, Part};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Messages between two ranks that have tags of their own; the next one has the tag of the first.
/// The MPI standard allows tags up to 32767 at least.
const TAGS: u16 = 16_000;

/// The first tag of barriers, after those of all other messages.
const BARRIER_TAG: u16 = 2 * TAGS;

/// A message in the memory of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Index of the message.
    pub message: usize,
    /// The rank that had it at first.
    pub source: usize,
    /// Its length, where the schedule gives lengths.
    pub bytes: Option<u64>,
}

/// What one rank does, and the blocks that its operations name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankPart {
    /// Its operations.
    pub part: Part,
    /// Its blocks.
    pub blocks: Vec<Block>,
}

impl RankPart {
    /// The bytes of all blocks, if those without a length of their own have `bytes` bytes.
    pub fn memory(&self, bytes: u64) -> u64 {
        self.blocks.iter().map(|block| block.bytes.unwrap_or(bytes)).fold(0, u64::saturating_add)
    }
}

/// The parts of all ranks so far.
pub(super) struct Draft<'s> {
    script: &'s Script,
    pub(super) ranks: Vec<RankPart>,
    /// By rank and message, the block.
    places: HashMap<(usize, usize), usize>,
    /// Messages from a rank to a rank so far: with content, and tokens.
    sent: HashMap<(usize, usize, bool), u16>,
}

impl<'s> Draft<'s> {
    pub(super) fn new(script: &'s Script) -> Self {
        let ranks = vec![RankPart::default(); script.ranks()];
        Draft { script, ranks, places: HashMap::new(), sent: HashMap::new() }
    }

    /// What a rank does from now on begins when all before has ended.
    pub(super) fn begin_segment(&mut self, rank: usize) {
        self.ranks[rank].part.segments.push(Vec::new());
    }

    /// Adds an operation; its index in the segment.
    fn add(&mut self, rank: usize, act: Act, after: Vec<usize>) -> usize {
        let segments = &mut self.ranks[rank].part.segments;
        if segments.is_empty() {
            segments.push(Vec::new());
        }
        let segment = segments.last_mut().expect("there is one");
        segment.push(Operation { act, after });
        segment.len() - 1
    }

    /// The block of a message on a rank.
    fn block(&mut self, rank: usize, message: usize) -> usize {
        let blocks = &mut self.ranks[rank].blocks;
        *self.places.entry((rank, message)).or_insert_with(|| {
            let of = &self.script.messages[message];
            blocks.push(Block { message, source: of.source, bytes: of.bytes });
            blocks.len() - 1
        })
    }

    /// The tag of the next message from a rank to a rank.
    fn tag(&mut self, from: usize, to: usize, is_token: bool) -> u16 {
        let sent = self.sent.entry((from, to, is_token)).or_default();
        let tag = 2 * *sent + u16::from(is_token);
        *sent = (*sent + 1) % TAGS;
        tag
    }

    /// A transfer, whose ends wait for these operations of theirs; the indices of its two ends.
    pub(super) fn transfer(
        &mut self,
        transfer: &Transfer,
        [send_after, receive_after]: [Vec<usize>; 2],
    ) -> [usize; 2] {
        let &Transfer { message, from, to, .. } = transfer;
        let tag = self.tag(from, to, false);
        let (here, there) = (self.block(from, message), self.block(to, message));
        let send = self.add(from, Act::Send { to, tag, block: Some(here) }, send_after);
        let into = Act::Receive { from, tag, block: Some(there) };
        [send, self.add(to, into, receive_after)]
    }

    /// A token, sent after these operations; the index of its arrival.
    pub(super) fn token(&mut self, from: usize, to: usize, after: Vec<usize>) -> usize {
        let tag = self.tag(from, to, true);
        self.add(from, Act::Send { to, tag, block: None }, after);
        self.add(to, Act::Receive { from, tag, block: None }, vec![])
    }

    /// A barrier of all ranks: after round i every rank knows of 2^i ranks more (dissemination). It
    /// is a segment of its own.
    pub(super) fn barrier(&mut self) {
        let ranks = self.ranks.len();
        (0..ranks).for_each(|rank| self.begin_segment(rank));
        let rounds = (0..).take_while(|round| 1usize << round < ranks);
        for round in rounds {
            let tag = BARRIER_TAG + round;
            for rank in 0..ranks {
                let (to, from) =
                    ((rank + (1 << round)) % ranks, (rank + ranks - (1 << round)) % ranks);
                // The last operation is the message of the round before.
                let at = self.ranks[rank].part.segments.last().map_or(0, Vec::len);
                let before: Vec<usize> = at.checked_sub(1).into_iter().collect();
                self.add(rank, Act::Send { to, tag, block: None }, before.clone());
                self.add(rank, Act::Receive { from, tag, block: None }, before);
            }
        }
    }
}
