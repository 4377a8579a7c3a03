//! Crossover with another island: whole messages are adopted, and those that do not fit are
//! repaired.
//!
//! It is the two-point crossover of hgsa-store-and-forward, section 3.2, with messages as genes.

use super::AllgatherSearch;
use super::board::{Arrival, NEVER};
use crate::Genome;
use ccsched_base::rng::Rng;
use ccsched_model::problem::MessageId;
use ccsched_model::schedule::Plan;
use rand::RngExt;

/// The most messages that are adopted at once.
const MOST_TAKEN: usize = 12;
/// The most deliveries of a schedule that islands exchange. A few messages of a larger one are not
/// worth the cost of sending all.
const MOST_SHOWN: u64 = 50_000;

impl AllgatherSearch {
    /// The schedule that other islands may adopt.
    pub(super) fn excerpt(&self) -> Genome {
        if self.deliveries > MOST_SHOWN {
            return Genome::Nothing;
        }
        Genome::Transfers(self.board.plan(&self.hops, 0..self.board.messages() as MessageId))
    }

    /// Adopts the partner's messages between two random points.
    pub(super) fn adopt(&mut self, partner: &Plan, rng: &mut Rng) {
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
