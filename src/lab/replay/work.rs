//! What every rank does in a replay, rank 0 too: for each size and repetition it plays its part of each schedule,
//! measures the time, and checks what it has received. The content of a message is the rank that wrote it, the
//! message, the repetition, then the numbers of a generator with these three as its seed: a message that is lost,
//! misled, cut, or left from an earlier repetition is noticed.

use super::parts::{Expected, RankPart};
use ccsched_base::Error;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_run::comm::part::{Part, Player, Sizes, add};
use rand::{Rng as _, SeedableRng};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The rank that wrote it.
    pub source: usize,
    /// The message.
    pub message: usize,
    /// The repetition, counted over the whole run.
    pub lap: u64,
}

/// Bytes of a label at the begin of a block.
const HEAD: usize = 24;
/// Bytes that are compared at once, a multiple of 8.
const PIECE: usize = 1 << 16;

impl Label {
    fn head(&self) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        let numbers = [self.source as u64, self.message as u64, self.lap];
        for (place, number) in head.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        head
    }

    /// The generator of what follows the head. Odd factors keep labels that differ apart.
    fn generator(&self) -> Rng {
        let mixed = (self.source as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (self.message as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
            ^ self.lap.wrapping_mul(0x1656_67b1_9e37_79f9);
        Rng::seed_from_u64(mixed)
    }

    /// Writes the content. A block shorter than the head holds its begin.
    pub fn fill(&self, block: &mut [u8]) {
        let (head, rest) = block.split_at_mut(block.len().min(HEAD));
        head.copy_from_slice(&self.head()[..head.len()]);
        self.generator().fill_bytes(rest);
    }

    /// Whether the block holds this content; else what is wrong.
    pub fn check(&self, block: &[u8]) -> Result<(), String> {
        let (head, rest) = block.split_at(block.len().min(HEAD));
        if *head != self.head()[..head.len()] {
            return Err(match head.len() {
                HEAD => format!("it holds {}", said(head)),
                _ => "it holds other bytes".into(),
            });
        }
        let mut generator = self.generator();
        let mut right = vec![0; PIECE.min(rest.len())];
        for (i, piece) in rest.chunks(PIECE).enumerate() {
            let right = &mut right[..piece.len()];
            generator.fill_bytes(right);
            if piece != right {
                let at = piece.iter().zip(&*right).position(|(a, b)| a != b).unwrap_or(0);
                return Err(format!("byte {} is wrong", HEAD + i * PIECE + at));
            }
        }
        Ok(())
    }
}

/// The label that a head holds.
fn said(head: &[u8]) -> String {
    let number = |i: usize| {
        let bytes = head[8 * i..8 * i + 8].try_into().unwrap_or_default();
        u64::from_le_bytes(bytes)
    };
    format!("message {} of rank {}, repetition {}", number(1), number(0), number(2))
}

/// Why a replay fails.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// Wrong input; no rank has begun.
    #[error(transparent)]
    Input(#[from] Error),
    /// A rank is gone.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// What a rank has computed is not the sum of what was sent.
    #[error("sum {message} is wrong at rank {to}: {why}")]
    Sum {
        /// The sum.
        message: usize,
        /// The rank that has it.
        to: usize,
        /// What is wrong.
        why: String,
    },
    /// What a rank has received is not what was sent.
    #[error("message {message} from rank {from} arrived at rank {to} with wrong content: {why}")]
    Wrong {
        /// The message.
        message: usize,
        /// The rank that wrote it.
        from: usize,
        /// The rank that received it.
        to: usize,
        /// What is wrong.
        why: String,
    },
    /// More messages than memory.
    #[error("no memory for messages of {0} bytes; ask for shorter ones")]
    Memory(u64),
}

/// The work of one rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Work {
    /// By schedule, what this rank does.
    pub plays: Vec<RankPart>,
    /// The library's exchange of all with all, if it is compared.
    pub all_to_all: Option<AllToAll>,
    /// The barrier before each play.
    pub start: Part,
    /// The lengths of messages.
    pub sizes: Vec<u64>,
    /// Plays that are not measured, for each size.
    pub warm_up: u32,
    /// Plays that are measured, for each size.
    pub repeat: u32,
}

/// Senders and receivers of the library's exchange.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct AllToAll {
    pub sends: Vec<bool>,
    pub receives: Vec<bool>,
}

