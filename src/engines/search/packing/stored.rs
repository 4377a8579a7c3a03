//! A schedule for store-and-forward switching from one for wormhole switching: step after step, every
//! message takes the earliest journey along its path, so it follows those before it hop by hop.

use super::ground::Ground;
use super::packed::Packed;
use crate::engines::construct::first_fit;
use crate::network::ChannelId;
use crate::schedule::Plan;

/// A demand crosses a channel in a step.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    pub step: u32,
    pub demand: u32,
    pub channel: ChannelId,
}

/// The hops of all messages, by step.
pub fn hops(ground: &Ground, packed: &Packed) -> Vec<Hop> {
    let mut sent = vec![0; ground.pairs.len()];
    let messages = (0..packed.transfers()).map(|t| {
        let (pair, path) = packed.transfer(t);
        sent[pair as usize] += 1;
        (ground.pairs[pair as usize].first + sent[pair as usize] - 1, path)
    });
    let mut hops = Vec::new();
    first_fit::along(&ground.problem, messages, |demand, step, channel| {
        hops.push(Hop { step, demand, channel });
    });
    hops.sort_by_key(|hop| hop.step);
    hops
}

/// The schedule.
pub fn plan(ground: &Ground, packed: &Packed) -> Plan {
    let mut plan = Plan::new(0);
    for Hop { step, demand, channel } in hops(ground, packed) {
        let message = ground.problem.demands[demand as usize].message;
        plan.push(step as usize, message, [channel]);
    }
    plan.tidy();
    plan
}
