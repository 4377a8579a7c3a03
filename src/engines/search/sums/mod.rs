//! All-reduces whose parts meet in the middle: a part is collected in a tree towards two neighbours,
//! which exchange what they hold, and is spread from both; or towards one vertex, and from there. So
//! a part needs no root of its own, and reduces and spreads of different parts share the steps.
//!
//! Parts are placed one by one in channels and steps that are free: of random middles, the one from
//! which most vertices are reached is taken. Where some are not reached, other parts give way, those
//! first that were hardest to place last; they wait to be placed again. Most boards are filled soon or
//! never, so that the search often begins anew, after numbers of placements by the sequence of Luby,
//! Sinclair and Zuckerman ("Optimal speedup of Las Vegas algorithms", 1993).

mod board;
mod flood;
mod ring;

pub use ring::even_ring;

use crate::network::metrics::{UNREACHABLE, distances_from, distances_to};
use crate::network::{ChannelId, VertexId};
use crate::problem::{MessageId, Ports, Problem};
use crate::rng::Rng;
use crate::schedule::Plan;
use board::{Board, Use};
use flood::Flood;
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Random middles that are tried for a part.
const MIDDLES: usize = 64;
/// With more vertices, the distances of all pairs take too long.
const MOST_VERTICES: usize = 1024;

/// More steps are those of no search.
const MOST_STEPS: u32 = 1 << 20;

/// What determines the rest of a search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    steps: u32,
    /// By part.
    uses: Vec<Vec<Use>>,
    weights: Vec<u32>,
    waiting: Vec<u32>,
    placements: u32,
    boards: u32,
}

/// Where a part is complete first.
#[derive(Clone, Copy, Debug)]
struct Middle {
    /// The vertices that have it, which are equal if there is one.
    ends: [VertexId; 2],
    /// The channels of the exchange, if there are two.
    exchange: Option<[ChannelId; 2]>,
    /// Steps that the farthest contribution takes to them, and the sum from them.
    far: [u32; 2],
}

/// The search for a number of steps.
#[derive(Clone)]
pub struct Meeting {
    middles: Arc<[Middle]>,
    board: Board,
    flood: Flood,
    /// Parts that are not placed.
    waiting: Vec<u32>,
    /// Placements on the present board.
    placements: u32,
    /// Boards that were given up.
    boards: u32,
}

impl Meeting {
    /// None if it does not apply: it is for messages that are stored at every vertex, all of which take
    /// part with all ports.
    pub fn of(problem: &Problem) -> Option<Self> {
        let network = problem.network();
        let n = network.vertices().len();
        let fits = problem.switching().stores()
            && problem.ports() == Ports(None)
            && problem.receivers().len() == n
            && n <= MOST_VERTICES;
        if !fits {
            return None;
        }
        let middles = middles(problem);
        let board = Board::of(problem);
        let flood = Flood::of(n);
        (!middles.is_empty()).then(|| Meeting {
            middles: middles.into(),
            board,
            flood,
            waiting: Vec::new(),
            placements: 0,
            boards: 0,
        })
    }

    /// Begins a search for a schedule of `steps` steps with an empty one.
    pub fn seek(&mut self, steps: u32) {
        self.begin(steps);
        self.boards = 0;
    }

    /// Begins with an empty board.
    fn begin(&mut self, steps: u32) {
        self.board.clear(steps);
        self.waiting = (0..self.board.parts()).collect();
        self.placements = 0;
    }

    /// Placements on a board until it is given up.
    fn most_placements(&self) -> u32 {
        luby(self.boards + 1).saturating_mul(self.board.parts() + self.board.parts() / 2)
    }

    /// Number of parts that are not placed.
    pub fn missing(&self) -> usize {
        self.waiting.len()
    }

    /// Places a waiting part; returns the number of middles tried.
    pub fn iterate(&mut self, rng: &mut Rng) -> u64 {
        if self.waiting.is_empty() {
            return 0;
        }
        if self.placements >= self.most_placements() {
            self.boards += 1;
            self.begin(self.board.steps());
        }
        self.placements += 1;
        let part = self.waiting.swap_remove(rng.random_range(0..self.waiting.len()));
        let mut best: Option<(usize, Middle, u32)> = None;
        for _ in 0..MIDDLES {
            let Some((middle, step)) = self.random_middle(rng) else { continue };
            let lacking = self.flood.run(&self.board, &seed(middle, step), rng);
            if best.is_none_or(|(least, ..)| lacking < least) {
                best = Some((lacking, middle, step));
            }
            if lacking == 0 {
                break;
            }
        }
        let Some((lacking, middle, step)) = best else {
            self.waiting.push(part);
            return MIDDLES as u64;
        };
        // A flood that reaches all vertices is the last; else the last may be of another middle.
        let placed = lacking == 0
            || self.flood.run(&self.board, &seed(middle, step), rng) == 0
            || self.flood.force(&self.board, rng);
        if !placed {
            self.waiting.push(part);
            return MIDDLES as u64;
        }
        for gone in self.board.place(part, &self.flood.uses) {
            self.waiting.push(gone);
        }
        MIDDLES as u64
    }