/// The end of one play on one rank.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Lap {
    /// Index of the size.
    pub size: usize,
    /// Index of the schedule; after the last one, the library's exchange.
    pub contender: usize,
    /// The time from the barrier to the last operation of this rank.
    pub seconds: f64,
    /// Whether it is not measured.
    pub is_warm_up: bool,
}

impl Work {
    /// Does the work; `ended` gets every lap.
    pub(super) fn perform<C: Player>(
        &self,
        comm: &mut C,
        ended: &mut dyn FnMut(&mut C, Lap) -> Result<(), ReplayError>,
    ) -> Result<(), ReplayError> {
        let mut number = 0;
        for (size, &bytes) in self.sizes.iter().enumerate() {
            let mut stages = self.stages(comm, bytes)?;
            for turn in 0..self.warm_up + self.repeat {
                for (contender, stage) in stages.iter_mut().enumerate() {
                    number += 1;
                    stage.fill(number);
                    comm.play(&self.start, &mut [])?;
                    let begin = Instant::now();
                    stage.play(comm)?;
                    let seconds = begin.elapsed().as_secs_f64();
                    stage.check(comm.rank(), number)?;
                    let is_warm_up = turn < self.warm_up;
                    ended(comm, Lap { size, contender, seconds, is_warm_up })?;
                }
            }
        }
        Ok(())
    }

    /// The schedules and the library's exchange with their memory.
    fn stages(&self, comm: &impl Player, bytes: u64) -> Result<Vec<Stage<'_>>, ReplayError> {
        let mut stages = Vec::new();
        for play in &self.plays {
            let block = |block: &super::Block| memory(block.length(bytes));
            let blocks = play.blocks.iter().map(block).collect::<Result<_, _>>()?;
            stages.push(Stage::Schedule { play, is_received: is_received(play), blocks });
        }
        if let Some(all) = &self.all_to_all {
            stages.push(all.stage(comm.rank(), bytes)?);
        }
        Ok(stages)
    }
}

/// By block, whether this rank receives or computes it.
fn is_received(play: &RankPart) -> Vec<bool> {
    let mut is_received = vec![false; play.blocks.len()];
    for operation in play.part.segments.iter().flatten() {
        if let Some(block) = operation.act.fills() {
            is_received[block] = true;
        }
    }
    is_received
}

/// Memory for a message. It is written once, so that the system provides it before the clock runs.
fn memory(bytes: u64) -> Result<Vec<u8>, ReplayError> {
    let none = || ReplayError::Memory(bytes);
    let length = usize::try_from(bytes).map_err(|_| none())?;
    let mut block = Vec::new();
    block.try_reserve_exact(length).map_err(|_| none())?;
    block.resize(length, 0xff);
    Ok(block)
}

/// Whether a block is the sum of what some ranks had at first; else what is wrong.
fn is_sum(adders: &[usize], message: usize, lap: u64, block: &[u8]) -> Result<(), String> {
    let (mut sum, mut own) = (vec![0; block.len()], vec![0; block.len()]);
    for &source in adders {
        Label { source, message, lap }.fill(&mut own);
        let before = std::mem::replace(&mut sum, vec![0; block.len()]);
        add([&before, &own], &mut sum);
    }
    match block.iter().zip(&sum).position(|(is, right)| is != right) {
        None => Ok(()),
        Some(at) => Err(format!("byte {at} is wrong")),
    }
}

/// What is played, and its memory.
enum Stage<'w> {
    Schedule { play: &'w RankPart, is_received: Vec<bool>, blocks: Vec<Vec<u8>> },
    AllToAll { out: Vec<u8>, into: Vec<u8>, sizes: Sizes, is_equal: bool, rank: usize },
}

