//! The room that transfers take up: added where there is some, and given back.

use super::{Hanging, Hop};
use ccsched_engines::search::scatter::uses;
use ccsched_model::problem::MessageId;
use ccsched_network::ChannelId;

impl Hanging<'_> {
    /// What a transfer takes up.
    pub(super) fn uses(&self, (step, path): &Hop) -> Vec<u32> {
        let crossings: Vec<(ChannelId, u32)> = path.iter().map(|&c| (c, *step)).collect();
        uses(self.problem, &crossings).map(|(r, _)| r).collect()
    }

    /// Adds a transfer if there is room for it.
    pub(super) fn add(&mut self, message: MessageId, hop: Hop) -> bool {
        if self.joined.as_mut().is_some_and(|joined| joined.joins(&hop)) {
            self.hops[message as usize].push(hop);
            return true;
        }
        let uses = self.uses(&hop);
        let room = &mut self.room[hop.0 as usize];
        for (place, &r) in uses.iter().enumerate() {
            if room[r as usize] == 0 {
                uses[..place].iter().for_each(|&r| room[r as usize] += 1);
                return false;
            }
            room[r as usize] -= 1;
        }
        match &mut self.joined {
            Some(joined) => joined.opens(&hop),
            None => self.owners[hop.0 as usize].extend(uses.into_iter().map(|r| (r, message))),
        }
        self.hops[message as usize].push(hop);
        true
    }

    /// Takes the transfers of a message out that a condition says.
    pub(super) fn take(&mut self, message: MessageId, is_out: impl Fn(&Self, &Hop) -> bool) {
        let hops = std::mem::take(&mut self.hops[message as usize]);
        let (out, kept): (Vec<Hop>, Vec<Hop>) = hops.into_iter().partition(|hop| is_out(self, hop));
        for hop in &out {
            let step = hop.0 as usize;
            if self.joined.as_mut().is_some_and(|joined| joined.leaves(hop)) {
                continue;
            }
            for r in self.uses(hop) {
                self.room[step][r as usize] += 1;
                if self.joined.is_some() {
                    continue;
                }
                let owners = &mut self.owners[step];
                let place = owners.iter().position(|&owner| owner == (r, message));
                owners.swap_remove(place.expect("a transfer owns what it takes up"));
            }
        }
        self.hops[message as usize] = kept;
    }
}
