//! Flood and repair for all-to-all broadcasts, and broadcasts of many messages in general.
//!
//! The schedule is partial and never has a conflict. First all messages are flooded together,
//! greedily. Then each repair rips out messages that do not reach all receivers, and some others,
//! and floods them again in the room that is left; the result is kept if it is not worse.
//! Randomness is essential, and a restart is cheap. (The papers flood too:
//! umda-diameter-degree-networks, section 4.4, with complete genes.)

mod board;
mod flood;
mod hops;

use crate::ground::check_steps;
use crate::{Genome, Method, PathsFound, Resume, Seat, Walker};
use board::{Arrival, Board, Heights, NEVER};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;
use flood::Flood;
use hops::{HopId, Hops};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
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

// Settings of the flood, and how islands rotate through them.

/// The weights of messages, and the size of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Weight of a holder anywhere in the network.
    pub holders: u32,
    /// Weight of a holder one hop away.
    pub near: u32,
    /// Random noise added to each weight: less than this.
    pub noise: u32,
    /// A message with at most this number of spare steps goes first.
    pub spare: Option<u32>,
    /// Whether vertices that are no receivers take messages, to relay them.
    pub relays: Rank,
    /// Whether transfers may pass through terminals.
    pub long: Rank,
    /// Where hops share resources: the number of turns of 256 in which a vertex waits, because
    /// another vertex may use the resources better.
    pub idle: u32,
    /// Where hops share resources: the most messages that a vertex takes in a turn.
    pub turn: usize,
    /// Where hops share resources: whether chains close the holes of a step.
    pub chains: bool,
    /// The most messages that a repair rips out besides the failing ones.
    pub others: usize,
}

/// The rank of relays or long hops in the choices of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// Not used.
    No,
    /// In the room that the others leave.
    After,
    /// Equal to the others.
    Equal,
}

/// The best settings in the trials.
const BASE: Settings = Settings {
    holders: 4,
    near: 16,
    noise: 8,
    spare: Some(1),
    relays: Rank::After,
    long: Rank::After,
    idle: 0,
    turn: 1,
    chains: true,
    others: 12,
};

/// The settings of consecutive attempts, in turn.
const PORTFOLIO: [Settings; 8] = [
    BASE,
    Settings { noise: 64, relays: Rank::Equal, long: Rank::Equal, others: 6, ..BASE },
    Settings { noise: 24, spare: None, long: Rank::No, turn: usize::MAX, chains: false, ..BASE },
    Settings { noise: 256, relays: Rank::No, others: 4, ..BASE },
    Settings { relays: Rank::Equal, idle: 32, chains: false, others: 6, ..BASE },
    Settings { holders: 8, near: 8, spare: Some(0), long: Rank::Equal, ..BASE },
    Settings { noise: 256, relays: Rank::Equal, idle: 128, chains: false, others: 3, ..BASE },
    Settings { holders: 1, near: 1, noise: 1024, spare: Some(2), others: 3, ..BASE },
];

impl Settings {
    /// The settings of an attempt of an island, by number.
    pub fn of(island: usize, attempt: usize) -> Self {
        PORTFOLIO[(island + attempt) % PORTFOLIO.len()]
    }
}

// Saves and restores the state of a search by flood and repair.

#[derive(Serialize, Deserialize)]
struct Saved {
    steps: u32,
    arrivals: Vec<Arrival>,
    /// Work done but not yet reported.
    decisions: u64,
    cost: u64,
    least: u64,
    stale: u64,
    island: usize,
    attempt: usize,
}