impl Stage<'_> {
    /// Writes this rank's own messages.
    fn fill(&mut self, lap: u64) {
        match self {
            Stage::Schedule { play, is_received, blocks } => {
                for ((block, of), is_received) in
                    blocks.iter_mut().zip(&play.blocks).zip(is_received)
                {
                    if !*is_received {
                        Label { source: of.source, message: of.message, lap }.fill(block);
                    }
                }
            }
            Stage::AllToAll { out, sizes, rank, .. } => {
                let mut rest = &mut out[..];
                for (to, &size) in sizes.out.iter().enumerate() {
                    let block;
                    (block, rest) = rest.split_at_mut(size);
                    let message = *rank * sizes.out.len() + to;
                    Label { source: *rank, message, lap }.fill(block);
                }
            }
        }
    }

    fn play(&mut self, comm: &mut impl Player) -> Result<(), CommError> {
        match self {
            Stage::Schedule { play, blocks, .. } => comm.play(&play.part, blocks),
            Stage::AllToAll { out, into, sizes, is_equal, .. } => {
                comm.all_to_all(out, into, (!*is_equal).then_some(&*sizes))
            }
        }
    }

    /// Checks all that this rank has received.
    fn check(&self, to: usize, lap: u64) -> Result<(), ReplayError> {
        let right = |label: Label, block: &[u8]| {
            let Label { source: from, message, .. } = label;
            label.check(block).map_err(|why| ReplayError::Wrong { message, from, to, why })
        };
        match self {
            Stage::Schedule { play, is_received, blocks } => {
                for ((block, of), is_received) in blocks.iter().zip(&play.blocks).zip(is_received) {
                    let message = of.message;
                    match of.expects {
                        Expected::Message if *is_received => {
                            right(Label { source: of.source, message, lap }, block)?;
                        }
                        Expected::Sum => is_sum(&play.adders, message, lap, block)
                            .map_err(|why| ReplayError::Sum { message, to, why })?,
                        Expected::Message | Expected::Part => (),
                    }
                }
            }
            Stage::AllToAll { into, sizes, rank, .. } => {
                let mut rest = &into[..];
                for (source, &size) in sizes.into.iter().enumerate() {
                    let block;
                    (block, rest) = rest.split_at(size);
                    let message = source * sizes.into.len() + rank;
                    right(Label { source, message, lap }, block)?;
                }
            }
        }
        Ok(())
    }
}

impl AllToAll {
    /// The messages of this rank. If all ranks send and receive, its message to itself is one of
    /// them, as in the library.
    fn stage<'w>(&self, rank: usize, bytes: u64) -> Result<Stage<'w>, ReplayError> {
        let is_equal = self.sends.iter().chain(&self.receives).all(|&is| is);
        let length = |is: bool, other: usize| match is && (is_equal || other != rank) {
            true => usize::try_from(bytes).map_err(|_| ReplayError::Memory(bytes)),
            false => Ok(0),
        };
        let all = 0..self.sends.len();
        let out = |to: usize| length(self.sends[rank] && self.receives[to], to);
        let into = |from: usize| length(self.sends[from] && self.receives[rank], from);
        let sizes = Sizes {
            out: all.clone().map(out).collect::<Result<_, _>>()?,
            into: all.map(into).collect::<Result<_, _>>()?,
        };
        let sum = |sizes: &[usize]| sizes.iter().fold(0u64, |sum, &s| sum.saturating_add(s as u64));
        Ok(Stage::AllToAll {
            out: memory(sum(&sizes.out))?,
            into: memory(sum(&sizes.into))?,
            sizes,
            is_equal,
            rank,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABEL: Label = Label { source: 3, message: 17, lap: 2 };

    #[test]
    fn content_of_any_length_is_recognised() {
        for length in [0, 1, 23, 24, 25, 1000, PIECE + HEAD, 3 * PIECE + 5] {
            let mut block = vec![0xaa; length];
            LABEL.fill(&mut block);
            assert_eq!(LABEL.check(&block), Ok(()), "{length}");
        }
    }

    #[test]
    fn every_change_is_noticed() {
        let mut block = vec![0; 2 * PIECE];
        LABEL.fill(&mut block);
        for at in [0, 9, 23, 24, PIECE + 23, PIECE + 24, 2 * PIECE - 1] {
            block[at] ^= 0x10;
            let why = LABEL.check(&block).unwrap_err();
            assert!(at < HEAD || why == format!("byte {at} is wrong"), "{why}");
            block[at] ^= 0x10;
        }
        for other in [
            Label { source: 4, ..LABEL },
            Label { message: 16, ..LABEL },
            Label { lap: 1, ..LABEL },
        ] {
            let why = other.check(&block).unwrap_err();
            assert_eq!(why, "it holds message 17 of rank 3, repetition 2");
        }
        assert_eq!(LABEL.check(&[9]), Err("it holds other bytes".into()));
    }
}
