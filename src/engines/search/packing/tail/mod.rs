//! Annealed ejection on the last steps of a schedule, or on all of them, bit-parallel over the
//! steps. Filling one step after the other gets wasteful when few messages are left; the last steps
//! are then packed together into fewer.
//!
//! Some steps are dropped, and their transfers wait. A move (`moves`) takes one of them. One dynamic
//! program over its shortest paths finds, for a block of steps at once, where a path is free, and
//! where one or two resources of a path are taken. A free place is used; otherwise the cheaper one of
//! some random places, and the transfers in the way wait instead, if the Metropolis rule accepts
//! that: the energy of a transfer that waits is the price of its path, and a resource is the more
//! expensive the fewer of its steps are free. Between ejections, placed transfers move to random
//! free places.

pub(in crate::engines::search) mod board;
mod moves;
mod scan;

use super::ground::{Ground, NONE};
use super::packed::Packed;
use crate::network::ChannelId;
use board::Board;
use moves::Prices;
use scan::Scan;
use serde::{Deserialize, Serialize};

/// Words of a block of steps.
const BLOCK: usize = 4;
/// Most transfers that a move ejects.
const MOST_EJECTED: usize = 2;
/// Places of transfers on resources, in all steps of a tail: more do not fit into memory.
const MOST_PLACES: usize = 30_000_000;

type Block = [u64; BLOCK];

/// The last steps of a schedule, of which some transfers may wait.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tail {
    steps: usize,
    /// By transfer: its pair, and its step or [`NONE`] if it waits.
    pairs: Vec<u32>,
    step: Vec<u32>,
    /// By transfer, room for its path, which ends where the next one begins.
    firsts: Vec<u32>,
    paths: Vec<ChannelId>,
    waiting: Vec<u32>,
    /// The fewest transfers that waited since steps were dropped.
    fewest: usize,
    /// Moves since steps were dropped.
    moves: u64,
    #[serde(skip)]
    board: Board,
    #[serde(skip)]
    prices: Prices,
    #[serde(skip)]
    scan: Scan,
    /// The best path that an ejection has compared, and the transfers in its way.
    #[serde(skip)]
    best: (Vec<ChannelId>, Vec<u32>),
}

/// The most steps of a tail.
pub fn most_steps(ground: &Ground) -> usize {
    let places: usize = ground.problem.resources.capacities().iter().map(|&c| c as usize).sum();
    MOST_PLACES / places.max(1)
}

impl Tail {
    /// The steps of a schedule from `first` on.
    pub fn new(ground: &Ground, packed: &Packed, first: usize) -> Self {
        let mut tail = Tail { steps: packed.len() - first, ..Tail::default() };
        for step in first..packed.len() {
            for t in packed.step(step) {
                let (pair, path) = packed.transfer(t);
                tail.pairs.push(pair);
                tail.step.push((step - first) as u32);
                tail.firsts.push(tail.paths.len() as u32);
                tail.paths.extend_from_slice(path);
            }
        }
        tail.firsts.push(tail.paths.len() as u32);
        tail.restore(ground);
        tail
    }

    /// Makes what is not saved.
    pub fn restore(&mut self, ground: &Ground) {
        self.scan = Scan::new(ground.vertices());
        self.board = Board::new(ground, self.steps);
        self.prices = Prices::new(self.steps);
        for t in 0..self.pairs.len() as u32 {
            if self.step[t as usize] != NONE {
                self.occupy(ground, t);
            }
        }
    }

    /// Whether every transfer has a place.
    pub fn is_complete(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Number of transfers without a place.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The fewest transfers without a place since steps were dropped.
    pub fn fewest(&self) -> usize {
        self.fewest
    }

    /// Moves since steps were dropped.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Number of transfers.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Drops some steps, those that carry least, and lets their transfers wait.
    pub fn shrink(&mut self, ground: &Ground, drops: usize) {
        let mut carried = vec![0; self.steps];
        for t in 0..self.pairs.len() {
            if self.step[t] != NONE {
                carried[self.step[t] as usize] += self.path(t as u32).len();
            }
        }
        let mut order: Vec<usize> = (0..self.steps).collect();
        order.sort_by_key(|&step| carried[step]);
        let mut number = vec![0; self.steps];
        order.iter().take(drops).for_each(|&step| number[step] = NONE);
        let kept = number.iter_mut().filter(|number| **number != NONE);
        self.steps = (0..).zip(kept).map(|(new, number)| *number = new).count();
        for t in 0..self.pairs.len() {
            if self.step[t] != NONE {
                self.step[t] = number[self.step[t] as usize];
                if self.step[t] == NONE {
                    self.waiting.push(t as u32);
                }
            }
        }
        (self.fewest, self.moves) = (self.waiting.len(), 0);
        self.restore(ground);
    }

    /// Replaces the steps of a schedule from `first` on by these.
    pub fn write(&self, packed: &mut Packed, first: usize) {
        packed.truncate(first);
        packed.push_steps(self.steps, &self.step, |t| (self.pairs[t], self.path(t as u32)));
    }

    fn path(&self, t: u32) -> &[ChannelId] {
        &self.paths[self.firsts[t as usize] as usize..self.firsts[t as usize + 1] as usize]
    }

    /// Gives a transfer without a place a path in a step.
    fn put(&mut self, ground: &Ground, t: u32, step: u32, path: &[ChannelId]) {
        let first = self.firsts[t as usize] as usize;
        self.paths[first..first + path.len()].copy_from_slice(path);
        self.step[t as usize] = step;
        self.occupy(ground, t);
    }

    fn occupy(&mut self, ground: &Ground, t: u32) {
        self.change(ground, t, (NONE, t));
    }

    fn vacate(&mut self, ground: &Ground, t: u32) {
        self.change(ground, t, (t, NONE));
    }

    /// Replaces an owner of every resource of a placed transfer.
    fn change(&mut self, ground: &Ground, t: u32, (old, new): (u32, u32)) {
        let (pair, step) = (self.pairs[t as usize], self.step[t as usize]);
        let span = self.firsts[t as usize] as usize..self.firsts[t as usize + 1] as usize;
        let board = &mut self.board;
        ground.uses(pair, &self.paths[span], |r| board.replace(r, step, old, new));
    }
}