impl Resume for AllgatherSearch {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        // Destructured in full, so that a new field cannot be forgotten.
        let AllgatherSearch {
            hops: _,
            heights: _,
            board,
            flood,
            deliveries: _,
            cost,
            least,
            stale,
            island,
            attempt,
            settings: _,
            ripped: _,
            failing: _,
        } = self;
        codec::encode(&Saved {
            steps: board.steps(),
            arrivals: board.arrivals().to_vec(),
            decisions: flood.decisions,
            cost: *cost,
            least: *least,
            stale: *stale,
            island: *island,
            attempt: *attempt,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let state: Saved = codec::decode(state)?;
        if state.arrivals.len() != self.board.arrivals().len() {
            return Err(CommError::Unfit("messages or vertices"));
        }
        check_steps(state.steps, state.arrivals.len())?;
        self.board.clear(state.steps);
        let vertices = self.board.vertices();
        for (place, &arrival) in state.arrivals.iter().enumerate().filter(|(_, a)| **a != NEVER) {
            let (m, v) = ((place / vertices) as MessageId, (place % vertices) as VertexId);
            let known = (arrival.hop as usize) < self.hops.len();
            if !known || arrival.step >= state.steps || self.hops.to(arrival.hop) != v {
                return Err(CommError::Unfit("hops"));
            }
            self.board.put(&self.hops, m, arrival);
        }
        // The settings of the current attempt; `attempt` is the number of the next.
        self.settings = Settings::of(state.island, state.attempt.saturating_sub(1));
        self.flood.decisions = state.decisions;
        (self.cost, self.least, self.stale) = (state.cost, state.least, state.stale);
        (self.island, self.attempt) = (state.island, state.attempt);
        Ok(())
    }
}

// Crossover with another island: whole messages are adopted, and those that do not fit are
// repaired.
//
// It is the two-point crossover of hgsa-store-and-forward, section 3.2, with messages as genes.

/// The most messages that are adopted at once.
const MOST_TAKEN: usize = 12;
/// The most deliveries of a schedule that islands exchange. A few messages of a larger one are not
/// worth the cost of sending all.
const MOST_SHOWN: u64 = 50_000;

impl AllgatherSearch {
    /// The schedule that other islands may adopt.
    fn excerpt(&self) -> Genome {
        if self.deliveries > MOST_SHOWN {
            return Genome::Nothing;
        }
        Genome::Transfers(self.board.plan(&self.hops, 0..self.board.messages() as MessageId))
    }

    /// Adopts the partner's messages between two random points.
    fn adopt(&mut self, partner: &Plan, rng: &mut Rng) {
        let messages = self.board.messages();
        if self.cost == 0 || partner.len() > self.board.steps() as usize {
            return;
        }
        let first = rng.random_range(0..messages);
        let count = rng.random_range(1..=MOST_TAKEN.min(messages));
        let taken = |m: MessageId| (m as usize + messages - first) % messages < count;
        let window: Vec<MessageId> = (0..messages as MessageId).filter(|&m| taken(m)).collect();
        self.flood.active.clone_from(&window);
        let before = self.rip_active();
        let ripped = std::mem::take(&mut self.ripped);
        self.put_what_fits(partner, taken);
        // Messages that do not fit as they are get flooded anew.
        let board = &self.board;
        self.flood.active.retain(|&m| board.missing(m) > 0);
        self.rip_active();
        self.flood_active(rng);
        self.flood.active = window;
        self.ripped = ripped;
        self.accept_or_undo(before, rng);
    }

    /// Puts the partner's transfers onto the board where their places are free.
    fn put_what_fits(&mut self, partner: &Plan, taken: impl Fn(MessageId) -> bool) {
        for (step, transfers) in (0..).zip(partner.steps()) {
            for transfer in transfers.iter().filter(|t| taken(t.message)) {
                let m = transfer.message;
                let Some(hop) = self.hops.find(transfer.channels) else { continue };
                let (from, to) = (self.hops.from(hop), self.hops.to(hop));
                let is_new = self.board.source(m) != to && self.board.arrival(m, to) == NEVER;
                if is_new
                    && self.board.holds(m, from, step)
                    && self.board.has_room(&self.hops, hop, step)
                {
                    self.board.put(&self.hops, m, Arrival { hop, step });
                }
            }
        }
        (0..self.board.messages() as MessageId)
            .filter(|&m| taken(m))
            .for_each(|m| self.board.prune(&self.hops, m));
    }
}

// Repair: some failing messages are ripped out with a few others and flooded again in the room
// that is left.

/// The removed deliveries, for undoing a repair.
type Ripped = Vec<(MessageId, Arrival)>;

/// The most failing messages that are repaired at once.
const MOST_FAILING: usize = 12;
/// One in this number of repairs is accepted if it loses one delivery.
const ODDS: u32 = 200;
/// Share of the repairs that rip out messages that block failing ones.
const GUIDED: f64 = 0.5;

impl AllgatherSearch {
    /// One repair.
    fn repair(&mut self, rng: &mut Rng) {
        self.choose(rng);
        let before = self.rip_active();
        // Counted as work even if the flood decides nothing.
        self.flood.decisions += self.flood.active.len() as u64;
        self.flood_active(rng);
        self.accept_or_undo(before, rng);
    }

