//! The barrier and the all-reduce of one part on grids, in as many steps as the diameter: one dimension
//! after the other, so that a vertex begins a dimension with one sum. Along a line or a ring the sums of
//! all its vertices go both ways at once, each over one channel a step. Hops between neighbours suit all
//! switching.

use ccsched_model::problem::{MessageId, Ports, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use ccsched_network::grid::Grid;

/// The schedules, if the network is a grid all of whose vertices take part: one that begins with each dimension,
/// which is followed by the next ones in turn; `most` of them.
pub fn sums_of_lines(problem: &Problem, most: u32) -> Vec<Plan> {
    let Some((grid, origins)) = lines(problem) else { return Vec::new() };
    let dimensions = grid.sides.len();
    let first = 0..dimensions.min(most as usize);
    first.map_while(|first| beginning_with(&grid, &origins, first)).collect()
}

/// The grid, and the place of each contribution.
fn lines(problem: &Problem) -> Option<(Grid, Vec<usize>)> {
    let network = problem.network();
    let fits = problem.collective().joins()
        && problem.receivers().len() == network.vertices().len()
        && problem.ports() == Ports(None)
        && network.channels().iter().all(|c| !c.exclusive);
    let (grid, places) = if fits { Grid::of_routers(network).ok()? } else { return None };
    if grid.at.len() != places.len() {
        return None;
    }
    let origin = |m: MessageId| places[problem.message(m).origin as usize];
    let origins = (0..problem.messages() as MessageId).map(origin).collect();
    Some((grid, origins))
}

/// The schedule that begins with a dimension.
fn beginning_with(grid: &Grid, origins: &[usize], dimension: usize) -> Option<Plan> {
    let (mut plan, mut first) = (Plan::default(), 0);
    let order: Vec<usize> = (dimension..grid.sides.len()).chain(0..dimension).collect();
    for (turn, &dimension) in order.iter().enumerate() {
        let side = &grid.sides[dimension];
        // By place, the contributions in its sum: those of places that differ in earlier dimensions.
        let of_place = |place: usize| -> Vec<MessageId> {
            let is_same = |&(_, &from): &(u32, &usize)| {
                let mut later = order[turn..].iter();
                later.all(|&i| grid.coordinate(from, i) == grid.coordinate(place, i))
            };
            (0..).zip(origins).filter(is_same).map(|(m, _)| m).collect()
        };
        let sums: Vec<Vec<MessageId>> = (0..grid.at.len()).map(of_place).collect();
        let has = |forward: bool| {
            (0..grid.at.len()).any(|p| grid.channel(p, dimension, forward) != ChannelId::MAX)
        };
        let ways: Vec<(bool, usize)> = match (side.is_ring, has(false), has(true)) {
            (true, true, true) => vec![(true, side.length / 2), (false, (side.length - 1) / 2)],
            (true, false, true) => vec![(true, side.length - 1)],
            (true, true, false) => vec![(false, side.length - 1)],
            (false, ..) => vec![(true, side.length - 1), (false, side.length - 1)],
            (true, false, false) => return None,
        };
        for &(forward, hops) in &ways {
            for (place, sum) in sums.iter().enumerate() {
                let mut at = place;
                for hop in 0..hops {
                    let Some(next) = grid.next(at, dimension, forward) else { break };
                    let channel = grid.channel(at, dimension, forward);
                    if channel == ChannelId::MAX {
                        return None;
                    }
                    sum.iter().for_each(|&m| plan.push(first + hop, m, [channel]));
                    at = next;
                }
            }
        }
        first += ways.iter().map(|way| way.1).max()?;
    }
    plan.tidy();
    Some(plan)
}
