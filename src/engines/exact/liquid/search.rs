//! The search tree (liquid-schedules, section 3): depth first over the full teams of the remaining
//! traffic, enumerated by including, then excluding, one transfer after the other. By theorem 1 the
//! teams of the reduced traffic suffice; by theorem 2 a traffic has no schedule if none of its
//! teams leads to one. So an exhausted tree is a proof.
//!
//! Three additions to the paper, none of which loses a schedule. Frames have no order, so the
//! search may fix one transfer of the next frame. It remembers remaining traffic that is known to
//! have no schedule. And it restarts after a number of nodes, with other choices and a larger
//! number, so that a bad choice near the root costs little; the numbers grow without limit, so the
//! search ends.

use super::frame::{Choice, choose};
use super::partial::PartialSchedule;
use crate::exact::conflict_graph::Conflicts;
use ccsched_base::bits;
use ccsched_base::rng::Rng;
use std::collections::HashSet;

/// Nodes of the first round, per transfer.
const FIRST_ROUND: u64 = 4;
/// Length of a round over that of the one before, in halves.
const GROWTH_HALVES: u64 = 3;
/// Noise in the scores of choices in later rounds.
const NOISE: f64 = 0.5;
/// Words of memory for remaining traffic that is known to have no schedule.
const MOST_REMEMBERED: usize = 24_000_000;

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A schedule: the transfers of every frame.
    Schedule(Vec<Vec<u32>>),
    /// There is no schedule with this number of steps.
    Nothing,
    /// Not known yet.
    Open,
}

/// A change of the state, with what it takes to undo it.
enum Entry {
    /// A transfer was included; `open` and `unmet` are the sets before.
    Included { transfer: u32, surely: bool, open: Box<[u64]>, unmet: Box<[u64]> },
    /// A frame was closed.
    Closed,
}

/// A search for a schedule of a number of steps.
pub struct LiquidSearch<'c> {
    partial: PartialSchedule<'c>,
    stack: Vec<Entry>,
    steps: u32,
    /// Remaining traffic, with the steps left, that has no schedule.
    failed: HashSet<Box<[u64]>>,
    round: u64,
    /// Nodes left of this round, and the nodes of the whole round.
    left: u64,
    length: u64,
}

impl<'c> LiquidSearch<'c> {
    /// A new search.
    pub fn new(conflicts: &'c Conflicts, steps: u32) -> Self {
        let length = FIRST_ROUND * conflicts.transfers() as u64 + 16;
        LiquidSearch {
            partial: PartialSchedule::new(conflicts, steps),
            stack: Vec::new(),
            steps,
            failed: HashSet::new(),
            round: 0,
            left: length,
            length,
        }
    }

    /// Continues the search for a number of nodes.
    pub fn advance(&mut self, nodes: u64, rng: &mut Rng) -> Found {
        if self.partial.is_overloaded() {
            return Found::Nothing;
        }
        for _ in 0..nodes {
            if self.left == 0 {
                self.begin_anew();
            }
            self.left -= 1;
            let noise = if self.round == 0 { 0.0 } else { NOISE };
            let lives = match choose(&self.partial, noise, rng) {
                Choice::Either(transfer) => self.include(transfer, false),
                Choice::Surely(transfer) => self.include(transfer, true),
                Choice::Dead => false,
                Choice::Done => {
                    self.stack.push(Entry::Closed);
                    self.partial.close();
                    if let Some(frames) = self.partial.solution() {
                        return Found::Schedule(frames);
                    }
                    !self.failed.contains(&self.key())
                }
            };
            if !lives && !self.backtrack() {
                return Found::Nothing;
            }
        }
        Found::Open
    }

    /// Includes a transfer. Returns whether the frame can still become a full team.
    fn include(&mut self, transfer: u32, surely: bool) -> bool {
        let (open, unmet) = (self.partial.open.clone().into(), self.partial.unmet.clone().into());
        self.stack.push(Entry::Included { transfer, surely, open, unmet });
        self.partial.include(transfer);
        self.partial.can_be_full()
    }

    /// Returns to the last included transfer that can be excluded instead, and excludes it. Returns
    /// whether there is one.
    fn backtrack(&mut self) -> bool {
        while let Some(entry) = self.stack.pop() {
            match entry {
                Entry::Closed => {
                    self.remember();
                    self.partial.reopen();
                }
                Entry::Included { transfer, surely, open, unmet } => {
                    self.partial.take_back();
                    if surely {
                        continue;
                    }
                    self.partial.open.copy_from_slice(&open);
                    self.partial.unmet.copy_from_slice(&unmet);
                    self.partial.exclude(transfer);
                    if self.partial.can_be_full() {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Remembers that the remaining traffic has no schedule.
    fn remember(&mut self) {
        if (self.failed.len() + 1) * self.partial.remaining.len() <= MOST_REMEMBERED {
            let key = self.key();
            self.failed.insert(key);
        }
    }

    fn key(&self) -> Box<[u64]> {
        let left = u64::from(self.partial.left);
        self.partial.remaining.iter().copied().chain([left]).collect()
    }

    fn begin_anew(&mut self) {
        self.partial = PartialSchedule::new(self.partial.conflicts, self.steps);
        self.stack.clear();
        self.round += 1;
        self.length = self.length * GROWTH_HALVES / 2;
        self.left = self.length;
    }

    /// Transfers that the present branch has not placed yet, for the progress line.
    pub fn remaining(&self) -> u64 {
        bits::all(&self.partial.remaining).count() as u64
    }
}
