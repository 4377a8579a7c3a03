//! The two trees of a part: forward in time from its middle, and backward.

use super::board::{Board, Use};
use super::hops::{HopId, Hops};
use super::kinds::Kind;
use ccsched_base::rng::Rng;
use ccsched_network::VertexId;
use rand::RngExt;
use rand::seq::SliceRandom;

/// In place of a step, for a vertex that is not reached.
const NEVER: u32 = u32::MAX;
/// Cost of a link in use, beside the weight of the part that uses it.
const IN_USE: u32 = 5;
/// Of more hops, a random part of this size is looked at for each vertex that is reached over a link in
/// use.
const MOST_LOOKED_AT: usize = 1 << 13;
/// A flood passes over one hop in this number, where hops can be in each other's way.
const PASSED_OVER: [u32; 3] = [u32::MAX, 8, 3];

/// Where a flood begins.
#[derive(Clone, Copy)]
pub struct Seed<'m> {
    /// What is to be reached.
    pub kind: &'m Kind,
    pub ends: [VertexId; 2],
    /// The hops of an exchange, from the first end and from the second.
    pub exchange: Option<[&'m [HopId]; 2]>,
    /// The step of the exchange, or the first after all is collected.
    pub step: u32,
}

/// The trees of a part, made again and again.
#[derive(Clone)]
pub struct Flood {
    /// The transfers of the part, the exchange first. They hold room on the board until they are let go.
    uses: Vec<Use>,
    /// By direction (forward in time, backward) and vertex, the steps that it takes from the middle.
    after: [Vec<u32>; 2],
    /// The vertices reached, in order.
    reached: [Vec<VertexId>; 2],
    /// Vertices that are still to be reached.
    left: [usize; 2],
    /// The first step of the forward tree, and the number of steps before the middle.
    begin: [u32; 2],
    /// The hops that lead on, of a step in which they can be in each other's way.
    open: Vec<HopId>,
    /// By vertex, whether a part of the trees hangs on it.
    carries: Vec<bool>,
}

impl Flood {
    /// For a network of `n` vertices.
    pub fn of(n: usize) -> Self {
        Flood {
            uses: Vec::new(),
            after: [vec![NEVER; n], vec![NEVER; n]],
            reached: [Vec::new(), Vec::new()],
            left: [0; 2],
            begin: [0; 2],
            open: Vec::new(),
            carries: vec![false; n],
        }
    }

    /// The step of the board that is `turn` steps, from 0, from the middle; none beyond its ends.
    fn step(&self, board: &Board, way: usize, turn: u32) -> Option<u32> {
        if way == 0 {
            Some(self.begin[0] + turn).filter(|&step| step < board.steps())
        } else {
            self.begin[1].checked_sub(turn + 1)
        }
    }

    /// The vertex from which a hop takes a tree on, and the one to which.
    #[inline]
    fn ends(hops: &Hops, way: usize, hop: HopId) -> [VertexId; 2] {
        let [from, to] = hops.ends(hop);
        if way == 0 { [from, to] } else { [to, from] }
    }

    /// Grows both trees over hops that are free; returns the number of vertices not reached, of the two
    /// trees together. An exchange in use counts as many as there are vertices.
    pub fn run(&mut self, board: &mut Board, seed: &Seed<'_>, rng: &mut Rng) -> usize {
        self.let_go(board);
        self.begin = [seed.step, seed.step];
        let n = self.carries.len();
        let mut lacking = 0;
        if let Some(ways) = seed.exchange {
            self.begin[0] += 1;
            for hops in ways {
                let step = seed.step;
                let first = if hops.len() > 1 { rng.random_range(0..hops.len()) } else { 0 };
                let mut all = hops[first..].iter().chain(&hops[..first]);
                let free = all.find(|&&hop| board.is_free(step, hop));
                lacking += if free.is_some() { 0 } else { n };
                let by = Use { step, hop: *free.unwrap_or(&hops[first]), gathers: false };
                self.uses.push(by);
                board.take(by, 1);
            }
        }
        for way in 0..2 {
            self.after[way].fill(NEVER);
            self.reached[way].clear();
            self.left[way] = seed.kind.wanted(way);
            for v in seed.ends {
                self.reach(seed.kind, way, (v, 0));
            }
            self.grow(board, seed.kind, way, rng);
            lacking += self.left[way];
        }
        lacking
    }

