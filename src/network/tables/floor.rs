//! Largest loads that no table avoids: at a terminal, over a cut, and where all links are loaded evenly. Where routes
//! have no larger one, nothing is left to search for.

use super::anneal::Core;
use super::loads::Loads;
use super::{Flow, by_destination};
use crate::metrics::distances_to;
use crate::{ChannelId, Network, VertexId};

/// The larger of the two, over the cut at the fullest channel of some routes.
pub(super) fn floor(network: &Network, flows: &[Flow], loads: &Loads) -> u32 {
    let cut = loads.fullest().map_or(0, |c| over_cut(network, flows, c));
    at_terminals(network, flows).max(cut)
}

/// The largest load at a terminal, if its channels share its messages evenly.
pub(super) fn at_terminals(network: &Network, flows: &[Flow]) -> u32 {
    let mut messages = vec![[0u64; 2]; network.vertices().len()];
    for flow in flows {
        messages[flow.from as usize][0] += u64::from(flow.messages);
        messages[flow.to as usize][1] += u64::from(flow.messages);
    }
    let capacity = |channels: &[ChannelId]| -> u64 {
        channels.iter().map(|&c| u64::from(network.channel(c).capacity)).sum()
    };
    let least = |(v, [out, into]): (VertexId, &[u64; 2])| {
        let [outgoing, incoming] = [network.outgoing(v), network.incoming(v)].map(capacity);
        out.div_ceil(outgoing.max(1)).max(into.div_ceil(incoming.max(1))) as u32
    };
    (0..).zip(&messages).map(least).max().unwrap_or(0)
}

/// The load of the links of the core if shortest routes load them evenly.
pub(super) fn evenly(core: &Core<'_>, flows: &[Flow]) -> u32 {
    let network = core.network;
    let is_inner = |v: VertexId| core.link[v as usize].is_none();
    let inner = (0..).zip(network.channels()).filter(|(id, c)| {
        is_inner(c.from) && is_inner(c.to) && c.excludes().is_none_or(|other| other > *id)
    });
    let capacity: u64 = inner.map(|(_, c)| u64::from(c.capacity)).sum();
    let at = |v: VertexId| core.vertices[core.number[v as usize] as usize];
    let mut hops = 0;
    for group in by_destination(flows) {
        let distance = distances_to(network, at(group[0].to));
        let of = |f: &Flow| u64::from(distance[at(f.from) as usize]) * u64::from(f.messages);
        hops += group.iter().map(of).sum::<u64>();
    }
    hops.div_ceil(capacity.max(1)) as u32
}

/// The load of the channels from the vertices that are nearer to the start of a channel than to its end, if they share
/// the messages from there to the rest evenly. On a mesh that is one half of it.
fn over_cut(network: &Network, flows: &[Flow], c: ChannelId) -> u32 {
    let channel = network.channel(c);
    let [start, end] = [channel.from, channel.to].map(|v| distances_to(network, v));
    let is_near = |v: VertexId| start[v as usize] < end[v as usize];
    let crosses = |from, to| is_near(from) && !is_near(to);
    let messages: u64 =
        flows.iter().filter(|f| crosses(f.from, f.to)).map(|f| u64::from(f.messages)).sum();
    let channels = network.channels().iter().filter(|c| crosses(c.from, c.to));
    let capacity: u64 = channels.map(|c| u64::from(c.capacity)).sum();
    messages.div_ceil(capacity.max(1)) as u32
}

#[cfg(test)]
mod tests {
    use super::super::Table;
    use super::*;
    use crate::{PathList, spec};

    fn floor_of(topology: &str, table: &str) -> (u32, u32) {
        let network = spec::parse(topology).unwrap();
        let all = || network.terminals();
        let pairs = all().flat_map(|from| all().map(move |to| (from, to)));
        let pairs: Vec<_> = pairs.filter(|(from, to)| from != to).collect();
        let routes = Table::find(table).unwrap().routes(&network, pairs.iter().copied()).unwrap();
        let mut flows: Vec<Flow> =
            pairs.iter().map(|&(from, to)| Flow { from, to, messages: 1 }).collect();
        flows.sort_by_key(|f| (f.to, f.from));
        let mut found = PathList::default();
        flows.iter().for_each(|f| found.push(routes.get(f.from, f.to).unwrap()));
        let loads = Loads::of(&network, &flows, &found);
        (floor(&network, &flows, &loads), loads.largest())
    }

    #[test]
    fn it_is_met_where_routes_are_known_to_be_best_and_never_above_a_load() {
        for (topology, table) in [
            ("mesh:5x6", "dimension-order"),
            ("mesh:4x4x3", "dimension-order"),
            ("fat-tree:16", "dmodk"),
        ] {
            let (floor, load) = floor_of(topology, table);
            assert_eq!(floor, load, "{topology}");
        }
        for topology in ["random-regular:30,3,1", "kautz:2,3", "torus:5x4", "ring:7,half", "levi"] {
            for table in ["balanced", "destination"] {
                let (floor, load) = floor_of(topology, table);
                assert!(0 < floor && floor <= load, "{topology} {table}: {floor} of {load}");
            }
        }
    }
}
