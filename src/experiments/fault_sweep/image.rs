//! Carrying a schedule over to a fault set that is equal to the one it was made for.

use super::{FaultSet, Symmetry};
use crate::network::{ChannelId, Network, VertexId};
use crate::problem::{Messages, Problem, copies};
use crate::schedule::{Plan, Transfer};
use std::collections::HashMap;

/// The schedule for `to` that a schedule for `from` becomes when an automorphism of the whole network
/// takes one set of faults to the other; none if it does not.
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
        let image = automorphism[whole.find(old.network.vertex_name(v))? as usize];
        new.network.find(whole.vertex_name(image))
    };
    let ends = Messages::of(new);
    let mut messages = vec![None; old.messages()];
    for (d, copy) in old.demands.iter().zip(copies(old)) {
        messages[d.message as usize] = ends.find(vertex(d.source)?, vertex(d.destination)?, copy);
    }
    let carried = |t: &Transfer| {
        let channel = |&c: &ChannelId| {
            there.get(&symmetry.channel(*back.get(c as usize)?, automorphism)).copied()
        };
        let channels = t.channels.iter().map(channel).collect::<Option<_>>()?;
        Some(Transfer { message: messages[t.message as usize]?, channels })
    };
    let step = |step: &Vec<Transfer>| step.iter().map(carried).collect::<Option<Vec<_>>>();
    let mut carried = Plan { steps: plan.steps.iter().map(step).collect::<Option<_>>()? };
    carried.tidy();
    Some(carried)
}

/// The channels of the whole network that are left, in the order that they have there: a two-way
/// link that is left comes with both of its channels at the place of its first.
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