    /// A middle, and the first step after all is collected, in which the exchange takes place if there
    /// is one; none if the drawn one is too far from some vertex.
    fn random_middle(&self, rng: &mut Rng) -> Option<(Middle, u32)> {
        let middle = *self.middles.choose(rng)?;
        let [before, after] = middle.far;
        let last = self.board.steps().checked_sub(after + u32::from(middle.exchange.is_some()))?;
        (before <= last).then(|| (middle, rng.random_range(before..=last)))
    }

    /// The schedule, if no part is missing.
    pub fn plan(&self) -> Plan {
        let mut plan = Plan::new(self.board.steps());
        for part in 0..self.board.parts() {
            for u in self.board.uses(part) {
                let message = if u.gathers { part + self.board.parts() } else { part };
                plan.push(u.step as usize, message as MessageId, [u.channel]);
            }
        }
        plan.tidy();
        plan
    }

    /// What determines the rest of the search.
    pub fn state(&self) -> State {
        let uses = (0..self.board.parts()).map(|part| self.board.uses(part).to_vec());
        State {
            steps: self.board.steps(),
            uses: uses.collect(),
            weights: self.board.weights().to_vec(),
            waiting: self.waiting.clone(),
            placements: self.placements,
            boards: self.boards,
        }
    }

    /// Resumes from such a state; false if it is none of this search.
    pub fn resume(&mut self, state: State) -> bool {
        let State { steps, uses, weights, waiting, placements, boards } = state;
        let parts = self.board.parts() as usize;
        let is_sound = steps <= MOST_STEPS
            && boards < u32::MAX
            && uses.len() == parts
            && weights.len() == parts
            && waiting.iter().all(|&part| (part as usize) < parts)
            && uses.iter().flatten().all(|u| u.step < steps && self.board.has(u.channel));
        if is_sound {
            self.board.restore(steps, uses, weights);
            (self.waiting, self.placements, self.boards) = (waiting, placements, boards);
        }
        is_sound
    }
}

/// The sequence 1, 1, 2, 1, 1, 2, 4, 1, .. from place 1 on.
fn luby(mut place: u32) -> u32 {
    loop {
        // The least k with place < 2^k.
        let power = 1u64 << (u32::BITS - place.leading_zeros());
        if u64::from(place) == power - 1 {
            return (power / 2) as u32;
        }
        place -= (power / 2 - 1) as u32;
    }
}

/// What a flood begins with.
fn seed(middle: Middle, step: u32) -> flood::Seed {
    flood::Seed { ends: middle.ends, exchange: middle.exchange, step }
}

/// The links whose ends can exchange, and the vertices.
fn middles(problem: &Problem) -> Vec<Middle> {
    let network = problem.network();
    let n = network.vertices().len() as VertexId;
    let to: Vec<Vec<u32>> = (0..n).map(|v| distances_to(network, v)).collect();
    let from: Vec<Vec<u32>> = (0..n).map(|v| distances_from(network, v)).collect();
    let far = |[a, b]: [VertexId; 2]| {
        [&to, &from].map(|table| {
            let of_both = table[a as usize].iter().zip(&table[b as usize]);
            of_both.map(|(&a, &b)| a.min(b)).max().unwrap_or(UNREACHABLE)
        })
    };
    let mut middles = Vec::new();
    for (id, c) in (0..).zip(network.channels()) {
        // Half-duplex links carry one transfer at a time.
        if let Some(back) = c.reverse.filter(|&back| back > id && !c.exclusive) {
            let ends = [c.from, c.to];
            middles.push(Middle { ends, exchange: Some([id, back]), far: far(ends) });
        }
    }
    let single = (0..n).map(|v| Middle { ends: [v, v], exchange: None, far: far([v, v]) });
    middles.extend(single);
    middles
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn boards_grow_seldom() {
        let first: Vec<u32> = (1..16).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
        assert_eq!(luby(u32::MAX), 1 << 31);
    }
}
