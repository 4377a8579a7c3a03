//! Entries: broadcasts into a region from outside. A copy of a message that enters it n steps before
//! the end informs at most as many vertices there as can be informed in n steps from one; and only a
//! limited number of copies enters in a step. Together they must inform every receiver of the region
//! of every message.

use super::cut::{Side, sides};
use super::holders::{Holders, holds};
use super::partition::boxes;
use super::ports::tightest;
use super::{Bound, Evidence};
use ccsched_model::problem::{Problem, Switching};
use ccsched_network::{ChannelId, VertexId};

/// With more vertices there are too many cuts.
const MOST_VERTICES: usize = 512;
/// Regions examined.
const MOST_REGIONS: usize = 2000;

/// The bound of the region that proves most.
pub fn bound(problem: &Problem) -> Option<Bound> {
    let network = problem.network();
    let is_small = network.vertices().len() <= MOST_VERTICES;
    if !is_small || problem.collective().content().is_personal() || problem.messages() == 1 {
        return None;
    }
    // Under the other rules `spread` and `cut` prove as much, but for boxes with a fast inside.
    match problem.asked_switching() {
        Switching::Hosts => {}
        Switching::Wormhole => return of_box(problem),
        Switching::StoreAndForward => return None,
    }
    let holders = Holders::of(problem);
    let of_region = |side: Side| Some((steps(&holders, &side)?, side));
    let regions = sides(network).flat_map(|side| [side.reverse(), side]).take(MOST_REGIONS);
    let regions = regions.chain(a_box(problem));
    // The first of equals.
    let better =
        |best: (u32, Side), other: (u32, Side)| if other.0 > best.0 { other } else { best };
    let (steps, side) = regions.filter_map(of_region).reduce(better)?;
    Some(Bound { name: "entries", steps, evidence: Evidence::Side(side.vertices().collect()) })
}

/// One of the boxes, if there are any.
fn a_box(problem: &Problem) -> Option<Side> {
    let network = problem.network();
    let vertices = network.vertices().len();
    let has_switches = (0..vertices as VertexId).any(|v| !network.is_terminal(v));
    let set = has_switches.then(|| boxes(problem))??.into_iter().next()?;
    Some(Side::of(vertices, |v| set.binary_search(&(v as VertexId)).is_ok()))
}

/// The bound of a box, if its entries prove more than what its cut and ports carry.
fn of_box(problem: &Problem) -> Option<Bound> {
    let side = a_box(problem)?;
    let holders = Holders::of(problem);
    let steps = steps(&holders, &side)?;
    let outside = problem.senders().iter().filter(|&&v| !side.has(v)).count();
    let of_cut = (outside * problem.pieces() as usize).div_ceil(holders.inflow(&side)) as u64;
    let (_, of_ports) = tightest(problem)?;
    let is_more = u64::from(steps) > of_cut.max(of_ports);
    let evidence = Evidence::Side(side.vertices().collect());
    is_more.then_some(Bound { name: "entries", steps, evidence })
}

/// The steps that a region proves; none if nothing must enter it, or nothing can.
fn steps(holders: &Holders<'_>, side: &Side) -> Option<u32> {
    let problem = holders.problem;
    let receivers = problem.receivers().iter().filter(|&&v| side.has(v)).count() as u64;
    let outside = problem.senders().iter().filter(|&&v| !side.has(v)).count() as u64;
    let mut left = receivers * outside * u64::from(problem.pieces());
    let inflow = holders.inflow(side) as u64;
    if left == 0 || inflow == 0 {
        return None;
    }
    let mut rates: Vec<u64> = side.vertices().map(|v| rate(problem, side, v) as u64).collect();
    rates.sort_unstable_by(|a, b| b.cmp(a));
    let (mut informed, mut steps) = (1, 0);
    while left > 0 {
        left = left.saturating_sub(inflow * informed.min(receivers));
        let known = rates.len().min(informed as usize);
        informed += rates[..known].iter().sum::<u64>();
        steps += 1;
    }
    Some(steps)
}

/// Vertices of a region that one of them informs in a step without leaving it: each neighbour at which
/// every message stops counts once.
fn rate(problem: &Problem, side: &Side, v: VertexId) -> usize {
    let network = problem.network();
    if !holds(problem, v) {
        return 0;
    }
    let stops = |v: VertexId| match problem.switching() {
        Switching::Wormhole => false,
        Switching::StoreAndForward => true,
        Switching::Hosts => network.is_terminal(v),
    };
    let head = |c: &ChannelId| network.channel(*c).to;
    let inside = || network.outgoing(v).iter().filter(|c| side.has(head(c)));
    let mut ends: Vec<VertexId> = inside().map(head).filter(|&u| stops(u)).collect();
    ends.sort_unstable();
    ends.dedup();
    let passing = inside().filter(|c| !stops(head(c)));
    let passing: usize = passing.map(|&c| network.channel(c).capacity as usize).sum();
    (ends.len() + passing).min(problem.sends_at_once(v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;

    /// Four adapters let a message each into a server of eight, where it reaches six vertices in two
    /// steps.
    #[test]
    fn the_last_messages_to_enter_a_server_must_enter_it_twice() {
        let switching = Switching::Hosts;
        let request = Request { switching, ..Request::new(Collective::Aab) };
        let problem = request.pose(spec::parse("dgx1:2").unwrap(), vec![]).unwrap();
        assert_eq!(bound(&problem).unwrap().steps, 4);
    }

    /// Seven steps let 56 messages into a server of eight, but those that come in the last one are for one of these.
    #[test]
    fn messages_that_enter_last_do_not_spread() {
        let of = |topology: &str| {
            let problem =
                Request::new(Collective::Aab).pose(spec::parse(topology).unwrap(), vec![]).unwrap();
            bound(&problem).map(|bound| bound.steps)
        };
        assert_eq!(of("dgx-a100:8"), Some(8));
        assert_eq!([of("fat-tree:16"), of("mesh:4x4"), of("dgx-a100:1")], [None; 3]);
    }
}
