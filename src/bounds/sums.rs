//! Bounds of an all-reduce of one part, or of as many as there are processes, each with the sum of all
//! contributions: *volume*, what all links carry; *late*, the last part that completes at a vertex;
//! *cut*, both ways over a cut (docs/model.md, "Bounds").

use super::cut::sides;
use super::{Bound, Evidence, Side, load};
use ccsched_model::problem::{Demand, MessageId, Problem};
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
    let others = problem.receivers().len() as u64 - 1;
    let work = match problem.groups() {
        Some(_) => problem.demands().len() as u64,
        None => parts(problem) * 2 * others,
    };
    let links = load::capacity(problem, 0..network.channels().len() as u32);
    let sends = |&v: &VertexId| network.is_terminal(v) || problem.switching().stores();
    let senders = (0..network.vertices().len() as VertexId).filter(sends);
    let sent: usize = senders.map(|v| problem.sends_at_once(v)).sum();
    let steps = load::steps(work, links.min(sent));
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
    let of_all = |side: &Side| {
        let inside = problem.receivers().iter().filter(|&&v| side.has(v)).count();
        let crosses = inside > 0 && inside < problem.receivers().len();
        [if crosses { parts(problem) } else { 0 }; 2]
    };
    worst(problem, of_all)
}

/// The worst of the cuts that some sums leave and enter.
fn worst(problem: &Problem, across: impl Fn(&Side) -> [u64; 2]) -> Option<Bound> {
    let mut best: Option<Bound> = None;
    for side in sides(problem.network()) {
        let [out, into] = across(&side);
        if out + into == 0 {
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
        let one_way = load::steps(out, over(true, false)).max(load::steps(into, over(false, true)));
        let steps = one_way.max(load::steps(out + into, over(true, true)));
        if best.as_ref().is_none_or(|best| steps > best.steps) {
            let evidence = Evidence::Side(side.vertices().collect());
            best = Some(Bound { name: "cut", steps, evidence });
        }
    }
    best
}

/// With more vertices, cuts of listed sums cost too much: each is counted sum by sum.
const MOST_LISTED: usize = 1024;

/// The bounds of all sums of groups together.
pub fn of_groups(problem: &Problem) -> Vec<Option<Bound>> {
    let is_small = problem.network().vertices().len() <= MOST_LISTED;
    vec![volume(problem), ports(problem), is_small.then(|| cut_of_groups(problem)).flatten()]
}

/// The demands of each message that has some, with whether it is reduced, and its number among the sums.
fn by_message(problem: &Problem) -> impl Iterator<Item = (bool, usize, &[Demand])> {
    let parts = problem.messages() as MessageId / 2;
    let all = problem.demands().chunk_by(|a, b| a.message == b.message);
    all.map(move |of| (of[0].message < parts, (of[0].message % parts) as usize, of))
}

/// A vertex sends every sum to which it contributes and that another one gets, and it gets those of others.
fn ports(problem: &Problem) -> Option<Bound> {
    let n = problem.network().vertices().len();
    let (mut out, mut into) = (vec![0_u64; n], vec![0_u64; n]);
    for (reduces, _, of) in by_message(problem) {
        let (roots, others) = if reduces { (&mut into, &mut out) } else { (&mut out, &mut into) };
        roots[of[0].source as usize] += 1;
        of.iter().for_each(|d| others[d.destination as usize] += 1);
    }
    let at = |v: VertexId| {
        let sent = load::steps(out[v as usize], problem.sends_at_once(v));
        sent.max(load::steps(into[v as usize], problem.receives_at_once(v)))
    };
    let v = (0..n as VertexId).max_by_key(|&v| (at(v), std::cmp::Reverse(v)))?;
    Some(Bound { name: "ports", steps: at(v), evidence: Evidence::Vertex(v) })
}

/// A sum crosses a cut that has a contributor on one side, and a receiver on the other. Its root is both, or the one
/// contributor.
fn cut_of_groups(problem: &Problem) -> Option<Bound> {
    let parts = problem.messages() / 2;
    let mut of_sums = vec![[&[] as &[Demand]; 2]; parts];
    by_message(problem).for_each(|(reduces, sum, of)| of_sums[sum][usize::from(!reduces)] = of);
    worst(problem, |side| {
        let mut across = [0, 0];
        for [from, to] in &of_sums {
            let Some(root) = from.iter().chain(*to).next().map(|d| d.source) else { continue };
            let has = |of: &[Demand], inside: bool| {
                side.has(root) == inside || of.iter().any(|d| side.has(d.destination) == inside)
            };
            across[0] += u64::from(has(from, true) && has(to, false));
            across[1] += u64::from(has(from, false) && has(to, true));
        }
        across
    })
}
