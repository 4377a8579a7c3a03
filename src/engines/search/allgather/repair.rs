//! Repair: some failing messages are ripped out with a few others and flooded again in the room
//! that is left.

use super::AllgatherSearch;
use super::board::{Arrival, NEVER};
use super::hops::HopId;
use ccsched_base::rng::Rng;
use ccsched_model::problem::MessageId;
use ccsched_network::VertexId;
use rand::RngExt;
use rand::seq::SliceRandom;

/// The removed deliveries, for undoing a repair.
pub type Ripped = Vec<(MessageId, Arrival)>;

/// The most failing messages that are repaired at once.
const MOST_FAILING: usize = 12;
/// One in this number of repairs is accepted if it loses one delivery.
const ODDS: u32 = 200;
/// Share of the repairs that rip out messages that block failing ones.
const GUIDED: f64 = 0.5;

impl AllgatherSearch {
    /// One repair.
    pub(super) fn repair(&mut self, rng: &mut Rng) {
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
    pub(super) fn rip_active(&mut self) -> u64 {
        self.ripped.clear();
        let mut missing = 0;
        for &m in &self.flood.active {
            missing += u64::from(self.board.missing(m));
            self.board.rip(&self.hops, m, &mut self.ripped);
        }
        missing
    }

    /// Keeps the new deliveries of the active messages unless more are missing than `before`.
    pub(super) fn accept_or_undo(&mut self, before: u64, rng: &mut Rng) {
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
