//! The two trees of a part: forward in time from its middle, and backward.

use super::board::{Board, Use};
use crate::network::{ChannelId, VertexId};
use crate::rng::Rng;
use rand::RngExt;

/// In place of a step, for a vertex that is not reached.
const NEVER: u32 = u32::MAX;
/// Cost of a link in use, beside the weight of the part that uses it.
const IN_USE: u32 = 5;

/// Where a flood begins.
pub struct Seed {
    pub ends: [VertexId; 2],
    pub exchange: Option<[ChannelId; 2]>,
    /// The step of the exchange, or the first after all is collected.
    pub step: u32,
}

/// The trees of a part, made again and again.
#[derive(Clone)]
pub struct Flood {
    /// The transfers of the part.
    pub uses: Vec<Use>,
    /// By direction (forward in time, backward) and vertex, the steps that it takes from the middle.
    after: [Vec<u32>; 2],
    /// The vertices reached, in order.
    reached: [Vec<VertexId>; 2],
    /// The first step of the forward tree, and the number of steps before the middle.
    begin: [u32; 2],
}

impl Flood {
    /// For a network of `n` vertices.
    pub fn of(n: usize) -> Self {
        Flood {
            uses: Vec::new(),
            after: [vec![NEVER; n], vec![NEVER; n]],
            reached: [Vec::new(), Vec::new()],
            begin: [0; 2],
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

    /// The vertex from which a channel takes a tree on, and the one to which.
    fn ends(board: &Board, way: usize, channel: ChannelId) -> (VertexId, VertexId) {
        let (from, to, _) = board.links.channels[channel as usize];
        if way == 0 { (from, to) } else { (to, from) }
    }

    /// Grows both trees over links that are free; returns the number of vertices not reached, of the
    /// two trees together. An exchange in use counts as many as there are vertices.
    pub fn run(&mut self, board: &Board, seed: &Seed, rng: &mut Rng) -> usize {
        let n = self.after[0].len();
        self.uses.clear();
        self.begin = [seed.step, seed.step];
        let mut lacking = 0;
        if let Some(channels) = seed.exchange {
            self.begin[0] += 1;
            for channel in channels {
                let step = seed.step;
                lacking += if board.is_free(step, channel) { 0 } else { n };
                self.uses.push(Use { step, channel, gathers: false });
            }
        }
        for way in 0..2 {
            self.after[way].fill(NEVER);
            self.reached[way].clear();
            for v in seed.ends {
                if std::mem::replace(&mut self.after[way][v as usize], 0) == NEVER {
                    self.reached[way].push(v);
                }
            }
            self.grow(board, way, rng);
            lacking += n - self.reached[way].len();
        }
        lacking
    }

    fn grow(&mut self, board: &Board, way: usize, rng: &mut Rng) {
        let n = self.after[way].len();
        let mut turn = 0;
        while self.reached[way].len() < n {
            let Some(step) = self.step(board, way, turn) else { break };
            turn += 1;
            let known = self.reached[way].len();
            let first = rng.random_range(0..known);
            for place in (first..known).chain(0..first) {
                let v = self.reached[way][place];
                for &channel in &board.links.beside[way][v as usize] {
                    let (_, to) = Flood::ends(board, way, channel);
                    if self.after[way][to as usize] == NEVER && board.is_free(step, channel) {
                        self.reach(way, (to, turn), Use { step, channel, gathers: way == 0 });
                    }
                }
            }
        }
    }

    fn reach(&mut self, way: usize, (v, after): (VertexId, u32), by: Use) {
        self.after[way][v as usize] = after;
        self.reached[way].push(v);
        self.uses.push(by);
    }

    /// Reaches the other vertices over links in use, each by the cheapest; false if there is none.
    pub fn force(&mut self, board: &Board, rng: &mut Rng) -> bool {
        for way in 0..2 {
            while self.reached[way].len() < self.after[way].len() {
                let mut best: Option<(u32, u32, VertexId, Use)> = None;
                for channel in 0..board.links.channels.len() as ChannelId {
                    let (from, to) = Flood::ends(board, way, channel);
                    let after = self.after[way][from as usize];
                    if after == NEVER || self.after[way][to as usize] != NEVER {
                        continue;
                    }
                    let mut turn = after;
                    while let Some(step) = self.step(board, way, turn) {
                        turn += 1;
                        let cost = board.weakest(step, channel).map_or(0, |(_, w)| IN_USE + w);
                        let key = (cost * 8 + turn, rng.random_range(0..u32::MAX));
                        if best.as_ref().is_none_or(|b| key < (b.0, b.1)) {
                            let by = Use { step, channel, gathers: way == 0 };
                            best = Some((key.0, key.1, to, by));
                        }
                    }
                }
                let Some((.., to, by)) = best else { return false };
                let after = match way {
                    0 => by.step + 1 - self.begin[0],
                    _ => self.begin[1] - by.step,
                };
                self.reach(way, (to, after), by);
            }
        }
        true
    }
}
