//! Bisection, girth and distances against plain enumeration on small random networks.

use ccsched::network::metrics::{
    Bisection, Distances, NODE_LIMIT, UNREACHABLE, bisection, channel_loads, crossing_bound, girth,
    spread,
};
use ccsched::network::{LinkKind, Network, NetworkBuilder};
use proptest::prelude::*;

/// The least cut, by trying all sets of vertices as a side.
fn least_cut(net: &Network) -> u32 {
    let n = net.vertices().len();
    let half = net.terminals().count() / 2;
    let side = |mask: u32, v: u32| mask >> v & 1;
    (0..1u32 << n)
        .filter(|&mask| net.terminals().filter(|&v| side(mask, v) == 1).count() == half)
        .map(|mask| {
            let across = |c: &&ccsched::network::Channel| side(mask, c.from) != side(mask, c.to);
            net.channels().iter().filter(across).count() as u32
        })
        .min()
        .unwrap()
}

/// The shortest cycle, by walking all simple paths from every vertex.
fn least_cycle(net: &Network) -> Option<u32> {
    fn walk(net: &Network, path: &mut Vec<u32>, at: u32, home: u32, best: &mut Option<u32>) {
        for &c in net.outgoing(at) {
            let to = net.channel(c).to;
            if path.last().is_some_and(|&last| net.channel(last).reverse == Some(c)) {
                continue;
            }
            path.push(c);
            if to == home {
                *best = Some(best.unwrap_or(u32::MAX).min(path.len() as u32));
            } else if !path[..path.len() - 1].iter().any(|&c| net.channel(c).from == to) {
                walk(net, path, to, home, best);
            }
            path.pop();
        }
    }
    let mut best = None;
    (0..net.vertices().len() as u32).for_each(|v| walk(net, &mut Vec::new(), v, v, &mut best));
    best
}

/// Distances by relaxing every channel until nothing changes.
fn relaxed(net: &Network, from: u32) -> Vec<u32> {
    let mut row = vec![UNREACHABLE; net.vertices().len()];
    row[from as usize] = 0;
    for _ in net.vertices() {
        for c in net.channels() {
            row[c.to as usize] = row[c.to as usize].min(row[c.from as usize].saturating_add(1));
        }
    }
    row
}

fn networks() -> impl Strategy<Value = Network> {
    let links = prop::collection::vec((0..9u32, 1..9u32, 0..3usize), 0..16);
    (prop::collection::vec(any::<bool>(), 1..9), links).prop_map(|(terminals, links)| {
        let mut net = NetworkBuilder::new("random");
        let n = terminals.len() as u32 + 1;
        net.terminal("t");
        for (i, terminal) in terminals.into_iter().enumerate() {
            net.vertex(i.to_string(), terminal);
        }
        let kinds = [LinkKind::FullDuplex, LinkKind::HalfDuplex, LinkKind::OneWay];
        for (from, step, kind) in links {
            let (from, to) = (from % n, (from + step) % n);
            if from != to {
                net.link(from, to, kinds[kind]);
            }
        }
        net.build().unwrap()
    })
}

proptest! {
    #[test]
    fn bisection_is_the_least_cut(net in networks()) {
        let least = least_cut(&net);
        prop_assert_eq!(bisection(&net, NODE_LIMIT), Bisection::Exact(least));
        prop_assert!(crossing_bound(&net) <= least);
    }

    #[test]
    fn girth_is_the_shortest_cycle(net in networks()) {
        prop_assert_eq!(girth(&net), least_cycle(&net));
    }

    #[test]
    fn distances_are_those_of_relaxation(net in networks()) {
        let all = Distances::new(&net);
        for v in 0..net.vertices().len() as u32 {
            prop_assert_eq!(all.from(v), relaxed(&net, v));
        }
        // Every message loads each channel of its path once.
        let load: f64 = channel_loads(&net).iter().sum();
        prop_assert!((load - spread(&net).sum as f64).abs() < 1e-6);
    }
}
