//! Guided ejection on the last steps, bit-parallel over the steps. When the messages left are few,
//! filling one step after the other gets wasteful; the last steps are then packed together into
//! fewer.
//!
//! A move takes a transfer that waits for a place. One dynamic program over its shortest paths
//! finds, for a block of steps at once, where a path is free, and where one or two resources of a
//! path are taken. A free place is used; otherwise the cheapest of some random places, and the
//! transfers in the way wait. Transfers that eject others become more expensive to eject. Between
//! ejections, placed transfers move to random free places.

use super::ground::{Ground, NONE};
use super::packed::Packed;
use crate::network::{ChannelId, VertexId};
use crate::problem::{ResourceId, places};
use crate::rng::Rng;
use rand::RngExt;
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
}

/// The owners of every resource in every step.
#[derive(Clone, Debug, Default)]
struct Board {
    words: usize,
    /// The steps that there are, in bits.
    all: Vec<u64>,
    /// By resource: its free steps in bits.
    free: Vec<u64>,
    /// By place, then step: the transfer, or [`NONE`].
    owners: Vec<u32>,
    /// By resource: its first place. It has as many as its capacity.
    places: Vec<u32>,
}

/// Memory of the dynamic program.
#[derive(Clone, Debug, Default)]
struct Scan {
    /// By vertex: the steps of the block in which it is reached with 0, at most 1, and at most 2
    /// taken resources.
    reached: Vec<[Block; MOST_EJECTED + 1]>,
    mark: Vec<u32>,
    present: u32,
    layer: Vec<VertexId>,
    next: Vec<VertexId>,
    /// First word of the block.
    first: usize,
    path: Vec<ChannelId>,
    ejected: Vec<u32>,
    best_path: Vec<ChannelId>,
    best_ejected: Vec<u32>,
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
        self.scan.mark = vec![0; ground.vertices()];
        self.scan.reached = vec![[[0; BLOCK]; MOST_EJECTED + 1]; ground.vertices()];
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
        let mut order: Vec<u32> = (0..self.pairs.len() as u32).collect();
        order.sort_by_key(|&t| self.step[t as usize]);
        let mut order = order.into_iter().peekable();
        for step in 0..self.steps as u32 {
            while let Some(t) = order.next_if(|&t| self.step[t as usize] == step) {
                packed.push(self.pairs[t as usize], self.path(t));
            }
            packed.close_step();
        }
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
        let Some(level) =
            (0..=MOST_EJECTED).find(|&level| self.scan.has_steps(ground, pair, level))
        else {
            return;
        };
        let mut best = None;
        for _ in 0..if level == 0 { 1 } else { COMPARED } {
            let step = self.scan.any_step(ground, pair, level, rng);
            self.scan.trace(ground, &self.board, (pair, step, level), rng);
            let cost: f32 = self.scan.ejected.iter().map(|&o| self.cost(o)).sum();
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, step));
                std::mem::swap(&mut self.scan.path, &mut self.scan.best_path);
                std::mem::swap(&mut self.scan.ejected, &mut self.scan.best_ejected);
            }
        }
        let Some((_, step)) = best else { return };
        self.waiting.swap_remove(i);
        if !self.scan.best_ejected.is_empty() {
            self.weight[t as usize] += 1.0;
        }
        while let Some(owner) = self.scan.best_ejected.pop() {
            self.vacate(ground, owner);
            self.step[owner as usize] = NONE;
            self.waiting.push(owner);
        }
        let path = std::mem::take(&mut self.scan.best_path);
        self.put(ground, t, step, &path);
        self.scan.best_path = path;
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
        if !self.scan.has_steps(ground, pair, 0) {
            return;
        }
        let step = self.scan.any_step(ground, pair, 0, rng);
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

impl Board {
    fn new(ground: &Ground, steps: usize) -> Self {
        let capacities = ground.problem.resources.capacities();
        // A block always fits.
        let words = steps.div_ceil(64).max(BLOCK);
        let places = places(capacities);
        let bits = |left: usize| if left >= 64 { u64::MAX } else { (1 << left) - 1 };
        let all: Vec<u64> = (0..words).map(|w| bits(steps.saturating_sub(64 * w))).collect();
        let free = all.repeat(capacities.len());
        let owners = vec![NONE; *places.last().expect("never empty") as usize * words * 64];
        Board { words, all, free, owners, places }
    }

    #[inline]
    fn block(&self, r: ResourceId, first: usize) -> &[u64] {
        &self.free[r as usize * self.words + first..][..BLOCK]
    }

    #[inline]
    fn is_free(&self, r: ResourceId, step: u32) -> bool {
        self.free[r as usize * self.words + step as usize / 64] >> (step % 64) & 1 == 1
    }

    /// The owners of a resource in a step.
    fn cells(&self, r: ResourceId, step: u32) -> impl Iterator<Item = usize> + use<> {
        let width = self.words * 64;
        let places = self.places[r as usize] as usize..self.places[r as usize + 1] as usize;
        places.map(move |place| place * width + step as usize)
    }

    fn replace(&mut self, r: ResourceId, step: u32, old: u32, new: u32) {
        let cell = self.cells(r, step).find(|&cell| self.owners[cell] == old);
        self.owners[cell.expect("owners and places agree")] = new;
        let has_room = self.cells(r, step).any(|cell| self.owners[cell] == NONE);
        let word = &mut self.free[r as usize * self.words + step as usize / 64];
        *word = *word & !(1 << (step % 64)) | u64::from(has_room) << (step % 64);
    }
}

