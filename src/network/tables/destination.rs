//! `destination`: as balanced, but the next channel depends on the vertex and the destination alone, as
//! in the forwarding tables of switches. The routes to a destination form a tree. Single entries of the trees
//! are annealed until no table has a smaller largest load, or for a number of moves.

use super::anneal::{Core, Moves, Pairs, Trees, anneal};
use super::floor::{at_terminals, evenly, floor};
use super::leaving::leaving;
use super::loads::Loads;
use super::{Flow, Left, by_destination, dimension_order, dmodk};
use crate::metrics::distances_to;
use crate::{ChannelId, Network, PathList};

/// The routes.
pub(super) fn routes(
    network: &Network,
    flows: &[Flow],
    left: Left<'_>,
) -> Result<PathList, String> {
    Ok(find(network, flows, left).0)
}

/// The routes and their largest load: those of the search, or of a routing for such networks that
/// does no worse.
pub(super) fn find(network: &Network, flows: &[Flow], left: Left<'_>) -> (PathList, u32) {
    match known(network, flows) {
        Some(Known { found, load, is_least: true }) => (found, load),
        known => searched(network, flows, known, left),
    }
}

/// The same, where the search may do better than that routing.
fn searched(
    network: &Network,
    flows: &[Flow],
    known: Option<Known>,
    left: Left<'_>,
) -> (PathList, u32) {
    let searched = search(network, flows, left);
    let known = known.filter(|known| known.load <= searched.1);
    known.map_or(searched, |known| (known.found, known.load))
}

/// The routes of a routing for such networks.
struct Known {
    found: PathList,
    /// Their largest load.
    load: u32,
    /// Whether no table has a smaller one.
    is_least: bool,
}

/// The routes of the routing for such networks with the smallest largest load, which are by destination.
fn known(network: &Network, flows: &[Flow]) -> Option<Known> {
    let makes = [dmodk::routes, dimension_order::routes];
    let known = makes.into_iter().filter_map(|make| {
        let found = make(network, flows).ok().filter(|f| are_shortest(network, flows, f))?;
        let loads = Loads::of(network, flows, &found);
        let load = loads.largest();
        let is_least = load <= floor(network, flows, &loads);
        Some(Known { found, load, is_least })
    });
    known.min_by_key(|known| known.load)
}

/// Whether routes are shortest paths.
fn are_shortest(network: &Network, flows: &[Flow], found: &PathList) -> bool {
    let mut routes = found.iter();
    by_destination(flows).all(|group| {
        let distance = distances_to(network, group[0].to);
        let is_shortest = |(flow, route): (&Flow, &[ChannelId])| {
            route.len() == distance[flow.from as usize] as usize
        };
        group.iter().zip(routes.by_ref()).all(is_shortest)
    })
}

fn search(network: &Network, flows: &[Flow], left: Left<'_>) -> (PathList, u32) {
    let core = Core::of(network);
    let floor = at_terminals(network, flows)
        .max(leaving(&core, flows).map_or(0, |(load, _)| load))
        .max(evenly(&core, flows));
    let built = Trees::built(&core, flows, floor);
    let best = if built.may_move() { anneal(&[built], floor, left) } else { built };
    (best.routes(&core, flows), best.pressure().largest())
}

// `balanced`: one shortest path for every pair, with a small largest load. The paths of a table by destination are
// annealed one by one. No table of shortest paths that other routings make has a smaller load.

/// The routes.
pub(super) fn balanced(
    network: &Network,
    flows: &[Flow],
    left: Left<'_>,
) -> Result<PathList, String> {
    let (table, load) = find(network, flows, &|| 2.0 * left() - 1.0);
    let core = Core::of(network);
    let least = floor(network, flows, &Loads::of(network, flows, &table));
    let least = least.max(evenly(&core, flows));
    let annealed =
        (load > least && left() > 0.0).then(|| Pairs::of(&core, flows, &table, least)).flatten();
    let best = annealed.map(|pairs| anneal(&[pairs], least, left));
    // Routes by destination spread the messages of a step better.
    Ok(best.map(|pairs| pairs.routes(&core, flows)).unwrap_or(table))
}
