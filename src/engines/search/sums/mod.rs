//! All-reduces whose parts meet in the middle: a part is collected in a tree towards two vertices, which
//! exchange what they hold, and is spread from both; or towards one vertex, and from there. So a part
//! needs no root of its own, and reduces and spreads of different parts share the steps.
//!
//! Parts are placed one by one in hops and steps that are free: of random middles, the one from which
//! most vertices are reached is taken. Where some are not reached, other parts give way, those first
//! that were hardest to place last; they wait to be placed again. Most boards are filled soon or never,
//! so that the search often begins anew, after numbers of placements by the sequence of Luby, Sinclair
//! and Zuckerman ("Optimal speedup of Las Vegas algorithms", 1993).

mod board;
mod flood;
mod hops;
mod kinds;
mod middle;
mod ring;

pub use ring::even_ring;

use board::{Board, Use};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use flood::{Flood, Seed};
use hops::Hops;
use kinds::{Kind, Kinds};
use middle::Middle;
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Random middles that are tried for a part, at most and at least.
const MIDDLES: (usize, usize) = (64, 4);
/// Hops that are looked at for all of them in a step, where all lead from everywhere to everywhere.
const ENOUGH: usize = 1 << 16;
/// Parts that are placed in an iteration, at most, and hops for each of which there would be one.
const MOST_AT_ONCE: usize = 16;
const LOOKED_AT: usize = 128;
/// Placing a part is quick with this number of hops.
const FEW_HOPS: usize = 256;
/// With more vertices, the distances of all pairs take too long.
const MOST_VERTICES: usize = 1024;

/// Hops that are looked at to find how far all vertices are from where parts of many kinds are complete.
const MOST_WORK: usize = 1 << 27;

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

/// The search for a number of steps.
#[derive(Clone)]
pub struct Meeting {
    kinds: Arc<Kinds>,
    /// By kind of parts, where these are complete first.
    middles: Arc<[Vec<Middle>]>,
    /// By kind, those that are not too far from some vertex for the steps of the board.
    near: Vec<Vec<u32>>,
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
    /// None if the network is too large.
    pub fn of(problem: &Problem) -> Option<Self> {
        if problem.network().vertices().len() > MOST_VERTICES {
            return None;
        }
        let hops = Hops::of(problem)?;
        let kinds = Kinds::of(problem);
        // Each vertex where a sum may be complete first looks for all of its kind.
        let starts =
            kinds.all().iter().map(|kind| if kind.middle.is_some() { 1 } else { hops.vertices() });
        let is_vast = starts.sum::<usize>().saturating_mul(hops.len()) > MOST_WORK;
        if kinds.all().len() > 1 && is_vast {
            return None;
        }
        let middles: Vec<Vec<Middle>> =
            kinds.all().iter().map(|kind| middle::all(problem, &hops, kind)).collect();
        let flood = Flood::of(hops.vertices());
        Some(Meeting {
            kinds: Arc::new(kinds),
            middles: middles.into(),
            near: Vec::new(),
            board: Board::of(problem, hops),
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
        self.find_near();
    }

    fn find_near(&mut self) {
        let is_near = |(_, middle): &(u32, &Middle)| middle.steps() <= self.board.steps();
        let of_kind = |middles: &Vec<Middle>| {
            (0..).zip(middles.iter()).filter(is_near).map(|(i, _)| i).collect()
        };
        self.near = self.middles.iter().map(of_kind).collect();
    }

    /// Placements on a board until it is given up.
    fn most_placements(&self) -> u32 {
        luby(self.boards + 1).saturating_mul(self.board.parts() + self.board.parts() / 2)
    }

    /// Number of parts that are not placed.
    pub fn missing(&self) -> usize {
        self.waiting.len()
    }

    /// Whether some middle is near enough to all vertices for this number of steps.
    pub fn can_take(&self, steps: u32) -> bool {
        self.middles.iter().all(|of_kind| of_kind.iter().any(|middle| middle.steps() <= steps))
    }

    /// Parts that are placed in an iteration: several where that takes little time.
    pub fn at_once(&self) -> usize {
        (LOOKED_AT / self.board.hops.len().max(1)).clamp(1, MOST_AT_ONCE)
    }

    /// Whether placing a part takes little time.
    pub fn is_quick(&self) -> bool {
        !self.board.hops.compete() || self.board.hops.len() <= FEW_HOPS
    }

    /// Middles that are tried for a part: fewer where a flood looks at many hops.
    fn tries(&self) -> usize {
        match self.board.hops.compete() {
            true => (ENOUGH / self.board.hops.len().max(1)).clamp(MIDDLES.1, MIDDLES.0),
            false => MIDDLES.0,
        }
    }

    /// Places a waiting part; returns the number of middles tried, 0 if all are too far from some vertex.
    pub fn iterate(&mut self, rng: &mut Rng) -> u64 {
        if self.waiting.is_empty() {
            return 0;
        }
        if self.placements >= self.most_placements() {
            self.boards += 1;
            self.begin(self.board.steps());
        }
        if self.near.iter().any(Vec::is_empty) {
            return 0;
        }
        self.placements += 1;
        let part = self.waiting.swap_remove(rng.random_range(0..self.waiting.len()));
        let (middles, kinds) = (self.middles.clone(), self.kinds.clone());
        let number = self.kinds.number(part);
        let (kind, middles) = (&kinds.all()[number], &middles[number]);
        let mut best: Option<(usize, Seed<'_>)> = None;
        let mut tried = 0;
        for _ in 0..self.tries() {
            tried += 1;
            let seed = self.random_seed(&self.near[number], (kind, middles), rng);
            let lacking = self.flood.run(&mut self.board, &seed, rng);
            if best.is_none_or(|(least, _)| lacking < least) {
                best = Some((lacking, seed));
            }
            if lacking == 0 {
                break;
            }
        }
        let placed = best.is_some_and(|(lacking, seed)| {
            // A flood that reaches all vertices is the last; else the last may be of another middle.
            lacking == 0
                || self.flood.run(&mut self.board, &seed, rng) == 0
                || self.flood.force(&mut self.board, kind, rng)
        });
        let uses = best.filter(|_| placed);
        let uses = uses.and_then(|(_, seed)| self.flood.pruned(&mut self.board, &seed));
        self.flood.let_go(&mut self.board);
        match uses {
            Some(uses) => self.waiting.extend(self.board.place(part, &uses)),
            None => self.waiting.push(part),
        }
        tried
    }

    /// A middle that is near enough, and the first step after all is collected, in which the exchange
    /// takes place if there is one.
    fn random_seed<'m>(
        &self,
        near: &[u32],
        (kind, middles): (&'m Kind, &'m [Middle]),
        rng: &mut Rng,
    ) -> Seed<'m> {
        let middle = *near.choose(rng).expect("some are near");
        let middle = &middles[middle as usize];
        let before = middle.far[0];
        let last = before + (self.board.steps() - middle.steps());
        middle.seed(kind, rng.random_range(before..=last))
    }

    /// The schedule, if no part is missing.
    pub fn plan(&self) -> Plan {
        let mut plan = Plan::new(self.board.steps());
        for part in 0..self.board.parts() {
            for u in self.board.uses(part) {
                let message = if u.gathers { part + self.board.parts() } else { part };
                let path = self.board.hops.channels(u.hop).iter().copied();
                plan.push(u.step as usize, message as MessageId, path);
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
            && uses.iter().flatten().all(|u| u.step < steps && self.board.has(u.hop));
        if is_sound {
            self.board.restore(steps, uses, weights);
            self.find_near();
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
