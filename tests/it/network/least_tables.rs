//! The largest loads of tables that are made, against the least that any table has: on tiny networks by brute force,
//! elsewhere by bounds.

use super::tables::{is_by_destination, is_complete, made, pairs};
use ccsched::network::metrics::distances_to;
use ccsched::network::tables::least_leaving;
use ccsched::network::{ChannelId, LinkKind, Network, NetworkBuilder, Routes, VertexId};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;

/// The largest load of a table.
fn load(network: &Network, routes: &Routes) -> u32 {
    let mut loads = vec![0u32; network.channels().len()];
    routes.iter().flat_map(|(.., route)| route).for_each(|&c| loads[c as usize] += 1);
    largest(network, &loads)
}

fn largest(network: &Network, loads: &[u32]) -> u32 {
    let all = loads.iter().zip(network.channels());
    all.map(|(load, c)| load.div_ceil(c.capacity)).max().unwrap_or(0)
}

/// The least largest load of shortest tables by destination; none if there are too many.
fn least(network: &Network) -> Option<u32> {
    let ends: Vec<VertexId> = network.terminals().collect();
    let mut sums = BTreeSet::from([vec![0; network.channels().len()]]);
    for &to in &ends {
        let trees = trees(network, to, &ends);
        if sums.len() * trees.len() > 100_000 {
            return None;
        }
        let add = |(a, b): (&Vec<u32>, &Vec<u32>)| a.iter().zip(b).map(|(a, b)| a + b).collect();
        sums = sums.iter().flat_map(|a| trees.iter().map(move |b| (a, b))).map(add).collect();
    }
    sums.iter().map(|loads| largest(network, loads)).min()
}

/// The loads of all trees of shortest paths to a destination.
fn trees(network: &Network, to: VertexId, ends: &[VertexId]) -> BTreeSet<Vec<u32>> {
    let distance = distances_to(network, to);
    let others = (0..network.vertices().len() as VertexId).filter(|&v| v != to);
    let ways: Vec<(VertexId, Vec<ChannelId>)> = others
        .map(|v| {
            let nearer =
                |c: &&ChannelId| distance[network.channel(**c).to as usize] < distance[v as usize];
            (v, network.outgoing(v).iter().filter(nearer).copied().collect())
        })
        .collect();
    let count = ways.iter().fold(1usize, |n, (_, ways)| n.saturating_mul(ways.len()));
    let mut found = BTreeSet::new();
    for mut number in 0..count.min(200_000) {
        let mut next = vec![0; network.vertices().len()];
        for (v, ways) in &ways {
            next[*v as usize] = ways[number % ways.len()];
            number /= ways.len();
        }
        let mut loads = vec![0; network.channels().len()];
        for &from in ends {
            let mut at = from;
            while at != to {
                let c = next[at as usize];
                loads[c as usize] += 1;
                at = network.channel(c).to;
            }
        }
        found.insert(loads);
    }
    found
}

/// Connected networks of a few vertices, with parallel and wide links.
fn tiny() -> impl Strategy<Value = Network> {
    let vertices = prop::collection::vec((any::<bool>(), any::<u32>()), 2..6);
    let links = prop::collection::vec((any::<u32>(), any::<u32>(), 1..3u32), 1..5);
    (vertices, links).prop_map(|(vertices, links)| {
        let mut net = NetworkBuilder::new("tiny");
        net.terminal("t");
        for (v, &(terminal, before)) in (1..).zip(&vertices) {
            net.vertex(v.to_string(), terminal);
            net.link(before % v, v, LinkKind::FullDuplex);
        }
        let n = vertices.len() as u32 + 1;
        for (from, to, width) in links {
            if from % n != to % n {
                net.wide_link(from % n, to % n, LinkKind::FullDuplex, width);
            }
        }
        net.terminal("u");
        net.link(0, n, LinkKind::FullDuplex);
        net.build().unwrap()
    })
}

#[test]
fn tables_reach_the_least_load_that_brute_force_finds() {
    let mut runner = TestRunner::deterministic();
    let (mut tried, mut missed) = (0, 0);
    for _ in 0..120 {
        let network = tiny().new_tree(&mut runner).unwrap().current();
        let Some(least) = least(&network) else { continue };
        let found = load(&network, &made(&network, "destination").unwrap());
        let floor = least_leaving(&network, pairs(&network)).map_or(0, |(load, _)| load);
        assert!(floor <= least && least <= found, "{floor} {least} {found}: {network:?}");
        tried += 1;
        missed += u32::from(found > least);
    }
    assert!(tried > 80, "{tried} networks were small enough");
    assert!(missed * 50 <= tried, "{missed} of {tried} tables have more than the least load");
}

/// Leaves of some hosts, each with some cables to every spine.
fn leaf_spine(leaves: u32, hosts: u32, spines: u32, cables: u32) -> Network {
    let mut net = NetworkBuilder::new("leaf-spine");
    let spines: Vec<VertexId> = (0..spines).map(|s| net.switch(format!("s{s}"))).collect();
    for leaf in 0..leaves {
        let switch = net.switch(format!("l{leaf}"));
        for host in 0..hosts {
            let host = net.terminal(format!("h{leaf}.{host}"));
            net.link(host, switch, LinkKind::FullDuplex);
        }
        for &spine in spines.iter().cycle().take(spines.len() * cables as usize) {
            net.link(switch, spine, LinkKind::FullDuplex);
        }
    }
    net.build().unwrap()
}

#[test]
fn tables_of_fabrics_reach_their_bound() {
    // Four hosts of a leaf share three spines, with 12 destinations elsewhere: 4 * ceil(12 / 3). Five
    // hosts share two cables to each of two spines, with 20 elsewhere: 5 * ceil(20 / 4); six and 18 over
    // five channels: 6 * ceil(18 / 5) = 24, where free paths need 22.
    for (network, least) in
        [(leaf_spine(4, 4, 3, 1), 16), (leaf_spine(5, 5, 2, 2), 25), (leaf_spine(4, 6, 5, 1), 24)]
    {
        let routes = made(&network, "destination").unwrap();
        is_complete(&network, &routes);
        assert!(is_by_destination(&network, &routes));
        let bound = least_leaving(&network, pairs(&network)).unwrap().0;
        assert_eq!((bound, load(&network, &routes)), (least, least));
    }
}
