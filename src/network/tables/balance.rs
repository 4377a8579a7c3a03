//! Balances the routes of pairs: every pair takes the cheapest of its shortest allowed ways, at
//! prices that grow exponentially with the loads of links, round after round.

use super::loads::Loads;
use super::ways::Ways;
use super::{Flow, Found, by_destination};
use crate::network::Network;
use crate::rng::rng_of;

/// Rounds without a smaller largest load after which balancing ends.
const PATIENCE: u32 = 40;
/// Balancing of large networks ends after the round in which it has looked at this many channels.
const MOST_WORK: u64 = 70_000_000;

/// The routes with the smallest largest load that was found, and this load. It ends early once they are no longer wanted.
///
/// # Errors
/// A flow without an allowed way.
pub(super) fn balance(
    network: &Network,
    ways: &mut Ways<'_>,
    flows: &[Flow],
    is_unwanted: impl Fn() -> bool,
) -> Result<(Found, u32), Flow> {
    let mut hops = 0;
    for group in by_destination(flows) {
        ways.aim(group[0].to);
        for flow in group {
            hops += u64::from(ways.hops(flow.from).ok_or(*flow)?) * u64::from(flow.messages);
        }
    }
    let mut loads = Loads::new(network, hops);
    let mut rng = rng_of(0, 0, 0);
    let mut routes: Found = vec![Vec::new(); flows.len()];
    let (mut best, mut least, mut idle) = (Found::new(), u32::MAX, 0);
    while idle < PATIENCE {
        let mut place = 0;
        for group in by_destination(flows) {
            if is_unwanted() {
                return Ok((best, least));
            }
            ways.aim(group[0].to);
            for flow in group {
                let route = &mut routes[place];
                route.iter().for_each(|&c| loads.remove(c, flow.messages));
                *route = ways.cheapest(flow.from, &loads, &mut rng);
                route.iter().for_each(|&c| loads.add(c, flow.messages));
                place += 1;
            }
        }
        idle += 1;
        let is_better = loads.largest() < least;
        least = least.min(loads.largest());
        let is_last = least <= loads.even() || ways.work > MOST_WORK;
        if is_better {
            // Copying millions of routes takes long.
            best = if is_last { std::mem::take(&mut routes) } else { routes.clone() };
            idle = 0;
        }
        if is_last {
            break;
        }
        loads.follow();
    }
    Ok((best, least))
}
