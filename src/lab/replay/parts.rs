//! The parts of all ranks while they are written: blocks, tags and operations. Sums are made before they are sent,
//! and signals are sent when those of earlier steps have come: the vectors of an all-reduce of one part have each a
//! block of its own, and the signals of a barrier have none.

use super::script::{Script, Transfer};
use ccsched_model::problem::{Joining, Phase};
use ccsched_model::schedule::vectors::{self, Acts, of_ranks};
use ccsched_run::comm::part::{Act, Operation, Part};
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
    /// What it must hold at the end, if it is not its own.
    pub expects: Expected,
    /// The pieces of which it is one.
    pub pieces: u32,
}

impl Block {
    /// Its length, if whole messages without a length of their own have `bytes` bytes.
    pub fn length(&self, bytes: u64) -> u64 {
        self.bytes.unwrap_or(bytes.div_ceil(u64::from(self.pieces.max(1))))
    }
}

/// What a block must hold in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expected {
    /// The message.
    Message,
    /// The sum of what all that add to it had at first.
    Sum,
    /// A part of a sum, which is not checked.
    Part,
}

/// What one rank does, and the blocks that its operations name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankPart {
    /// Its operations.
    pub part: Part,
    /// Its blocks.
    pub blocks: Vec<Block>,
    /// The ranks that add to sums.
    pub adders: Vec<usize>,
}

impl RankPart {
    /// The bytes of all blocks, if those without a length of their own have `bytes` bytes.
    pub fn memory(&self, bytes: u64) -> u64 {
        self.blocks.iter().map(|block| block.length(bytes)).fold(0, u64::saturating_add)
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
    /// By rank and sum, what the rank has of it.
    sums: HashMap<(usize, usize), Sum>,
    /// What has arrived in the present step: the rank, the sum, what has arrived of it, and whether
    /// that is complete.
    arrived: Vec<(usize, usize, Sum, bool)>,
    /// What joins.
    pub(super) vectors: Vectors,
}

/// What a rank has of a sum: the block, and the segment and the operation that filled it.
#[derive(Clone, Copy)]
struct Sum {
    block: usize,
    made: Option<(usize, usize)>,
}

impl<'s> Draft<'s> {
    pub(super) fn new(script: &'s Script) -> Self {
        let mut empty = RankPart::default();
        if script.sums.is_some() {
            empty.adders = (0..script.ranks()).filter(|&rank| script.sends[rank]).collect();
        }
        let ranks = vec![empty; script.ranks()];
        let (places, sent, sums) = (HashMap::new(), HashMap::new(), HashMap::new());
        let (arrived, vectors) = (Vec::new(), Vectors::of(script));
        let mut draft = Draft { script, ranks, places, sent, sums, arrived, vectors };
        for (rank, pieces) in draft.vectors.pieces().into_iter().enumerate() {
            // The first messages are the pieces of one vector.
            pieces.into_iter().for_each(|piece| _ = draft.block_of_sum(rank, piece));
        }
        draft
    }

    /// What a rank does from now on begins when all before has ended.
    pub(super) fn begin_segment(&mut self, rank: usize) {
        self.ranks[rank].part.segments.push(Vec::new());
    }

