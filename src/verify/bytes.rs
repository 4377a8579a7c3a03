//! Bounds in bytes. The arguments of counting hold for bytes as they do for messages: a message of b bytes
//! counts b times. Two arguments are of lengths alone.

use super::arguments::{Fault, capacity};
use super::congestion::of_pairs;
use super::delays;
use super::plan::Plan;
use ccsched_model::schedule::file::Certificate;
use std::collections::BTreeMap;

/// No schedule is over before its longest message.
pub(super) fn longest(plan: &Plan<'_>) -> u64 {
    if plan.demand.timed && !plan.graph.delay.is_empty() {
        return delays::longest(plan);
    }
    let all = plan.demand.pairs.iter().flat_map(|pairs| pairs.all_lengths());
    all.flat_map(|(_, lengths)| lengths.iter().copied()).max().unwrap_or(0)
}

/// Steps: the j-th longest step has at least the bytes of which the messages that are as long need j steps.
/// Looked at are the channels out of and into each terminal, with fixed routes every channel, and the weights of
/// the certificate. The sum over all steps is that over all lengths of the steps that are as long.
pub(super) fn lengths(plan: &Plan<'_>, certificate: &Certificate) -> Result<u64, Fault> {
    if plan.demand.timed {
        return Err(Fault::Certificate(
            "lengths bound steps, and a timed schedule has none".into(),
        ));
    }
    let pieces = plan.demand.pieces as usize;
    // All messages by falling length: their pairs.
    let mut messages: Vec<(u64, (usize, usize))> = Vec::new();
    for (&pair, lengths) in plan.demand.pairs.iter().flat_map(|pairs| pairs.all_lengths()) {
        let of_pair = lengths.iter().flat_map(|&length| std::iter::repeat_n(length, pieces));
        messages.extend(of_pair.map(|length| (length, pair)));
    }
    messages.sort_unstable_by_key(|&(length, pair)| (std::cmp::Reverse(length), pair));
    let several = certificate.several.iter().flatten().map(|weights| of_pairs(plan, weights));
    let several = several.collect::<Result<Vec<_>, Fault>>()?;
    // Of each argument, what the messages so far take.
    let mut weights = vec![0u128; several.len()];
    let mut carried: BTreeMap<(u8, usize), (u64, u64)> = BTreeMap::new();
    let (mut steps, mut sum) = (0u64, 0u64);
    let mut by_length = messages.chunk_by(|a, b| a.0 == b.0).peekable();
    while let Some(of_length) = by_length.next() {
        for &(_, pair) in of_length {
            let mut add = |by: (u8, usize), at_once: &dyn Fn() -> u64| {
                let (number, at_once) = carried.entry(by).or_insert_with(|| (0, at_once().max(1)));
                *number += 1;
                steps = steps.max(number.div_ceil(*at_once));
            };
            let (graph, (from, to)) = (&plan.graph, pair);
            add((0, from), &|| capacity(plan, from, &graph.outgoing[from]));
            add((1, to), &|| capacity(plan, to, &graph.incoming[to]));
            for c in plan.demand.fixed.iter().flat_map(|f| f.route(graph, from, to)).flatten() {
                let link = graph.excludes[c].map_or(c, |other| c.min(other));
                add((2, link), &|| graph.capacity[link]);
            }
            for (sum, (of_pair, supply)) in weights.iter_mut().zip(&several) {
                *sum += of_pair.get(&pair).copied().unwrap_or(0);
                steps = steps.max(u64::try_from(sum.div_ceil(*supply)).unwrap_or(u64::MAX));
            }
        }
        let shorter = by_length.peek().map_or(0, |next| next[0].0);
        sum = sum.saturating_add((of_length[0].0 - shorter).saturating_mul(steps));
    }
    Ok(sum)
}
