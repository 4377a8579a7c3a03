//! Carries a schedule over from one fault set to an equal one, by the automorphism between them.

use super::{FaultSet, Symmetry};
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, Network, VertexId};
use std::collections::HashMap;

/// The image of a schedule for `from` under an automorphism of the whole network, as a schedule for
/// `to`; none if the automorphism does not map one fault set to the other.
pub fn carry_over(
    symmetry: &Symmetry<'_>,
    whole: &Network,
    (from, plan, old): (&FaultSet, &Plan, &Problem),
    automorphism: &[VertexId],
    (to, new): (&FaultSet, &Problem),
) -> Option<Plan> {
    let back = channels_left(whole, from);
    let there: HashMap<ChannelId, ChannelId> =
        channels_left(whole, to).into_iter().zip(0..).collect();
    let vertex = |v: VertexId| {
        let image = automorphism[whole.find(old.network().vertex_name(v))? as usize];
        new.network().find(whole.vertex_name(image))
    };
    let message = |id| new.find_message(&old.message(id).mapped(vertex)?);
    let messages: Vec<_> = (0..old.messages() as MessageId).map(message).collect();
    let channel = |&c: &ChannelId| {
        there.get(&symmetry.channel(*back.get(c as usize)?, automorphism)).copied()
    };
    let mut carried = Plan::new(plan.len() as u32);
    for (number, step) in plan.steps().enumerate() {
        for t in step {
            let channels = t.channels.iter().map(channel).collect::<Option<Vec<_>>>()?;
            carried.push(number, messages[t.message as usize]?, channels);
        }
    }
    carried.tidy();
    Some(carried)
}

/// The channels of the whole network that remain, in the order of the remaining network, which holds
/// both channels of a two-way link at the place of the lower one.
fn channels_left(whole: &Network, set: &FaultSet) -> Vec<ChannelId> {
    let broken = |v: VertexId| set.vertices.contains(&v);
    let is_left = |c: ChannelId| {
        let ends = whole.channel(c);
        !broken(ends.from) && !broken(ends.to) && !set.channels.contains(&c)
    };
    let mut left = Vec::new();
    for c in (0..whole.channels().len() as ChannelId).filter(|&c| is_left(c)) {
        match whole.channel(c).reverse.filter(|&reverse| is_left(reverse)) {
            Some(reverse) if reverse < c => {}
            Some(reverse) => left.extend([c, reverse]),
            None => left.push(c),
        }
    }
    left
}
