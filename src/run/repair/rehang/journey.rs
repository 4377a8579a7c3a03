//! The whole way of a scattered message that hosts pass on: over the steps, the cheapest hops from its
//! source to its destination, each of them nearer to it.

use super::{Hanging, Hop};
use ccsched_model::problem::MessageId;
use ccsched_network::{ChannelId, VertexId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// By terminal, the ways to it that were each the cheapest so far: the price, and the last hop.
type Arrivals = BTreeMap<VertexId, Vec<(u32, Hop)>>;

impl Hanging<'_> {
    /// Whether each message has one receiver.
    pub(super) fn has_journeys(&self) -> bool {
        !self.problem.collective().content().is_common()
    }

    /// Takes what is left of the ways that are broken out.
    pub(super) fn drop_broken_journeys(&mut self) {
        for message in 0..self.hops.len() as MessageId {
            if self.has_journeys() && !self.is_there(message) {
                self.take(message, |_, _| true);
            }
        }
    }

    /// Whether a message arrives.
    fn is_there(&self, message: MessageId) -> bool {
        let since = self.holders(message);
        self.receivers[message as usize].iter().all(|v| since.contains_key(v))
    }

    /// Gives a message its cheapest way; what is in its way waits. None if there is none.
    pub(super) fn complete_journey(&mut self, message: MessageId, old: &[Vec<Hop>]) -> Option<()> {
        if self.is_there(message) {
            return Some(());
        }
        for hop in self.journey(message, old)? {
            let has_room = |r: &u32| self.room[hop.0 as usize][*r as usize] > 0;
            if !self.uses(&hop).iter().all(has_room) {
                self.left = self.left.checked_sub(1)?;
                self.eject_for(message, &hop);
            }
            if !self.add(message, hop) {
                return None;
            }
        }
        Some(())
    }

    fn journey(&self, message: MessageId, old: &[Vec<Hop>]) -> Option<Vec<Hop>> {
        let origin = self.problem.message(message).origin;
        let to = *self.receivers[message as usize].first()?;
        let mut arrivals: Arrivals = BTreeMap::new();
        let mut paid = BTreeMap::from([(origin, 0)]);
        for step in 0..self.steps {
            for (v, price, path) in self.hops_of(&paid, to, (message, step, old)) {
                paid.insert(v, price);
                arrivals.entry(v).or_default().push((price, (step, path)));
            }
        }
        let (mut at, mut until, mut hops) = (to, self.steps, Vec::new());
        while at != origin {
            let (_, hop) = arrivals.get(&at)?.iter().rev().find(|(_, hop)| hop.0 < until)?;
            until = hop.0;
            at = self.start(hop);
            hops.push(hop.clone());
        }
        hops.reverse();
        Some(hops)
    }

    /// The hops of a step by which a message gets to terminals for less than before, with their prices.
    fn hops_of(
        &self,
        paid: &BTreeMap<VertexId, u32>,
        to: VertexId,
        (message, step, old): (MessageId, u32, &[Vec<Hop>]),
    ) -> Vec<(VertexId, u32, Vec<ChannelId>)> {
        let network = self.problem.network();
        let far = |v: VertexId| self.distances.get(v, to);
        let mut found: BTreeMap<VertexId, (u32, Option<ChannelId>)> = BTreeMap::new();
        let mut queue = BinaryHeap::new();
        let mut better = Vec::new();
        for (&v, &price) in paid {
            queue.push(Reverse((price, v, true)));
        }
        while let Some(Reverse((price, at, is_start))) = queue.pop() {
            if !is_start && found.get(&at).is_none_or(|best| price > best.0) {
                continue;
            }
            for &c in network.outgoing(at) {
                let next = network.channel(c).to;
                let resource = self.problem.resources().of_channel(c);
                if far(next) >= far(at) {
                    continue;
                }
                let Some(more) = self.price(message, (step, resource), old) else { continue };
                let all = price.saturating_add(more);
                let is_terminal = network.is_terminal(next);
                let before = if is_terminal { paid.get(&next).copied() } else { None };
                let best = found.get(&next).map(|best| best.0);
                if [before, best].into_iter().flatten().any(|least| least <= all) {
                    continue;
                }
                found.insert(next, (all, Some(c)));
                if is_terminal {
                    better.push(next);
                } else {
                    queue.push(Reverse((all, next, false)));
                }
            }
        }
        better.sort_unstable();
        better.dedup();
        let path = |v: VertexId| {
            let (price, _) = found[&v];
            let (mut path, mut at) = (Vec::new(), v);
            while let Some(&(_, Some(c))) = found.get(&at) {
                path.push(c);
                at = network.channel(c).from;
                if network.is_terminal(at) {
                    break;
                }
            }
            path.reverse();
            (v, price, path)
        };
        better.into_iter().map(path).collect()
    }
}