    /// Chooses the messages to rip out: first failing ones, then others.
    fn choose(&mut self, rng: &mut Rng) {
        let messages = self.board.messages() as MessageId;
        self.failing.clear();
        self.failing.extend((0..messages).filter(|&m| self.board.missing(m) > 0));
        let (failing, _) = self.failing.partial_shuffle(rng, MOST_FAILING);
        self.flood.active.clear();
        self.flood.active.extend_from_slice(failing);
        let guided = rng.random_bool(GUIDED);
        for _ in 0..rng.random_range(1..=self.settings.others) {
            let other = if guided { self.blocker(rng) } else { None };
            let m = other.unwrap_or_else(|| rng.random_range(0..messages));
            if !self.flood.active.contains(&m) {
                self.flood.active.push(m);
            }
        }
    }

    /// A message that blocks a failing one: at a vertex that lacks the failing message, in a step
    /// in which a neighbour could send it.
    fn blocker(&self, rng: &mut Rng) -> Option<MessageId> {
        let m = self.failing[rng.random_range(0..self.failing.len())];
        let v = rng.random_range(0..self.board.vertices() as VertexId);
        let lacks = |&v: &VertexId| {
            v != self.board.source(m) && self.board.wants(m, v) && self.board.arrival(m, v) == NEVER
        };
        let v = (v..self.board.vertices() as VertexId).chain(0..v).find(lacks)?;
        let hops = self.hops.direct_into(v);
        if hops.is_empty() {
            return None;
        }
        let hop = rng.random_range(hops);
        let from = self.hops.from(hop);
        let step = rng.random_range(0..self.board.steps());
        if !self.board.holds(m, from, step) {
            return None;
        }
        let first = rng.random_range(0..self.board.messages() as MessageId);
        (first..self.board.messages() as MessageId).chain(0..first).find(|&other| {
            let blocks = |h: HopId, to: VertexId| {
                let arrival = self.board.arrival(other, to);
                arrival.step == step
                    && arrival.hop == h
                    && self.hops.uses(h).iter().any(|r| self.hops.uses(hop).contains(r))
            };
            let leaves = |v| self.hops.out_of(v).iter().any(|&h| blocks(h, self.hops.to(h)));
            self.hops.direct_into(v).any(|h| blocks(h, v))
                || (self.hops.coupled() && (leaves(from) || leaves(v)))
        })
    }

    /// Rips out the active messages; returns the number of their missing deliveries.
    fn rip_active(&mut self) -> u64 {
        self.ripped.clear();
        let mut missing = 0;
        for &m in &self.flood.active {
            missing += u64::from(self.board.missing(m));
            self.board.rip(&self.hops, m, &mut self.ripped);
        }
        missing
    }

    /// Keeps the new deliveries of the active messages unless more are missing than `before`.
    fn accept_or_undo(&mut self, before: u64, rng: &mut Rng) {
        let missing = |m: &MessageId| u64::from(self.board.missing(*m));
        let after: u64 = self.flood.active.iter().map(missing).sum();
        if after <= before || (after == before + 1 && rng.random_range(0..ODDS) == 0) {
            self.cost = self.cost - before + after;
            return;
        }
        let mut old = std::mem::take(&mut self.ripped);
        self.rip_active();
        for (m, arrival) in old.drain(..) {
            self.board.put(&self.hops, m, arrival);
        }
        self.ripped = old;
    }
}
