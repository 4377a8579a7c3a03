//! Balances the routes of pairs: every pair takes the cheapest of its shortest allowed ways, at
//! prices that grow exponentially with the loads of links, round after round.

use super::prices::Prices;
use super::ways::{Search, Ways};
use super::{Flow, Left, by_destination};
use crate::{Network, PathList};
use ccsched_base::cores;
use ccsched_base::rng::rng_of;

/// Rounds without a smaller largest load after which balancing ends.
const PATIENCE: u32 = 40;
/// Balancing of large networks ends after the round in which it has looked at this many channels.
const MOST_WORK: u64 = 70_000_000;
/// Work in the first round after which pairs of a destination choose their ways together,
/// `TOGETHER` at a time.
const MOST_APART: u64 = 200_000_000;
const TOGETHER: usize = 256;

/// States of walks to destinations that are looked up ahead.
const AHEAD: usize = 1 << 13;

/// The routes with the smallest largest load that was found while time was left, and this load.
///
/// # Errors
/// A flow without an allowed way.
pub(super) fn balance(
    network: &Network,
    ways: &Ways<'_>,
    flows: &[Flow],
    left: Left<'_>,
) -> Result<(PathList, u32), Flow> {
    let groups: Vec<&[Flow]> = by_destination(flows).collect();
    let some: Vec<&[&[Flow]]> = groups.chunks((AHEAD / ways.states()).max(1)).collect();
    let (mut hops, mut work) = (0, 0);
    for measured in cores::each(some.clone(), |groups| measure(ways, groups)) {
        let (of_some, states) = measured?;
        (hops, work) = (hops + of_some, work + states);
    }
    let mut prices = Prices::new(network, hops);
    let mut rng = rng_of(0, 0, 0);
    let mut routes = PathList::default();
    let (mut best, mut least, mut idle) = (PathList::default(), u32::MAX, 0);
    let mut search = Search::new(ways);
    // The ways to the next destinations are looked up on another thread.
    let aims = |number: usize| {
        some[number].iter().map(|group| (*group, ways.aim(group[0].to))).collect::<Vec<_>>()
    };
    while idle < PATIENCE {
        let mut numbers = 0..flows.len();
        cores::ahead(some.len(), aims, |aims| {
            for (group, aim) in aims {
                work += aim.states();
                let no_time = left() <= 0.0;
                // Each flow has got its route.
                if no_time && !best.is_empty() {
                    return;
                }
                let is_late = no_time || best.is_empty() && work + search.looks > MOST_APART;
                for (place, (flow, number)) in group.iter().zip(numbers.by_ref()).enumerate() {
                    let is_new = number == routes.len();
                    if !is_new {
                        let route = routes.path(number);
                        route.iter().for_each(|&c| prices.remove(c, flow.messages));
                    }
                    let route = if is_late {
                        if place.is_multiple_of(TOGETHER) {
                            search.search_all(&aim, &prices, &mut rng);
                        }
                        search.way(&aim, flow.from)
                    } else {
                        search.cheapest(&aim, flow.from, &prices, &mut rng)
                    };
                    route.iter().for_each(|&c| prices.add(c, flow.messages));
                    // All ways of a flow are as long.
                    if is_new {
                        routes.push(route);
                    } else {
                        routes.path_mut(number).copy_from_slice(route);
                    }
                }
            }
        });
        idle += 1;
        let is_better = prices.loads.largest() < least;
        least = least.min(prices.loads.largest());
        let is_last =
            least <= prices.loads.even() || work + search.looks > MOST_WORK || left() <= 0.0;
        if is_better {
            // Copying millions of routes takes long.
            best = if is_last { std::mem::take(&mut routes) } else { routes.clone() };
            idle = 0;
        }
        if is_last {
            break;
        }
        prices.follow();
    }
    Ok((best, least))
}

/// The hops of all flows to some destinations together, and the states from which there are ways.
fn measure(ways: &Ways<'_>, groups: &[&[Flow]]) -> Result<(u64, u64), Flow> {
    let (mut hops, mut states) = (0, 0);
    for group in groups {
        let (distance, reached) = ways.distances(group[0].to);
        states += reached.len() as u64;
        for flow in *group {
            let of_each = ways.hops(flow.from, &distance).ok_or(*flow)?;
            hops += u64::from(of_each) * u64::from(flow.messages);
        }
    }
    Ok((hops, states))
}
