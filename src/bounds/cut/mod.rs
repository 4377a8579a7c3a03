//! Cuts: the messages from a set of vertices to the rest, over the capacity of the links that
//! cross. In a store-and-forward scatter the first message also takes steps to reach the cut, and
//! the last takes steps after it: no message crosses in those steps.
//!
//! Only cuts that matter in the networks of the papers are tried: the vertices nearer to one end of
//! a link than to the other (the halves of meshes and hypercubes, the subtrees of trees), balls
//! around a vertex, and the first vertices in the order of the network.

use super::{Bound, Evidence, load};
use crate::network::metrics::{
    UNREACHABLE, distances_from, distances_from_any, distances_to_any, spread,
};
use crate::network::{Network, VertexId};
use crate::problem::{Content, Demand, Problem, Roots, Switching};
use std::collections::HashSet;

/// With more vertices, the quadratic number of cuts costs too much.
const MOST_VERTICES: usize = 1024;

pub fn bound(problem: &Problem) -> Option<Bound> {
    let n = problem.network.vertices().len();
    if n > MOST_VERTICES {
        return None;
    }
    let is_stored_scatter = problem.switching == Switching::StoreAndForward
        && problem.collective.content() == Content::Personal;
    // The hops before a cut and after it are together at most the diameter.
    let most_around = is_stored_scatter.then(|| spread(&problem.network).diameter);
    let mut tried = HashSet::new();
    let mut best: Option<(u32, Vec<bool>)> = None;
    for side in sides(&problem.network) {
        if !tried.insert(side.clone()) {
            continue;
        }
        let (there, both) = across(problem, &side);
        let most = best.as_ref().map_or(0, |(most, _)| *most);
        let may_be_more = |around: &u32| there > 0 && there + around > most.max(both);
        let around = most_around.filter(may_be_more).map_or(0, |_| around(problem, &side));
        let steps = both.max(there + around);
        if best.as_ref().is_none_or(|(most, _)| steps > *most) {
            best = Some((steps, side));
        }
    }
    let (steps, side) = best?;
    let side = (0..n).filter(|&v| side[v]).map(|v| v as VertexId);
    Some(Bound { name: "cut", steps, evidence: Evidence::Side(side.collect()) })
}

/// The cuts to try, as the set of vertices on the sending side, and their reverses.
pub(super) fn sides(network: &Network) -> impl Iterator<Item = Vec<bool>> + '_ {
    let n = network.vertices().len();
    let distances: Vec<Vec<u32>> = (0..n as VertexId).map(|v| distances_from(network, v)).collect();
    let nearer = {
        let distances = distances.clone();
        network.channels().iter().map(move |c| {
            let (a, b) = (&distances[c.from as usize], &distances[c.to as usize]);
            (0..n).map(|v| a[v] < b[v]).collect::<Vec<bool>>()
        })
    };
    let balls = distances.into_iter().flat_map(move |from| {
        let radius = from.iter().copied().filter(|&d| d != UNREACHABLE).max().unwrap_or(0);
        (0..radius).map(move |r| from.iter().map(|&d| d <= r).collect())
    });
    let prefixes = (1..n).map(move |first| (0..n).map(|v| v < first).collect());
    nearer.chain(balls).chain(prefixes).flat_map(|side: Vec<bool>| {
        let reverse = side.iter().map(|inside| !inside).collect();
        [side, reverse]
    })
}

/// Steps for all messages from `side` to the rest, and, if half-duplex links cross, steps for the
/// messages of both directions.
fn across(problem: &Problem, side: &[bool]) -> (u32, u32) {
    let channels = problem.network.channels();
    let crosses = |inside: bool, c: u32| {
        let ends = &channels[c as usize];
        side[ends.from as usize] == inside && side[ends.to as usize] != inside
    };
    let all = 0..channels.len() as u32;
    let there = load::capacity(problem, all.clone().filter(|&c| crosses(true, c)));
    let steps = load::steps(crossing(problem, side, true), there);
    if !all.clone().any(|c| crosses(true, c) && channels[c as usize].exclusive) {
        return (steps, 0);
    }
    let both = load::capacity(problem, all.filter(|&c| crosses(true, c) || crosses(false, c)));
    let work = crossing(problem, side, true) + crossing(problem, side, false);
    (steps, load::steps(work, both))
}

/// Steps that the first message from `side` to the rest takes to reach the cut, plus those that the
/// last takes after it. At least one message crosses.
fn around(problem: &Problem, side: &[bool]) -> u32 {
    let network = &problem.network;
    let crosses = |from: VertexId, to: VertexId| side[from as usize] && !side[to as usize];
    let (sources, destinations) = if problem.collective.roots() == Roots::Listed {
        let crossing = problem.demands.iter().filter(|d| crosses(d.source, d.destination));
        crossing.map(|d| (d.source, d.destination)).unzip()
    } else {
        // Every sender sends to every receiver.
        let of = |ends: &[VertexId], inside| {
            ends.iter().copied().filter(|&v| side[v as usize] == inside).collect()
        };
        (of(&problem.senders, true), of(&problem.receivers, false))
    };
    let from = distances_from_any(network, sources);
    let to = distances_to_any(network, destinations);
    let over = || network.channels().iter().filter(|c| crosses(c.from, c.to));
    let before = over().map(|c| from[c.from as usize]).min().unwrap_or(0);
    before + over().map(|c| to[c.to as usize]).min().unwrap_or(0)
}

/// Messages that must cross from the vertices where `side` is `inside` to the others.
fn crossing(problem: &Problem, side: &[bool], inside: bool) -> u64 {
    let is_in = |v: &&VertexId| side[**v as usize] == inside;
    if problem.collective.roots() == Roots::Listed {
        let crosses = |d: &&Demand| {
            side[d.source as usize] == inside && side[d.destination as usize] != inside
        };
        return problem.demands.iter().filter(crosses).count() as u64;
    }
    if problem.collective.content() == Content::Personal {
        // Every pair of a sender and another receiver is a demand, and the two sides are disjoint.
        let sending = problem.senders.iter().filter(is_in).count() as u64;
        let receiving = problem.receivers.iter().filter(|v| !is_in(v)).count() as u64;
        return sending * receiving;
    }
    let anyone_outside = problem.receivers.iter().any(|v| side[*v as usize] != inside);
    if anyone_outside { problem.senders.iter().filter(is_in).count() as u64 } else { 0 }
}
