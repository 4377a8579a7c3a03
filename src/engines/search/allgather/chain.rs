//! Chains: a vertex whose hop is blocked moves the blocking delivery to another hop, and so on.
//!
//! Where vertices share links or ports, a step filled in any order leaves holes. Augmenting paths
//! over all vertices close them, as those of `matching` do at one vertex.

use super::board::Arrival;
use super::flood::{Flood, Stage};
use super::hops::HopId;
use super::settings::Rank;
use ccsched_base::rng::Rng;
use ccsched_model::problem::ResourceId;
use ccsched_network::VertexId;
use rand::RngExt;
use std::ops::Range;

/// A withdrawn delivery.
pub(super) const GONE: u32 = u32::MAX;
/// The user of a resource that no delivery of this step occupies.
const NOBODY: u32 = u32::MAX;

/// The working memory of chains.
#[derive(Clone, Debug, Default)]
pub struct Chains {
    /// The delivery of this step that occupies a resource, by resource.
    users: Vec<u32>,
    /// The last search that visited a vertex, by vertex.
    asked: Vec<u32>,
    search: u32,
}

impl Flood {
    /// Delivers messages that fit only if other deliveries of the step move.
    pub(super) fn close_holes(&mut self, stage: &mut Stage<'_>, rng: &mut Rng) {
        self.chains.users.clear();
        self.chains.users.resize(stage.board.resources(), NOBODY);
        self.chains.asked.resize(stage.board.vertices(), 0);
        for i in 0..self.fresh.len() {
            let (v, j) = self.fresh[i];
            let hop = stage.board.arrival(self.active[j as usize], v).hop;
            self.mark(stage.hops.uses(hop), i as u32);
        }
        for i in 0..self.order.len() {
            let v = self.order[i];
            while stage.board.receives(v) && self.any_open(v) {
                self.chains.search += 1;
                if !self.chain(stage, v, rng) {
                    break;
                }
            }
        }
    }

    fn mark(&mut self, uses: &[ResourceId], delivery: u32) {
        uses.iter().for_each(|&r| self.chains.users[r as usize] = delivery);
    }

    /// Delivers one more message to `v`. Returns whether that was possible.
    fn chain(&mut self, stage: &mut Stage<'_>, v: VertexId, rng: &mut Rng) -> bool {
        self.chains.asked[v as usize] = self.chains.search;
        if stage.board.is_shut(stage.hops, v, stage.step) {
            return false;
        }
        let all = stage.hops.into(v);
        let over = if stage.settings.long == Rank::No { stage.hops.direct_into(v) } else { all };
        if over.is_empty() {
            return false;
        }
        let first = rng.random_range(over.clone());
        self.decisions += 1;
        for h in turn(&over, first) {
            if stage.board.has_room(stage.hops, h, stage.step)
                && let Some(j) = self.rarest(stage.hops.from(h), v)
            {
                self.deliver(stage, h, j);
                return true;
            }
        }
        turn(&over, first).any(|h| self.displace(stage, h, rng))
    }

    /// Delivers a message over a hop by moving the one delivery that blocks it, if possible.
    fn displace(&mut self, stage: &mut Stage<'_>, h: HopId, rng: &mut Rng) -> bool {
        let Some(delivery) = self.in_the_way(stage, h) else { return false };
        let (other, old) = self.fresh[delivery as usize];
        let v = stage.hops.to(h);
        if self.chains.asked[other as usize] == self.chains.search {
            return false;
        }
        let Some(j) = self.rarest(stage.hops.from(h), v) else { return false };
        let m = self.active[old as usize];
        let arrival = stage.board.arrival(m, other);
        stage.board.lift(stage.hops, m, other);
        self.mark(stage.hops.uses(arrival.hop), NOBODY);
        self.set_open(other, old, true);
        self.fresh[delivery as usize].1 = GONE;
        self.deliver(stage, h, j);
        // Not marked: it stays in place while the other vertex searches for a hop.
        let mine = self.fresh.len() as u32 - 1;
        self.mark(stage.hops.uses(h), NOBODY);
        let may_lose = stage.settings.relays != Rank::Equal && !stage.board.receives(other);
        if may_lose || self.chain(stage, other, rng) {
            self.mark(stage.hops.uses(h), mine);
            return true;
        }
        stage.board.lift(stage.hops, self.active[j as usize], v);
        self.set_open(v, j, true);
        self.fresh.truncate(mine as usize);
        stage.board.put(stage.hops, m, arrival);
        self.mark(stage.hops.uses(arrival.hop), delivery);
        self.set_open(other, old, false);
        self.fresh[delivery as usize].1 = old;
        false
    }

    fn deliver(&mut self, stage: &mut Stage<'_>, hop: HopId, j: u32) {
        let arrival = Arrival { hop, step: stage.step };
        stage.board.put(stage.hops, self.active[j as usize], arrival);
        self.mark(stage.hops.uses(hop), self.fresh.len() as u32);
        let v = stage.hops.to(hop);
        self.set_open(v, j, false);
        self.fresh.push((v, j));
    }

    /// The one delivery of this step that blocks a hop; none if several do.
    fn in_the_way(&self, stage: &Stage<'_>, h: HopId) -> Option<u32> {
        let mut one = None;
        for &r in stage.hops.uses(h).iter().filter(|&&r| stage.board.is_full(r, stage.step)) {
            let user = self.chains.users[r as usize];
            if user == NOBODY || one.is_some_and(|one| one != user) {
                return None;
            }
            one = Some(user);
        }
        one
    }

    /// The message with the fewest holders that `from` can send and `to` lacks.
    fn rarest(&self, from: VertexId, to: VertexId) -> Option<u32> {
        let mut best: Option<u32> = None;
        let (from, to) = (from as usize * self.words, to as usize * self.words);
        for word in 0..self.words {
            let mut bits = self.held[from + word] & self.open[to + word];
            while bits != 0 {
                let j = word as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                if best.is_none_or(|b| self.holders[j as usize] < self.holders[b as usize]) {
                    best = Some(j);
                }
            }
        }
        best
    }
}

/// All hops of a range, cyclically from `first`.
fn turn(over: &Range<HopId>, first: HopId) -> impl Iterator<Item = HopId> + use<> {
    (first..over.end).chain(over.start..first)
}
