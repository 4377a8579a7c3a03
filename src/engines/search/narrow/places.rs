//! All transfers with their places in a fixed number of steps, and the moves: a transfer that waits
//! takes a free place, or the cheapest of some places of other transfers, which wait then.

use super::super::packing::ground::{Ground, NONE};
use super::super::packing::packed::Packed;
use super::board::Board;
use super::scan::{Free, Scan};
use super::tight::Tight;
use crate::network::ChannelId;
use crate::rng::Rng;
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// Places that an ejection compares.
const COMPARED: usize = 12;
/// While ejected transfers wait, one move in this number places a new one.
const NEW_ONE: u32 = 16;
/// The weight that a transfer gains when it ejects others.
const GAIN: f32 = 0.5;

/// The transfers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Places {
    /// Number of steps.
    pub steps: usize,
    /// By transfer: its pair, its step or [`NONE`], its weight.
    pairs: Vec<u32>,
    step: Vec<u32>,
    weight: Vec<f32>,
    /// By transfer, room for its path, which ends where the next one begins.
    firsts: Vec<u32>,
    paths: Vec<ChannelId>,
    /// The transfers that had no place yet, the next one last, and those that were ejected.
    fresh: Vec<u32>,
    waiting: Vec<u32>,
    #[serde(skip)]
    board: Board,
    #[serde(skip)]
    scan: Scan,
    #[serde(skip)]
    best: (Vec<ChannelId>, Vec<u32>),
    #[serde(skip)]
    ejected: Vec<u32>,
}

impl Places {
    /// No transfer has a place; those on the narrowest resources come first.
    pub fn new(ground: &Ground, tight: &Tight, steps: usize, rng: &mut Rng) -> Self {
        let mut places = Places { steps, ..Places::default() };
        let mut urgency = Vec::new();
        for (number, pair) in (0..).zip(&ground.pairs) {
            for copy in 0..pair.messages {
                places.pairs.push(number);
                places.firsts.push(places.paths.len() as u32);
                places.paths.resize(places.paths.len() + ground.distance(number), 0);
                urgency.push(tight.planned(ground, (number, copy)));
            }
        }
        places.firsts.push(places.paths.len() as u32);
        places.step = vec![NONE; places.pairs.len()];
        places.weight = vec![1.0; places.pairs.len()];
        places.fresh = (0..places.pairs.len() as u32).collect();
        places.fresh.shuffle(rng);
        places.fresh.sort_by(|&a, &b| urgency[a as usize].total_cmp(&urgency[b as usize]));
        places.restore(ground);
        places
    }

    /// Makes what is not saved.
    pub fn restore(&mut self, ground: &Ground) {
        self.board = Board::new(ground, self.steps);
        self.scan = Scan::new(ground.vertices(), &self.board);
        for t in 0..self.pairs.len() as u32 {
            if self.step[t as usize] != NONE {
                self.change(ground, t, (NONE, t));
            }
        }
    }

    /// Transfers without a place.
    pub fn missing(&self) -> usize {
        self.fresh.len() + self.waiting.len()
    }

    /// Number of transfers.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The schedule.
    pub fn packed(&self) -> Packed {
        let mut packed = Packed::default();
        packed.push_steps(self.steps, &self.step, |t| (self.pairs[t], self.path(t as u32)));
        packed
    }

    /// Gives a transfer without a place one.
    pub fn place(&mut self, ground: &Ground, tight: &Tight, rng: &mut Rng) {
        let t = match self.waiting.len() {
            0 => self.fresh.pop(),
            _ if !self.fresh.is_empty() && rng.random_range(0..NEW_ONE) == 0 => self.fresh.pop(),
            waiting => Some(self.waiting.swap_remove(rng.random_range(0..waiting))),
        };
        let Some(t) = t else { return };
        let pair = self.pairs[t as usize];
        let mut least: Option<(f32, u32)> = None;
        // A place where the bottlenecks are free is not always the best: two transfers of one host that
        // take turns there must be able to leave it to a third.
        for must in [Free::All, Free::These(&tight.is_tight), Free::None] {
            let Some(level) = self.scan.spread(ground, &self.board, pair, must) else { continue };
            for _ in 0..if level == 0 { 1 } else { COMPARED } {
                let step = self.scan.any_step(ground, pair, level, rng);
                self.scan.trace(ground, &self.board, (pair, step, level), must, rng);
                let cost = self.in_the_way(tight, step);
                if least.is_none_or(|(least, _)| cost < least) {
                    least = Some((cost, step));
                    std::mem::swap(&mut self.scan.path, &mut self.best.0);
                    std::mem::swap(&mut self.ejected, &mut self.best.1);
                }
            }
            if level == 0 {
                break;
            }
        }
        match least {
            Some((_, step)) => self.take(ground, t, step),
            None => self.waiting.push(t),
        }
    }

    /// Puts a transfer on the best path found, in a step; those in its way wait.
    fn take(&mut self, ground: &Ground, t: u32, step: u32) {
        if !self.best.1.is_empty() {
            self.weight[t as usize] += GAIN;
        }
        while let Some(owner) = self.best.1.pop() {
            self.change(ground, owner, (owner, NONE));
            self.step[owner as usize] = NONE;
            self.waiting.push(owner);
        }
        let first = self.firsts[t as usize] as usize;
        self.paths[first..first + self.best.0.len()].copy_from_slice(&self.best.0);
        self.step[t as usize] = step;
        self.change(ground, t, (NONE, t));
    }

    /// Lists the cheapest transfers whose leaving frees the path traced. Returns what they cost.
    fn in_the_way(&mut self, tight: &Tight, step: u32) -> f32 {
        let mut ejected = std::mem::take(&mut self.ejected);
        ejected.clear();
        let mut sum = 0.0;
        for &r in &self.scan.full {
            let owners = || self.board.cells(r, step).map(|cell| self.board.owners[cell]);
            if owners().any(|owner| ejected.contains(&owner)) {
                continue;
            }
            let cost = |&owner: &u32| self.weight[owner as usize] * tight.cost(self.path(owner));
            // Whatever the order of the places, which a resumed search does not know.
            let order = |a: &u32, b: &u32| cost(a).total_cmp(&cost(b)).then(a.cmp(b));
            if let Some(owner) = owners().min_by(order) {
                sum += cost(&owner);
                ejected.push(owner);
            }
        }
        self.ejected = ejected;
        sum
    }

    fn path(&self, t: u32) -> &[ChannelId] {
        &self.paths[self.firsts[t as usize] as usize..self.firsts[t as usize + 1] as usize]
    }

    /// Replaces an owner of every resource of a placed transfer.
    fn change(&mut self, ground: &Ground, t: u32, (old, new): (u32, u32)) {
        let (pair, step) = (self.pairs[t as usize], self.step[t as usize]);
        let span = self.firsts[t as usize] as usize..self.firsts[t as usize + 1] as usize;
        let board = &mut self.board;
        ground.uses(pair, &self.paths[span], |r| board.replace(r, step, old, new));
    }
}
