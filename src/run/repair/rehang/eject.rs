//! The cheapest place of a transfer that needs others to give way.

use super::{Hanging, Hop};
use ccsched_model::problem::{MessageId, ResourceId};
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The price of ejecting a transfer of the old schedule; that of a new one is 1.
const OLD: u32 = 3;

impl Hanging<'_> {
    /// The place from a holder to a vertex before a step whose ejections are the cheapest, ties at
    /// random; none if each place needs one of the message itself.
    pub(super) fn cheapest(
        &mut self,
        (message, v): (MessageId, VertexId),
        until: u32,
        (since, old): (&BTreeMap<VertexId, u32>, &[Vec<Hop>]),
    ) -> Option<Hop> {
        let mut rng = self.rng.take();
        let mut best: Option<(u32, u32, Hop)> = None;
        for step in 0..until {
            let Some(path) = self.cheapest_path((message, v), step, (since, old)) else { continue };
            let hop = (step, path);
            let prices = self.uses(&hop).into_iter().map(|r| self.price(message, (step, r), old));
            let Some(price) = prices.sum::<Option<u32>>() else { continue };
            let tie = rng.as_mut().map_or(0, |rng| rng.random());
            if best.as_ref().is_none_or(|best| (price, tie) < (best.0, best.1)) {
                best = Some((price, tie, hop));
            }
        }
        self.rng = rng;
        best.map(|(.., hop)| hop)
    }

    /// The path from a holder to a vertex in a step whose channels are the cheapest.
    fn cheapest_path(
        &self,
        (message, v): (MessageId, VertexId),
        step: u32,
        (since, old): (&BTreeMap<VertexId, u32>, &[Vec<Hop>]),
    ) -> Option<Vec<ChannelId>> {
        let network = self.problem.network();
        let slack = self.problem.routing().slack();
        let mut next: BTreeMap<VertexId, ChannelId> = BTreeMap::new();
        let mut cost = BTreeMap::from([(v, 0)]);
        let mut queue = BinaryHeap::from([Reverse((0, 0, v))]);
        while let Some(Reverse((paid, length, at))) = queue.pop() {
            if paid > cost[&at] {
                continue;
            }
            if at != v && since.get(&at).is_some_and(|&first| first <= step) {
                let mut path = Vec::new();
                let mut here = at;
                while here != v {
                    path.push(next[&here]);
                    here = network.channel(next[&here]).to;
                }
                return Some(path);
            }
            if at != v && !self.passes(at) {
                continue;
            }
            for &c in network.incoming(at) {
                let from = network.channel(c).from;
                let resource = self.problem.resources().of_channel(c);
                // No longer than the rules allow from there.
                if length >= self.distances.get(from, v).saturating_add(slack) {
                    continue;
                }
                let Some(price) = self.price(message, (step, resource), old) else { continue };
                let all = paid + price;
                if cost.get(&from).is_none_or(|&before| all < before) {
                    cost.insert(from, all);
                    next.insert(from, c);
                    queue.push(Reverse((all, length + 1, from)));
                }
            }
        }
        None
    }

    /// What it costs to make room for a message; none if only the message itself could make it.
    pub(super) fn price(
        &self,
        message: MessageId,
        (step, r): (u32, ResourceId),
        old: &[Vec<Hop>],
    ) -> Option<u32> {
        if self.room[step as usize][r as usize] > 0 {
            return Some(0);
        }
        self.owner(message, (step, r)).map(|owner| {
            let all = self.hops[owner as usize].iter().filter(|hop| hop.0 == step);
            let is_old = all.clone().any(|hop| old[owner as usize].contains(hop));
            (1 + self.weight[owner as usize]) * if is_old { OLD } else { 1 }
        })
    }

    /// The message that gives way there to another: the one that has ejected others the least.
    fn owner(&self, message: MessageId, (step, r): (u32, ResourceId)) -> Option<MessageId> {
        let owners = self.owners[step as usize].iter().filter(|owner| owner.0 == r);
        let others = owners.map(|owner| owner.1).filter(|&owner| owner != message);
        others.min_by_key(|&owner| (self.weight[owner as usize], owner))
    }

    /// Takes out what is in the way of a transfer.
    pub(super) fn eject_for(&mut self, message: MessageId, hop: &Hop) {
        self.weight[message as usize] += 1;
        for r in self.uses(hop) {
            if self.room[hop.0 as usize][r as usize] > 0 {
                continue;
            }
            let Some(owner) = self.owner(message, (hop.0, r)) else { continue };
            self.take(owner, |all, other| {
                all.has_journeys() || (other.0 == hop.0 && all.uses(other).contains(&r))
            });
            if !self.waiting.contains(&owner) {
                self.waiting.push(owner);
            }
        }
    }
}
