//! The bound on tables by destination of what leaves a vertex. All messages of a vertex, and of the terminals whose
//! only link leads to it, go to one destination over one channel. If there are w of them to each destination, a channel
//! of capacity c carries those to at most floor(x c / w) destinations at load x, whatever the lengths of routes.

use super::anneal::Core;
use super::{Flow, by_destination};
use crate::VertexId;

/// The least load that it allows, and the vertex. Flows are by destination.
pub(super) fn leaving(core: &Core<'_>, flows: &[Flow]) -> Option<(u32, VertexId)> {
    let network = core.network;
    // By vertex, the messages to each destination behind others.
    let mut amounts: Vec<Vec<u32>> = vec![Vec::new(); core.len()];
    let mut of_group = vec![0; core.len()];
    for group in by_destination(flows) {
        let end = core.number[group[0].to as usize];
        for flow in group {
            of_group[core.number[flow.from as usize] as usize] += flow.messages;
        }
        for flow in group {
            let v = core.number[flow.from as usize];
            let messages = std::mem::take(&mut of_group[v as usize]);
            if messages > 0 && v != end {
                amounts[v as usize].push(messages);
            }
        }
    }
    let bounds = amounts.iter_mut().zip(&core.vertices).map(|(amounts, &v)| {
        let ways = network.outgoing(v).iter().map(|&c| network.channel(c));
        let capacities: Vec<u32> =
            ways.filter(|c| core.link[c.to as usize].is_none()).map(|c| c.capacity).collect();
        (least(amounts, &capacities), v)
    });
    bounds.max_by_key(|&(load, v)| (load, std::cmp::Reverse(v)))
}

/// The least load at which these capacities hold all amounts, if those of each size are rounded down to the least of them.
fn least(amounts: &mut [u32], capacities: &[u32]) -> u32 {
    amounts.sort_unstable_by(|a, b| b.cmp(a));
    let count = |end: usize| amounts.get(end).is_none_or(|next| *next < amounts[end - 1]);
    let of = |end: usize| {
        let (size, many) = (u64::from(amounts[end - 1]), end as u64);
        let fits = |load: u64| {
            let places = capacities.iter().map(|&c| load * u64::from(c) / size);
            places.sum::<u64>() >= many
        };
        // At this load one channel alone holds them.
        let (mut low, mut high) = (0, size * many);
        while low < high {
            let middle = u64::midpoint(low, high);
            (low, high) = if fits(middle) { (low, middle) } else { (middle + 1, high) };
        }
        low as u32
    };
    (1..=amounts.len()).filter(|&end| count(end)).map(of).max().unwrap_or(0)
}
