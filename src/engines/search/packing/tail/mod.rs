//! Guided ejection on the last steps, bit-parallel over the steps. When the messages left are few,
//! filling one step after the other gets wasteful; the last steps are then packed together into
//! fewer.
//!
//! A move takes a transfer that waits for a place. One dynamic program over its shortest paths
//! finds, for a block of steps at once, where a path is free, and where one or two resources of a
//! path are taken. A free place is used; otherwise the cheapest of some random places, and the
//! transfers in the way wait. Transfers that eject others become more expensive to eject. Between
//! ejections, placed transfers move to random free places.

pub(in crate::engines::search) mod board;
mod scan;

use super::ground::{Ground, NONE};
use super::packed::Packed;
use crate::network::ChannelId;
use crate::rng::Rng;
use board::Board;
use rand::RngExt;
use scan::Scan;
use serde::{Deserialize, Serialize};

/// Words of a block of steps.
const BLOCK: usize = 4;
/// Places that an ejection compares.
const COMPARED: usize = 16;
/// Relocations for each ejection.
const RELOCATIONS: u32 = 2;
/// Most transfers that a move ejects.
const MOST_EJECTED: usize = 2;

type Block = [u64; BLOCK];

/// The last steps of a schedule, of which some transfers may wait.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tail {
    steps: usize,
    /// By transfer: its pair, its step or [`NONE`] if it waits, its weight.
    pairs: Vec<u32>,
    step: Vec<u32>,
    weight: Vec<f32>,
    /// By transfer, room for its path, which ends where the next one begins.
    firsts: Vec<u32>,
    paths: Vec<ChannelId>,
    waiting: Vec<u32>,
    #[serde(skip)]
    board: Board,
    #[serde(skip)]
    scan: Scan,
    /// The best path that an ejection has compared, and the transfers in its way.
    #[serde(skip)]
    best: (Vec<ChannelId>, Vec<u32>),
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
        tail.weight = vec![1.0; tail.pairs.len()];
        tail.restore(ground);
        tail
    }

    /// Makes what is not saved.
    pub fn restore(&mut self, ground: &Ground) {
        self.scan = Scan::new(ground.vertices());
        self.board = Board::new(ground, self.steps);
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

    /// Number of transfers.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Drops the step that carries least, and lets its transfers wait.
    pub fn shrink(&mut self, ground: &Ground) {
        let mut carried = vec![0; self.steps];
        for t in 0..self.pairs.len() {
            if self.step[t] != NONE {
                carried[self.step[t] as usize] += self.path(t as u32).len();
            }
        }
        let Some(least) = (0..self.steps).min_by_key(|&step| carried[step]) else { return };
        self.steps -= 1;
        for t in 0..self.pairs.len() {
            if self.step[t] == least as u32 {
                self.step[t] = NONE;
                self.waiting.push(t as u32);
            } else if self.step[t] == self.steps as u32 {
                self.step[t] = least as u32;
            }
        }
        self.restore(ground);
    }

    /// Replaces the steps of a schedule from `first` on by these.
    pub fn write(&self, packed: &mut Packed, first: usize) {
        packed.truncate(first);
        packed.push_steps(self.steps, &self.step, |t| (self.pairs[t], self.path(t as u32)));
    }

    /// Makes moves until every transfer has a place, at most this number. Returns the number made.
    pub fn search(&mut self, ground: &Ground, moves: u64, rng: &mut Rng) -> u64 {
        let mut made = 0;
        while made < moves && !self.waiting.is_empty() {
            if rng.random_range(0..=RELOCATIONS) == 0 {
                self.eject(ground, rng);
            } else {
                self.relocate(ground, rng);
            }
            made += 1;
        }
        made
    }

    fn path(&self, t: u32) -> &[ChannelId] {
        &self.paths[self.firsts[t as usize] as usize..self.firsts[t as usize + 1] as usize]
    }

    /// Gives a random waiting transfer a place.
    fn eject(&mut self, ground: &Ground, rng: &mut Rng) {
        let i = rng.random_range(0..self.waiting.len());
        let t = self.waiting[i];
        let pair = self.pairs[t as usize];
        self.scan.spread::<{ MOST_EJECTED + 1 }>(ground, &self.board, pair, rng);
        let Some(level) = (0..=MOST_EJECTED).find(|&level| self.scan.has_steps(level)) else {
            return;
        };
        let mut best = None;
        for _ in 0..if level == 0 { 1 } else { COMPARED } {
            let step = self.scan.any_step(level, rng);
            self.scan.trace(ground, &self.board, (pair, step, level), rng);
            let cost: f32 = self.scan.ejected.iter().map(|&o| self.cost(o)).sum();
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, step));
                std::mem::swap(&mut self.scan.path, &mut self.best.0);
                std::mem::swap(&mut self.scan.ejected, &mut self.best.1);
            }
        }
        let Some((_, step)) = best else { return };
        self.waiting.swap_remove(i);
        if !self.best.1.is_empty() {
            self.weight[t as usize] += 1.0;
        }
        while let Some(owner) = self.best.1.pop() {
            self.vacate(ground, owner);
            self.step[owner as usize] = NONE;
            self.waiting.push(owner);
        }
        let path = std::mem::take(&mut self.best.0);
        self.put(ground, t, step, &path);
        self.best.0 = path;
    }

    /// The price of ejecting a transfer: long ones are hard to place again.
    fn cost(&self, t: u32) -> f32 {
        let length = self.path(t).len() as f32;
        self.weight[t as usize] * length * length
    }

    /// Moves a random placed transfer to a random free place, if there is one.
    fn relocate(&mut self, ground: &Ground, rng: &mut Rng) {
        let t = rng.random_range(0..self.pairs.len()) as u32;
        if self.step[t as usize] == NONE {
            return;
        }
        let pair = self.pairs[t as usize];
        self.scan.spread::<1>(ground, &self.board, pair, rng);
        if !self.scan.has_steps(0) {
            return;
        }
        let step = self.scan.any_step(0, rng);
        self.scan.trace(ground, &self.board, (pair, step, 0), rng);
        self.vacate(ground, t);
        let path = std::mem::take(&mut self.scan.path);
        self.put(ground, t, step, &path);
        self.scan.path = path;
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
