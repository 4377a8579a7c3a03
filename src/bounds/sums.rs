//! Bounds of an all-reduce of one part, or of as many as there are processes, each with the sum of all
//! contributions: *volume*, what all links carry; *late*, the last part that completes at a vertex;
//! *cut*, both ways over a cut (docs/model.md, "Bounds").

use super::cut::sides;
use super::{Bound, Evidence, load};
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use ccsched_network::metrics::{distances_from, distances_to};

/// Number of parts, one for each process or one in all, in pieces.
pub(super) fn parts(problem: &Problem) -> u64 {
    let whole = if problem.collective().joins() { 1 } else { problem.receivers().len() as u64 };
    whole * u64::from(problem.pieces())
}

/// Each part takes a transfer for each process but one to be complete somewhere, and as many to be
/// everywhere.
pub fn volume(problem: &Problem) -> Option<Bound> {
    let network = problem.network();
    let parts = parts(problem);
    let links = load::capacity(problem, 0..network.channels().len() as u32);
    let sends = |&v: &VertexId| network.is_terminal(v) || problem.switching().stores();
    let senders = (0..network.vertices().len() as VertexId).filter(sends);
    let sent: usize = senders.map(|v| problem.sends_at_once(v)).sum();
    let others = problem.receivers().len() as u64 - 1;
    let steps = load::steps(parts * 2 * others, links.min(sent));
    Some(Bound { name: "volume", steps, evidence: Evidence::Nothing })
}

/// What completes a part at a vertex comes no earlier than the farthest contribution; what a vertex
/// contributes leaves it early enough to get as far.
pub fn late(problem: &Problem) -> Option<Bound> {
    let (network, is_stored) = (problem.network(), problem.switching().stores());
    let farthest = |distance: Vec<u32>| {
        let far = problem.receivers().iter().map(|&u| distance[u as usize]).max();
        if is_stored { far.unwrap_or(0) } else { 1 }
    };
    let at = |v: VertexId| {
        let into = load::steps(parts(problem), problem.receives_at_once(v));
        let out = load::steps(parts(problem), problem.sends_at_once(v));
        let latest = (farthest(distances_to(network, v)) + into).saturating_sub(1);
        latest.max((farthest(distances_from(network, v)) + out).saturating_sub(1))
    };
    let of = |&v: &VertexId| (at(v), v);
    let (steps, v) = problem
        .receivers()
        .iter()
        .map(of)
        .max_by_key(|&(steps, v)| (steps, std::cmp::Reverse(v)))?;
    Some(Bound { name: "late", steps, evidence: Evidence::Vertex(v) })
}

/// Every part crosses a cut between processes in both directions: as partial sums, or complete.
pub fn cut(problem: &Problem) -> Option<Bound> {
    let mut best: Option<Bound> = None;
    for side in sides(problem.network()) {
        let inside = problem.receivers().iter().filter(|&&v| side.has(v)).count();
        if inside == 0 || inside == problem.receivers().len() {
            continue;
        }
        let over = |there: bool, back: bool| {
            let channels = (0..).zip(problem.network().channels());
            let crosses = channels.filter(|(_, c)| {
                let ends = (side.has(c.from), side.has(c.to));
                (there && ends == (true, false)) || (back && ends == (false, true))
            });
            load::capacity(problem, crosses.map(|(c, _)| c))
        };
        let n = parts(problem);
        let one_way = load::steps(n, over(true, false)).max(load::steps(n, over(false, true)));
        let steps = one_way.max(load::steps(2 * n, over(true, true)));
        if best.as_ref().is_none_or(|best| steps > best.steps) {
            let evidence = Evidence::Side(side.vertices().collect());
            best = Some(Bound { name: "cut", steps, evidence });
        }
    }
    best
}
