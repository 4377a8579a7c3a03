//! `updown`: up*/down* routing (Schroeder and others, "Autonet: a high-speed, self-configuring local
//! area network using point-to-point links", 1991). All vertices have an order, and a channel leads up
//! if its end comes before its start. A route goes up first and then down, so the dependencies of
//! channels have no cycle and wormhole switching no deadlock. Among the shortest such routes the
//! pairs choose those that balance the loads.
//!
//! Two orders are tried, and the one with the smaller largest load is taken: by the distance from one
//! root, a centre of the network; and, where there are switches, by the distance from the terminals,
//! the farthest first, so that all spines of a fat tree are roots. Where the routes of dmodk load no link more than
//! those of the terminals, they are taken.

use super::floor::at_terminals;
use super::loads::Loads;
use super::ways::Ways;
use super::{Flow, balance, dmodk};
use crate::cores;
use crate::network::metrics::{UNREACHABLE, distances_from, distances_from_any};
use crate::network::{Network, PathList, VertexId};
use std::sync::atomic::{AtomicBool, Ordering};

/// The routes.
pub(super) fn routes(network: &Network, flows: &[Flow]) -> Result<PathList, String> {
    let has_switches = network.terminals().count() < network.vertices().len();
    let floor = at_terminals(network, flows);
    if let Some(found) = by_number(network, flows, floor) {
        return Ok(found);
    }
    let root = centre(network, has_switches);
    // Set once the routes of the order by terminals are best, whatever those of the other order are.
    let is_best = AtomicBool::new(false);
    let by_root = || {
        along(network, &distances_from(network, root), flows, || is_best.load(Ordering::Relaxed))
    };
    let by_leaves = || {
        let distances = distances_from_any(network, network.terminals().collect());
        let levels: Vec<u32> = distances.iter().map(|&d| UNREACHABLE - d).collect();
        let found = along(network, &levels, flows, || false);
        let load = found.as_ref().map_or(u32::MAX, |(_, load)| *load);
        is_best.store(load <= floor, Ordering::Relaxed);
        found
    };
    match cores::both(by_root, || has_switches.then(by_leaves)) {
        (_, Some(Ok((found, load)))) if load <= floor => Ok(found),
        (Ok((_, load)), Some(Ok((found, other)))) if other < load => Ok(found),
        (Ok((found, _)), _) | (Err(_), Some(Ok((found, _)))) => Ok(found),
        (Err(flow), _) => {
            let [from, to, root] = [flow.from, flow.to, root].map(|v| network.vertex_name(v));
            Err(format!(
                "updown needs links of two directions: from '{from}' no route up towards '{root}' \
                 and then down leads to '{to}'; balanced works on one-way links"
            ))
        }
    }
}

/// The routes of dmodk, which go up and then down, if their largest load is no more than this.
fn by_number(network: &Network, flows: &[Flow], most: u32) -> Option<PathList> {
    let found = dmodk::routes(network, flows).ok()?;
    (Loads::of(network, flows, &found).largest() <= most).then_some(found)
}

/// The routes, and their largest load, where vertices of a smaller level are above others, and of
/// one level those of a smaller number.
fn along(
    network: &Network,
    level: &[u32],
    flows: &[Flow],
    is_unwanted: impl Fn() -> bool + Sync,
) -> Result<(PathList, u32), Flow> {
    let place = |v: VertexId| (level[v as usize], v);
    let up = network.channels().iter().map(|c| place(c.to) < place(c.from)).collect();
    balance::balance(network, &Ways::new(network, Some(up)), flows, is_unwanted)
}

/// The vertex, a switch if there are any, from which the farthest vertex is nearest; of several the
/// one with the smallest sum of distances, then the first.
fn centre(network: &Network, has_switches: bool) -> VertexId {
    let spread = |&v: &VertexId| {
        let distances = distances_from(network, v);
        let sum: u64 = distances.iter().map(|&d| u64::from(d)).sum();
        (distances.iter().copied().max().unwrap_or(UNREACHABLE), sum)
    };
    let all = 0..network.vertices().len() as VertexId;
    all.filter(|&v| !has_switches || !network.is_terminal(v)).min_by_key(spread).unwrap_or(0)
}
