//! `updown`: up*/down* routing (Schroeder and others, "Autonet: a high-speed, self-configuring local
//! area network using point-to-point links", 1991). All vertices have an order, and a channel leads up
//! if its end comes before its start. A route goes up first and then down, so the dependencies of
//! channels have no cycle and wormhole switching no deadlock. Among the shortest such routes the
//! pairs choose those that balance the loads.
//!
//! The orders are by the distance from a root, of which the best is taken; and, where there are switches, by the distance
//! from the terminals, the farthest first, so that all spines of a fat tree are roots. From the best routes by destination
//! single entries are annealed without closing a cycle of channels, so they go up and down no more. A path for each pair
//! up and down is taken where that loads links less. Where the routes of dmodk load no link more than those of the
//! terminals, or those of balanced have no cycle, they are taken.

use super::anneal::{Acyclic, Core, Moves, anneal};
use super::balance::Ways;
use super::floor::{at_terminals, evenly};
use super::leaving::leaving;
use super::loads::Loads;
use super::{Flow, Left, UNLIMITED, balance, by_destination, destination, dmodk};
use crate::metrics::{UNREACHABLE, dependency_cycle, distances_from, distances_from_any};
use crate::{Network, PathList, VertexId};
use ccsched_base::cores;

/// Orders that the search begins with.
const BEST: usize = 4;
/// Entries of tables up to which they are annealed.
const MOST: usize = 1 << 18;
/// Routes that are laid at most to find the best root.
const MOST_LAID: usize = 4_000_000;

/// The routes.
pub(super) fn routes(
    network: &Network,
    flows: &[Flow],
    left: Left<'_>,
) -> Result<PathList, String> {
    let has_switches = network.terminals().count() < network.vertices().len();
    let floor = at_terminals(network, flows);
    if let Some(found) = by_number(network, flows, floor) {
        return Ok(found);
    }
    // Shortest routes of fat trees and meshes have no cycle.
    let shortest = destination::balanced(network, flows, &|| 4.0 * left() - 3.0)?;
    if dependency_cycle(network.channels().len(), shortest.iter()).is_none() {
        return Ok(shortest);
    }
    let core = Core::of(network);
    let floor = floor.max(evenly(&core, flows));
    let roots = roots(network, has_switches);
    let some = (MOST_LAID / flows.len().max(1)).clamp(1, roots.len());
    let mut levels: Vec<Vec<u32>> =
        roots[..some].iter().map(|&root| distances_from(network, root)).collect();
    if has_switches {
        let distances = distances_from_any(network, network.terminals().collect());
        levels.push(distances.iter().map(|&d| UNREACHABLE - d).collect());
    }
    let best = match levels.len() {
        1 => vec![0],
        _ => best_orders(&core, flows, &levels, floor, &|| 2.0 * left() - 1.0),
    };
    let target = floor.max(leaving(&core, flows).map_or(0, |(load, _)| load));
    let annealed = || {
        if core.len() * by_destination(flows).count() > MOST {
            return None;
        }
        let trees = |&order: &usize| Acyclic::updown(&core, flows, &levels[order], target);
        let most = if left() > 0.0 { BEST } else { 1 };
        let starts: Vec<Acyclic> = best.iter().filter_map(trees).take(most).collect();
        (!starts.is_empty()).then(|| anneal(&starts, target, left))
    };
    let first = best.first().copied().unwrap_or(0);
    let pairs = || along(network, &levels[first], flows, left);
    let (by_pair, trees) = cores::both(|| (left() > 0.0).then(pairs), annealed);
    match (by_pair, trees) {
        (Some(Ok((found, load))), Some(trees)) if load < trees.pressure().largest() => Ok(found),
        (_, Some(trees)) => Ok(trees.routes(&core, flows)),
        (by_pair, None) => by_pair.unwrap_or_else(pairs).map(|(found, _)| found).map_err(|flow| {
            let [from, to, root] = [flow.from, flow.to, roots[0]].map(|v| network.vertex_name(v));
            format!(
                "updown needs links of two directions: from '{from}' no route up towards '{root}' \
                 and then down leads to '{to}'; balanced works on one-way links"
            )
        }),
    }
}

/// The orders whose trees load links least, the best first; the first one is looked at even if no time is left.
fn best_orders(
    core: &Core<'_>,
    flows: &[Flow],
    levels: &[Vec<u32>],
    floor: u32,
    left: Left<'_>,
) -> Vec<usize> {
    let load = |order: usize| {
        if order > 0 && left() <= 0.0 {
            return None;
        }
        let trees = Acyclic::updown(core, flows, &levels[order], floor)?;
        Some((trees.pressure().largest(), order))
    };
    let loads = cores::each((0..levels.len()).collect(), load);
    let mut loads: Vec<(u32, usize)> = loads.into_iter().flatten().collect();
    loads.sort_unstable();
    loads.into_iter().take(BEST).map(|(_, order)| order).collect()
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
    left: Left<'_>,
) -> Result<(PathList, u32), Flow> {
    let place = |v: VertexId| (level[v as usize], v);
    let up = network.channels().iter().map(|c| place(c.to) < place(c.from)).collect();
    balance::balance(network, &Ways::new(network, up), flows, left)
}

/// The routes in the order of the most central vertex alone.
pub(super) fn plain(network: &Network, flows: &[Flow]) -> Result<PathList, String> {
    let has_switches = network.terminals().count() < network.vertices().len();
    let root = roots(network, has_switches)[0];
    let found = along(network, &distances_from(network, root), flows, UNLIMITED);
    found.map(|(paths, _)| paths).map_err(|flow| {
        let [from, to] = [flow.from, flow.to].map(|v| network.vertex_name(v));
        format!("no route up and then down leads from '{from}' to '{to}'")
    })
}

/// The vertices, switches if there are any, in the order of their distance to the farthest vertex; of equal ones the
/// one with the smallest sum of distances first.
fn roots(network: &Network, has_switches: bool) -> Vec<VertexId> {
    let spread = |&v: &VertexId| {
        let distances = distances_from(network, v);
        let sum: u64 = distances.iter().map(|&d| u64::from(d)).sum();
        (distances.iter().copied().max().unwrap_or(UNREACHABLE), sum)
    };
    let all = 0..network.vertices().len() as VertexId;
    let mut roots: Vec<VertexId> =
        all.filter(|&v| !has_switches || !network.is_terminal(v)).collect();
    roots.sort_by_cached_key(spread);
    roots
}
