//! Flood and repair for all-to-all broadcasts, and broadcasts of many messages in general.
//!
//! The schedule is partial and never has a conflict. First all messages are flooded together,
//! greedily. Then each repair rips out messages that do not reach all receivers, and some others,
//! and floods them again in the room that is left; the result is kept if it is not worse.
//! Randomness is essential, and a restart is cheap. (The papers flood too:
//! umda-diameter-degree-networks, section 4.4, with complete genes.)

mod board;
mod chain;
mod flood;
mod heights;
mod hops;
mod listing;
mod matching;
mod meeting;
mod repair;
mod rounds;
mod settings;
mod state;
mod weights;

use crate::{Genome, Method, PathsFound, Seat, Walker};
use board::Board;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use flood::Flood;
use heights::Heights;
use hops::Hops;
use repair::Ripped;
use settings::Settings;
use std::sync::Arc;

/// Iterations without a new best before the first restart; each attempt may take longer than the
/// one before.
const PATIENCE: u64 = 12;

/// A search by flood and repair.
#[derive(Clone)]
pub struct AllgatherSearch {
    hops: Arc<Hops>,
    heights: Arc<Heights>,
    board: Board,
    flood: Flood,
    deliveries: u64,
    /// Missing deliveries.
    cost: u64,
    /// The least cost of this attempt, and the iterations since.
    least: u64,
    stale: u64,
    island: usize,
    attempt: usize,
    settings: Settings,
    /// The deliveries that a repair removed; reused to avoid allocation.
    ripped: Ripped,
    /// The failing messages: those with missing deliveries.
    failing: Vec<MessageId>,
}

impl AllgatherSearch {
    /// A search without a number of steps; call [`Walker::seek`] next.
    pub fn new(problem: &Problem, seed: u64) -> Self {
        let hops = Hops::of(problem, seed);
        let board = Board::new(problem);
        AllgatherSearch {
            heights: Arc::new(Heights::new(&board, &hops)),
            hops: Arc::new(hops),
            board,
            flood: Flood::default(),
            deliveries: problem.demands().len() as u64,
            cost: u64::MAX,
            least: u64::MAX,
            stale: 0,
            island: 0,
            attempt: 0,
            settings: Settings::of(0, 0),
            ripped: Ripped::default(),
            failing: Vec::new(),
        }
    }

    /// Floods all messages on an empty board, with the next settings.
    fn restart(&mut self, steps: u32, rng: &mut Rng) {
        self.settings = Settings::of(self.island, self.attempt);
        self.attempt += 1;
        self.board.clear(steps);
        self.flood.active.clear();
        self.flood.active.extend(0..self.board.messages() as MessageId);
        self.flood_active(rng);
        self.cost = self.count_missing();
        (self.least, self.stale) = (self.cost, 0);
    }

    /// Floods the active messages, which must have no delivery on the board.
    fn flood_active(&mut self, rng: &mut Rng) {
        self.flood.run(&mut self.board, &self.hops, &self.heights, self.settings, rng);
        for &m in &self.flood.active {
            self.board.prune(&self.hops, m);
        }
    }

    fn count_missing(&self) -> u64 {
        (0..self.board.messages() as MessageId).map(|m| u64::from(self.board.missing(m))).sum()
    }
}

impl Walker for AllgatherSearch {
    fn paths(&self) -> Option<PathsFound> {
        Some(self.hops.found())
    }

    fn settle(&mut self, Seat { island, .. }: Seat) {
        self.island = island;
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.attempt = 0;
        self.restart(steps, rng);
        std::mem::take(&mut self.flood.decisions)
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        while self.cost > 0 && self.flood.decisions < self.deliveries {
            self.repair(rng);
        }
        if self.cost < self.least {
            (self.least, self.stale) = (self.cost, 0);
        } else {
            self.stale += 1;
        }
        if self.cost > 0 && self.stale > PATIENCE * (1 + self.attempt as u64) {
            self.restart(self.board.steps(), rng);
        }
        std::mem::take(&mut self.flood.decisions)
    }

    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        if let Genome::Transfers(plan) = partner {
            self.adopt(plan, rng);
        }
        // Its moves are counted with those of the next iteration.
        0
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn genome(&self) -> Genome {
        self.excerpt()
    }

    fn shows(&self) -> bool {
        true
    }

    fn method(&self) -> Method {
        Method::FloodAndRepair
    }

    fn plan(&self) -> Plan {
        let mut plan = self.board.plan(&self.hops, 0..self.board.messages() as MessageId);
        plan.tidy();
        plan
    }
}