impl Scan {
    /// Fills `reached` from the source of a pair towards its destination, for a random block of
    /// steps, with the first `LEVELS` of the three levels.
    fn spread<const LEVELS: usize>(
        &mut self,
        ground: &Ground,
        board: &Board,
        pair: u32,
        rng: &mut Rng,
    ) {
        let network = &ground.problem.network;
        let ends = ground.pairs[pair as usize];
        let to = ground.to(ends.destination);
        let [send, receive] = ground.ports(pair);
        self.first = rng.random_range(0..=board.words - BLOCK);
        self.present += 1;
        self.layer.clear();
        self.layer.push(ends.source);
        self.mark[ends.source as usize] = self.present;
        // Bits past the last step are removed at the destination.
        let mut start = [[u64::MAX; BLOCK]; MOST_EJECTED + 1];
        if let Some(port) = send {
            start[0].copy_from_slice(board.block(port, self.first));
        }
        self.reached[ends.source as usize] = start;
        for left in (0..to[ends.source as usize]).rev() {
            self.next.clear();
            for &u in &self.layer {
                let here = self.reached[u as usize];
                for &c in network.outgoing(u) {
                    let v = network.channel(c).to as usize;
                    if to[v] != left {
                        continue;
                    }
                    if self.mark[v] != self.present {
                        self.mark[v] = self.present;
                        self.reached[v] = [[0; BLOCK]; MOST_EJECTED + 1];
                        self.next.push(v as VertexId);
                    }
                    let free = board.block(ground.link(c), self.first);
                    pass::<LEVELS>(&here, free, &mut self.reached[v]);
                }
            }
            std::mem::swap(&mut self.layer, &mut self.next);
        }
        if let Some(port) = receive {
            let here = self.reached[ends.destination as usize];
            let free = board.block(port, self.first);
            self.reached[ends.destination as usize] = [[0; BLOCK]; MOST_EJECTED + 1];
            pass::<LEVELS>(&here, free, &mut self.reached[ends.destination as usize]);
        }
        for level in &mut self.reached[ends.destination as usize] {
            (0..BLOCK).for_each(|i| level[i] &= board.all[self.first + i]);
        }
    }

    fn has_steps(&self, ground: &Ground, pair: u32, level: usize) -> bool {
        let destination = ground.pairs[pair as usize].destination;
        self.reached[destination as usize][level] != [0; BLOCK]
    }

    /// A random step at a level, uniformly.
    fn any_step(&self, ground: &Ground, pair: u32, level: usize, rng: &mut Rng) -> u32 {
        let steps = self.reached[ground.pairs[pair as usize].destination as usize][level];
        let all: u32 = steps.iter().map(|word| word.count_ones()).sum();
        let mut nth = if all > 1 { rng.random_range(0..all) } else { 0 };
        for (i, mut word) in steps.into_iter().enumerate() {
            let ones = word.count_ones();
            if nth < ones {
                (0..nth).for_each(|_| word &= word - 1);
                return 64 * (self.first + i) as u32 + word.trailing_zeros();
            }
            nth -= ones;
        }
        unreachable!("there is a step at this level")
    }

    /// Writes a random path of a pair in a step at a level into `path`, and the transfers in its
    /// way into `ejected`.
    fn trace(
        &mut self,
        ground: &Ground,
        board: &Board,
        (pair, step, mut level): (u32, u32, usize),
        rng: &mut Rng,
    ) {
        let network = &ground.problem.network;
        let ends = ground.pairs[pair as usize];
        let to = ground.to(ends.destination);
        let [send, receive] = ground.ports(pair);
        let (word, bit) = (step as usize / 64 - self.first, step % 64);
        self.path.clear();
        self.ejected.clear();
        if let Some(port) = receive
            && !board.is_free(port, step)
        {
            level -= 1;
            self.eject(board, port, step, rng);
        }
        let mut v = ends.destination;
        while v != ends.source {
            let ways = network.incoming(v);
            let turn = rng.random_range(0..ways.len());
            let leads_here = |&&c: &&ChannelId| {
                let u = network.channel(c).from as usize;
                let is_free = board.is_free(ground.link(c), step);
                let before = if is_free { Some(level) } else { level.checked_sub(1) };
                to[u] == to[v as usize] + 1
                    && self.mark[u] == self.present
                    && before.is_some_and(|before| self.reached[u][before][word] >> bit & 1 == 1)
            };
            let turned = ways[turn..].iter().chain(&ways[..turn]);
            let c = *turned.clone().find(leads_here).expect("the vertex is reached at this level");
            let link = ground.link(c);
            if !board.is_free(link, step) {
                level -= 1;
                self.eject(board, link, step, rng);
            }
            self.path.push(c);
            v = network.channel(c).from;
        }
        if let Some(port) = send
            && !board.is_free(port, step)
        {
            self.eject(board, port, step, rng);
        }
        self.path.reverse();
    }

    /// Notes a transfer on a full resource, unless one of those noted is on it.
    fn eject(&mut self, board: &Board, r: ResourceId, step: u32, rng: &mut Rng) {
        let is_noted = |cell: usize| self.ejected.contains(&board.owners[cell]);
        if board.cells(r, step).any(is_noted) {
            return;
        }
        let owners = board.cells(r, step).map(|cell| board.owners[cell]);
        // Whatever the order of the places, which a resumed search does not know.
        let from: u32 = rng.random();
        self.ejected.extend(owners.min_by_key(|owner| owner.wrapping_sub(from)));
    }
}

/// Adds to `there` what one more resource lets through: a step that is free there keeps its level,
/// another step falls by one.
#[inline]
fn pass<const LEVELS: usize>(
    here: &[Block; MOST_EJECTED + 1],
    free: &[u64],
    there: &mut [Block; MOST_EJECTED + 1],
) {
    for level in 0..LEVELS {
        for i in 0..BLOCK {
            let falls = if level == 0 { 0 } else { here[level - 1][i] };
            there[level][i] |= here[level][i] & free[i] | falls;
        }
    }
}