    /// Adds an operation; its index in the segment.
    pub(super) fn add(&mut self, rank: usize, act: Act, after: Vec<usize>) -> usize {
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
            let (expects, pieces) = (Expected::Message, self.script.pieces);
            let (source, bytes) = (of.source, of.bytes);
            blocks.push(Block { message, source, bytes, expects, pieces });
            blocks.len() - 1
        })
    }

    /// A new block of a rank for a part of a sum.
    fn block_of_sum(&mut self, rank: usize, message: usize) -> usize {
        let (bytes, expects) = (self.script.messages[message].bytes, Expected::Part);
        let blocks = &mut self.ranks[rank].blocks;
        let pieces = self.script.pieces;
        blocks.push(Block { message, source: rank, bytes, expects, pieces });
        blocks.len() - 1
    }

    /// What a rank has of a sum, its own contribution at first.
    fn sum(&mut self, rank: usize, message: usize) -> Option<Sum> {
        let known = self.sums.get(&(rank, message)).copied();
        known.or_else(|| {
            let own = self.script.sends[rank].then(|| self.block_of_sum(rank, message))?;
            let sum = Sum { block: own, made: None };
            self.sums.insert((rank, message), sum);
            Some(sum)
        })
    }

    /// The operation that makes a sum, if it is in the present segment of the rank.
    fn maker(&self, rank: usize, sum: Sum) -> Option<usize> {
        sum.made.and_then(|made| self.present(rank, made))
    }

    /// An operation, if it is in the present segment of the rank.
    pub(super) fn present(&self, rank: usize, (of, operation): (usize, usize)) -> Option<usize> {
        (of + 1 == self.ranks[rank].part.segments.len()).then_some(operation)
    }

    /// Adds up what has arrived in the step that ends.
    pub(super) fn end_step(&mut self) {
        self.vectors.end_step();
        for (rank, message, arrived, is_complete) in std::mem::take(&mut self.arrived) {
            let before = self.sum(rank, message).filter(|_| !is_complete);
            let sum = match before {
                None => arrived,
                Some(before) => {
                    let into = self.block_of_sum(rank, message);
                    let makers = [before, arrived].map(|sum| self.maker(rank, sum));
                    let act = Act::Add { of: [before.block, arrived.block], into };
                    let operation = self.add(rank, act, makers.into_iter().flatten().collect());
                    let segment = self.ranks[rank].part.segments.len() - 1;
                    Sum { block: into, made: Some((segment, operation)) }
                }
            };
            self.sums.insert((rank, message), sum);
        }
    }

    /// The parts. The blocks that hold the results of sums must have them.
    pub(super) fn finish(mut self) -> Vec<RankPart> {
        for (&(rank, message), sum) in &self.sums {
            if self.script.needs(rank, message) {
                self.ranks[rank].blocks[sum.block].expects = Expected::Sum;
            }
        }
        self.ranks
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
        [mut send_after, receive_after]: [Vec<usize>; 2],
    ) -> [usize; 2] {
        let &Transfer { message, from, to, phase, .. } = transfer;
        let tag = self.tag(from, to, false);
        let joins = self.script.joining != Joining::Apart;
        let [here, there] = match phase {
            None if joins => {
                let (blocks, after) = self.joined(message, from);
                send_after.extend(after);
                blocks
            }
            None => [from, to].map(|rank| Some(self.block(rank, message))),
            Some(_) => {
                let sum = self.sum(from, message).expect("a sum is sent after it has arrived");
                send_after.extend(self.maker(from, sum));
                [sum.block, self.block_of_sum(to, message)].map(Some)
            }
        };
        let send = self.add(from, Act::Send { to, tag, block: here }, send_after);
        let into = Act::Receive { from, tag, block: there };
        let receipt = self.add(to, into, receive_after);
        let segment = self.ranks[to].part.segments.len() - 1;
        if joins {
            self.has_arrived(message, to, (segment, receipt));
        }
        if let (Some(phase), Some(block)) = (phase, there) {
            let sum = Sum { block, made: Some((segment, receipt)) };
            self.arrived.push((to, message, sum, phase == Phase::Gather));
        }
        [send, receipt]
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

impl Draft<'_> {
    /// The blocks of a transfer whose messages join, and what must have ended before it is sent.
    pub(super) fn joined(
        &mut self,
        transfer: usize,
        from: usize,
    ) -> ([Option<usize>; 2], Vec<usize>) {
        if self.vectors.ranks.is_empty() {
            let heard = self.vectors.heard[from].clone();
            let after = heard.into_iter().filter_map(|made| self.present(from, made));
            return ([None, None], after.collect());
        }
        let [sent, received] = self.vectors.ends[transfer];
        let after = self.make(from, sent).into_iter().collect();
        ([Some(sent), Some(received)], after)
    }

    /// Notes that it has arrived.
    pub(super) fn has_arrived(&mut self, transfer: usize, to: usize, made: Made) {
        match self.vectors.ends.get(transfer) {
            Some(&[_, received]) => self.vectors.ranks[to].made[received] = Some(made),
            None => self.vectors.arrived.push((to, made)),
        }
    }

    /// Makes a vector, if it is a sum that is not made yet; the operation, if it is in the present segment.
    fn make(&mut self, rank: usize, vector: usize) -> Option<usize> {
        let of = &self.vectors.ranks[rank];
        if let Some(made) = of.made[vector] {
            return self.present(rank, made);
        }
        let of = of.sums[vector]?;
        let after = of.into_iter().filter_map(|vector| self.make(rank, vector)).collect();
        let operation = self.add(rank, Act::Add { of, into: vector }, after);
        let segment = self.ranks[rank].part.segments.len() - 1;
        self.vectors.ranks[rank].made[vector] = Some((segment, operation));
        Some(operation)
    }

    /// Makes the results, which are checked.
    pub(super) fn make_results(&mut self) {
        for rank in 0..self.vectors.ranks.len() {
            for result in self.vectors.ranks[rank].results.clone() {
                self.make(rank, result);
                self.ranks[rank].blocks[result].expects = Expected::Sum;
            }
        }
    }
}

