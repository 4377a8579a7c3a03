//! Bounds in bytes. The arguments of counting hold for bytes as they do for messages: a message of b bytes
//! counts b times. Two arguments are of lengths alone.

use super::arguments::{Fault, capacity};
use super::plan::Plan;
use std::collections::BTreeMap;

/// No schedule is over before its longest message.
pub(super) fn longest(plan: &Plan<'_>) -> u64 {
    let all = plan.demand.pairs.iter().flat_map(|pairs| pairs.all_lengths());
    all.flat_map(|(_, lengths)| lengths.iter().copied()).max().unwrap_or(0)
}

/// Steps: what can carry w messages at once needs, for the ((j - 1) w + 1) longest of its messages, j steps
/// that are as long as the shortest of these. So the j-th longest step has at least these bytes. Looked at
/// are the channels out of and into each terminal, and with fixed routes every channel.
pub(super) fn lengths(plan: &Plan<'_>) -> Result<u64, Fault> {
    let graph = &plan.graph;
    if plan.demand.timed {
        return Err(Fault::Certificate(
            "lengths bound steps, and a timed schedule has none".into(),
        ));
    }
    // By what carries the messages: how many at once, and their lengths.
    let mut carried: BTreeMap<(u8, usize), (u64, Vec<u64>)> = BTreeMap::new();
    let pieces = plan.demand.pieces as usize;
    for (&(from, to), lengths) in plan.demand.pairs.iter().flat_map(|pairs| pairs.all_lengths()) {
        let mut add = |by: (u8, usize), at_once: u64| {
            let list = &mut carried.entry(by).or_insert((at_once, Vec::new())).1;
            list.extend(lengths.iter().flat_map(|&length| std::iter::repeat_n(length, pieces)));
        };
        add((0, from), capacity(plan, from, &graph.outgoing[from]));
        add((1, to), capacity(plan, to, &graph.incoming[to]));
        for c in plan.demand.fixed.iter().flat_map(|f| f.route(graph, from, to)).flatten() {
            let link = graph.excludes[c].map_or(c, |other| c.min(other));
            add((2, link), graph.capacity[link]);
        }
    }
    let mut of_step: Vec<u64> = Vec::new();
    for (at_once, mut lengths) in carried.into_values() {
        lengths.sort_unstable_by_key(|&length| std::cmp::Reverse(length));
        let firsts = lengths.iter().step_by(at_once.clamp(1, 1 << 40) as usize);
        for (step, &length) in firsts.enumerate() {
            match of_step.get_mut(step) {
                Some(most) => *most = length.max(*most),
                None => of_step.push(length),
            }
        }
    }
    Ok(of_step.into_iter().fold(0, u64::saturating_add))
}
