//! Cuts: the messages from a set of vertices to the rest, over the capacity of the links that
//! cross. In a store-and-forward scatter the first message also takes steps to reach the cut, and
//! the last takes steps after it: no message crosses in those steps.
//!
//! Only cuts that matter in practice are tried (sides.rs): the halves of meshes and hypercubes, the
//! subtrees of trees, the leaf switches of fat trees.

mod crossing;
mod sides;
mod worst;

pub use sides::{Side, sides};
pub(super) use worst::worst;

use super::lengths::Lengths;
use super::{Bound, Evidence, load};
use ccsched_base::cores;
use ccsched_model::problem::{Problem, Roots};
use ccsched_network::VertexId;
use ccsched_network::metrics::{distances_from_any, distances_to_any};
use crossing::{Crossing, Listed};
use std::collections::HashSet;

/// With more vertices, cuts of listed messages cost too much: each is counted message by message.
const MOST_LISTED: usize = 1024;

/// Cuts that are listed before all cores look at them.
const AT_ONCE: usize = 512;

pub fn bound(problem: &Problem, lengths: &Lengths) -> Option<Bound> {
    let (steps, side) = tightest_of_all(problem, lengths)?;
    let evidence = Evidence::Side(side.vertices().collect());
    Some(Bound { name: "cut", steps: steps as u32, evidence })
}

/// The tightest cut, and its steps, or bytes where these count.
pub fn tightest_of_all(problem: &Problem, lengths: &Lengths) -> Option<(u64, Side)> {
    let is_listed = problem.collective().roots() == Roots::Listed;
    if is_listed && problem.network().vertices().len() > MOST_LISTED {
        return None;
    }
    let is_stored_scatter =
        problem.switching().stores() && problem.collective().content().is_personal();
    // A message that crosses a cut goes there, over a channel, and on.
    let most_around = is_stored_scatter.then(|| lengths.longest().saturating_sub(1));
    let size = problem.network().vertices().len() + problem.network().channels().len();
    let listed = Listed::of(problem);
    let mut tried = HashSet::new();
    let mut sides = sides(problem.network()).filter(|side| tried.insert(side.clone().canonical()));
    let mut best: Option<Cut> = None;
    loop {
        let some: Vec<Side> = sides.by_ref().take(AT_ONCE).collect();
        if some.is_empty() {
            break;
        }
        let parts = cores::parts(some.len(), |side| (side + 1) * size);
        let found = cores::each(parts, |part| {
            tightest((problem, listed.as_ref()), &some[part], most_around)
        });
        best = found.into_iter().flatten().fold(best, tighter);
    }
    // Of whole messages, a cut that is worse by a fraction rarely takes another step.
    let is_alike = problem.collective().content().is_common() && problem.groups().is_none();
    if problem.pieces() > 1 && is_alike {
        let of_pieces = |worst: worst::Worst| Cut {
            steps: load::time(
                worst.messages * u64::from(problem.pieces()),
                worst.capacity as usize,
            ),
            side: worst.side,
        };
        best = worst(problem).map(of_pieces).into_iter().fold(best, tighter);
    }
    let Cut { steps, side } = best?;
    Some((steps, side))
}

/// A cut and its bound.
struct Cut {
    steps: u64,
    side: Side,
}

/// The tighter of two cuts, the first of equal ones.
fn tighter(best: Option<Cut>, cut: Cut) -> Option<Cut> {
    best.filter(|best| best.steps >= cut.steps).or(Some(cut))
}

/// The tightest of some cuts.
fn tightest(
    (problem, listed): (&Problem, Option<&Listed>),
    sides: &[Side],
    most_around: Option<u32>,
) -> Option<Cut> {
    let mut crossing = Crossing::of(problem, listed);
    let mut best: Option<Cut> = None;
    for side in sides {
        crossing.look_at(side);
        for forward in [true, false] {
            let (there, both) = crossing.steps(side, forward);
            let most = best.as_ref().map_or(0, |best| best.steps);
            let may_be_more =
                |around: &u32| there > 0 && there + u64::from(*around) > most.max(both);
            let sending = || if forward { side.clone() } else { side.reverse() };
            let takes_time = |_: &u32| !crossing.is_at_once(forward);
            let most_around = most_around.filter(may_be_more).filter(takes_time);
            let around = most_around.map_or(0, |_| u64::from(around(problem, &sending())));
            let steps = both.max(there + around);
            if best.as_ref().is_none_or(|best| steps > best.steps) {
                best = Some(Cut { steps, side: sending() });
            }
        }
    }
    best
}

/// Steps that the first message from `side` to the rest takes to reach the cut, plus those that the
/// last takes after it. At least one message crosses.
fn around(problem: &Problem, side: &Side) -> u32 {
    let network = problem.network();
    let crosses = |from: VertexId, to: VertexId| side.has(from) && !side.has(to);
    let (sources, destinations) = if problem.collective().roots() == Roots::Listed {
        let crossing = problem.demands().iter().filter(|d| crosses(d.source, d.destination));
        crossing.map(|d| (d.source, d.destination)).unzip()
    } else {
        // Every sender sends to every receiver.
        let of = |ends: &[VertexId], inside| {
            ends.iter().copied().filter(|&v| side.has(v) == inside).collect()
        };
        (of(problem.senders(), true), of(problem.receivers(), false))
    };
    let from = distances_from_any(network, sources);
    let to = distances_to_any(network, destinations);
    let over = || network.channels().iter().filter(|c| crosses(c.from, c.to));
    let before = over().map(|c| from[c.from as usize]).min().unwrap_or(0);
    before + over().map(|c| to[c.to as usize]).min().unwrap_or(0)
}