/// A segment and an operation of it.
pub(super) type Made = (usize, usize);

/// The vectors of all ranks, and what has become of them so far.
#[derive(Default)]
pub(super) struct Vectors {
    pub ranks: Vec<Rank>,
    /// By transfer, the vector that is sent, and the vector that is received.
    pub ends: Vec<[usize; 2]>,
    /// By rank, the signals of earlier steps, and those of this step.
    pub heard: Vec<Vec<Made>>,
    pub arrived: Vec<(usize, Made)>,
}

/// The vectors of a rank, those of a piece after those of the piece before.
#[derive(Default)]
pub(super) struct Rank {
    /// By piece.
    pub results: Vec<usize>,
    /// By vector, its piece.
    pub pieces: Vec<usize>,
    /// By vector that is a sum, what it is the sum of.
    pub sums: Vec<Option<[usize; 2]>>,
    /// By vector, what has made it.
    pub made: Vec<Option<Made>>,
}

impl Vectors {
    /// Those of a script; none where nothing joins.
    pub fn of(script: &Script) -> Self {
        let mut all = Vectors::default();
        match script.joining {
            Joining::Apart => (),
            Joining::Signal => all.heard = vec![Vec::new(); script.ranks()],
            Joining::Sum => {
                all.ends = vec![[0; 2]; script.steps.iter().map(Vec::len).sum()];
                all.ranks.resize_with(script.ranks(), Rank::default);
                for piece in 0..script.pieces as usize {
                    all.add_piece(script, piece);
                }
            }
        }
        all
    }

    fn add_piece(&mut self, script: &Script, piece: usize) {
        let is_of = |t: &&Transfer| t.piece == piece;
        let numbers: Vec<usize> =
            script.steps.iter().flatten().filter(is_of).map(|t| t.message).collect();
        let sum = |t: &Transfer| vectors::Sum { from: t.from, to: t.to, of: t.of.clone() };
        let steps = script.steps.iter().map(|step| step.iter().filter(is_of).map(sum).collect());
        for (rank, acts) in of_ranks(script.ranks(), steps).into_iter().enumerate() {
            self.add(rank, piece, &acts, &numbers);
        }
    }

    /// Adds what a rank does with a piece, whose transfers have these numbers.
    fn add(&mut self, rank: usize, piece: usize, acts: &Acts, numbers: &[usize]) {
        let of = &mut self.ranks[rank];
        let (first, vectors) = (of.sums.len(), acts.newest.len());
        of.sums.resize(first + vectors, None);
        of.made.resize(first + vectors, None);
        of.pieces.resize(first + vectors, piece);
        of.results.push(first + acts.result);
        for (_, act) in &acts.acts {
            match *act {
                vectors::Act::Add { of: both, into } => {
                    of.sums[first + into] = Some(both.map(|v| first + v))
                }
                vectors::Act::Send { vector, transfer, .. } => {
                    self.ends[numbers[transfer]][0] = first + vector;
                }
                vectors::Act::Receive { into, transfer, .. } => {
                    self.ends[numbers[transfer]][1] = first + into;
                }
            }
        }
    }

    /// By rank, the pieces of its vectors.
    pub fn pieces(&self) -> Vec<Vec<usize>> {
        self.ranks.iter().map(|rank| rank.pieces.clone()).collect()
    }

    /// The signals of the step that ends have been heard.
    pub fn end_step(&mut self) {
        for (rank, made) in self.arrived.drain(..) {
            self.heard[rank].push(made);
        }
    }
}
