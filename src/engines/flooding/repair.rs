//! Repair: the messages that fail, or some of them, are ripped out with a few others and flooded
//! anew in the room that is left.

use super::Flooding;
use super::board::Arrival;
use crate::engines::Rng;
use crate::problem::MessageId;
use rand::RngExt;
use rand::seq::SliceRandom;

/// What was taken away, to put it back if need be.
pub type Ripped = Vec<(MessageId, Arrival)>;

/// At most so many failing messages are repaired at once.
const MOST_FAILING: usize = 12;
/// One in so many repairs that make things a little worse is accepted.
const ODDS: u32 = 200;

impl Flooding {
    /// One repair.
    pub(super) fn repair(&mut self, rng: &mut Rng) {
        self.choose(rng);
        let before = self.rip_active();
        // Not even looking for a choice is work.
        self.flood.decisions += self.flood.active.len() as u64;
        self.flood_active(rng);
        self.accept_or_undo(before, rng);
    }

    /// Chooses what to rip out: first some that fail, then others.
    fn choose(&mut self, rng: &mut Rng) {
        let messages = self.board.messages() as MessageId;
        self.failing.clear();
        self.failing.extend((0..messages).filter(|&m| self.board.missing(m) > 0));
        let (failing, _) = self.failing.partial_shuffle(rng, MOST_FAILING);
        let active = &mut self.flood.active;
        active.clear();
        active.extend_from_slice(failing);
        for _ in 0..rng.random_range(1..=self.settings.others) {
            let m = rng.random_range(0..messages);
            if !active.contains(&m) {
                active.push(m);
            }
        }
    }

    /// Rips out the active messages; returns how many deliveries they failed to make.
    pub(super) fn rip_active(&mut self) -> u64 {
        self.ripped.clear();
        let mut missing = 0;
        for &m in &self.flood.active {
            missing += u64::from(self.board.missing(m));
            self.board.rip(&self.hops, m, &mut self.ripped);
        }
        missing
    }

    /// Keeps what the active messages have become unless it is worse than `before`.
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