    fn grow(&mut self, board: &mut Board, kind: &Kind, way: usize, rng: &mut Rng) {
        let passed_over = match board.hops.compete() {
            true => PASSED_OVER[rng.random_range(0..PASSED_OVER.len())],
            false => u32::MAX,
        };
        let short_first = passed_over < u32::MAX && rng.random();
        let mut turn = 0;
        while self.left[way] > 0 {
            let Some(step) = self.step(board, way, turn) else { break };
            turn += 1;
            let known = self.reached[way].len();
            let first = rng.random_range(0..known);
            self.open.clear();
            for place in (first..known).chain(0..first) {
                let v = self.reached[way][place];
                for i in 0..board.hops.beside(way, v).len() {
                    let hop = board.hops.beside(way, v)[i];
                    let [_, to] = Flood::ends(&board.hops, way, hop);
                    if self.after[way][to as usize] != NEVER || !board.is_free(step, hop) {
                        continue;
                    }
                    if !kind.may(to) {
                        continue;
                    }
                    if board.hops.compete() {
                        self.open.push(hop);
                    } else {
                        self.go(board, kind, (way, turn), Use { step, hop, gathers: way == 0 });
                    }
                }
            }
            self.open.shuffle(rng);
            if short_first {
                self.open.sort_by_key(|&hop| board.hops.channels(hop).len());
            }
            for i in 0..self.open.len() {
                let hop = self.open[i];
                let [_, to] = Flood::ends(&board.hops, way, hop);
                let is_passed = passed_over < u32::MAX && rng.random_range(0..passed_over) == 0;
                if !is_passed && self.after[way][to as usize] == NEVER && board.is_free(step, hop) {
                    self.go(board, kind, (way, turn), Use { step, hop, gathers: way == 0 });
                }
            }
        }
    }

    /// Takes a tree on by a transfer.
    fn go(&mut self, board: &mut Board, kind: &Kind, (way, turn): (usize, u32), by: Use) {
        let [_, to] = Flood::ends(&board.hops, way, by.hop);
        self.reach(kind, way, (to, turn));
        self.uses.push(by);
        board.take(by, 1);
    }

    fn reach(&mut self, kind: &Kind, way: usize, (v, after): (VertexId, u32)) {
        if std::mem::replace(&mut self.after[way][v as usize], after) == NEVER {
            self.reached[way].push(v);
            self.left[way] -= usize::from(kind.wants(way, v));
        }
    }

    /// Reaches the other vertices over hops in use, each by the cheapest; false if there is none.
    pub fn force(&mut self, board: &mut Board, kind: &Kind, rng: &mut Rng) -> bool {
        for way in 0..2 {
            while self.left[way] > 0 {
                let mut best: Option<(u32, u32, Use, u32)> = None;
                let hops = board.hops.len();
                let few = hops <= MOST_LOOKED_AT;
                let first = if few { 0 } else { rng.random_range(0..hops) };
                for hop in (first..hops).chain(0..first).take(MOST_LOOKED_AT) {
                    let hop = hop as HopId;
                    let [from, to] = Flood::ends(&board.hops, way, hop);
                    let after = self.after[way][from as usize];
                    let is_reached = self.after[way][to as usize] != NEVER;
                    if after == NEVER || is_reached || !kind.may(to) {
                        continue;
                    }
                    let mut turn = after;
                    while let Some(step) = self.step(board, way, turn) {
                        turn += 1;
                        let Some(cost) = board.price(step, hop, IN_USE) else { continue };
                        let key = (cost * 8 + turn, rng.random_range(0..u32::MAX));
                        if best.as_ref().is_none_or(|b| key < (b.0, b.1)) {
                            let by = Use { step, hop, gathers: way == 0 };
                            best = Some((key.0, key.1, by, turn));
                        }
                    }
                }
                let Some((.., by, turn)) = best else { return false };
                self.go(board, kind, (way, turn), by);
            }
        }
        true
    }

    /// Gives the room of all transfers back.
    pub fn let_go(&mut self, board: &mut Board) {
        self.uses.drain(..).for_each(|by| board.take(by, -1));
    }

    /// The transfers of the part without those that lead to nothing wanted, none of which holds room any
    /// more; none if an end of the middle has no part of the sum to hand over, or does not complete it.
    pub fn pruned(&mut self, board: &mut Board, seed: &Seed<'_>) -> Option<Vec<Use>> {
        self.uses.iter().for_each(|&by| board.take(by, -1));
        let mut all = std::mem::take(&mut self.uses);
        let hops = &board.hops;
        let exchanged = if seed.exchange.is_some() { 2 } else { 0 };
        let mut into_ends = [0; 2];
        for way in 0..2 {
            self.carries.fill(false);
            for i in (exchanged..all.len()).rev() {
                let Use { hop, gathers, step } = all[i];
                if gathers != (way == 0) {
                    continue;
                }
                let [from, to] = Flood::ends(hops, way, hop);
                if !seed.kind.wants(way, to) && !self.carries[to as usize] {
                    // It is left out below.
                    all[i] = Use { hop: HopId::MAX, gathers, step };
                    continue;
                }
                self.carries[from as usize] = true;
                for (into, end) in into_ends.iter_mut().zip(seed.ends) {
                    *into += usize::from(way == 1 && from == end);
                }
            }
        }
        all.retain(|by| by.hop != HopId::MAX);
        let least = if exchanged > 0 { 1 } else { 2 };
        let is_whole = |(v, into): (VertexId, usize)| seed.kind.wants(1, v) || into >= least;
        seed.ends.into_iter().zip(into_ends).all(is_whole).then_some(all)
    }
}
