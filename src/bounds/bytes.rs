//! Bounds in bytes: on the end of a timed schedule, and on the bytes of the longest messages of all steps
//! together. What carries c messages at once carries c bytes in the time of a byte, so the arguments of
//! counting hold for bytes; two more, the longest message and layers.rs, are about lengths alone.

use super::delays::Delays;
use super::{ByteBound, Evidence, congestion, cut, layers, load, ports};
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use std::cmp::Reverse;

pub use layers::profile;

/// The bounds that take no time, the largest first; those of steps are for synchronised steps alone.
pub fn quick(problem: &Problem, timed: bool) -> Vec<ByteBound> {
    let problem = &problem.in_bytes();
    let delays = Delays::of(problem, timed);
    let longest = match &delays {
        Some(delays) => delays.longest(problem),
        None => problem.lengths().and_then(|lengths| lengths.iter().copied().max()),
    };
    let ports = ports::tightest(problem).map(|(v, bytes)| ByteBound {
        name: "ports",
        bytes,
        evidence: Evidence::Vertex(v),
    });
    let nothing = |name, bytes| ByteBound { name, bytes, evidence: Evidence::Nothing };
    let longest = longest.map(|bytes| nothing("longest", bytes));
    let lengths = (!timed).then(|| nothing("lengths", layers::quick(problem)));
    let mut bounds: Vec<_> = longest.into_iter().chain(ports).chain(lengths).collect();
    bounds.retain(|b| b.bytes > 0);
    if let Some(delays) = &delays {
        bounds.iter_mut().for_each(|b| b.bytes += delays.gain(problem, b));
    }
    sort(&mut bounds);
    bounds
}

/// The quick bounds with those that take long, which are given up when `is_over` returns true.
pub fn all(
    problem: &Problem,
    bounds: Vec<ByteBound>,
    timed: bool,
    is_over: &dyn Fn() -> bool,
) -> Vec<ByteBound> {
    let problem = &problem.in_bytes();
    with_congestion(problem, with_cut(problem, bounds, timed), is_over)
}

/// The quick bounds with that of the tightest cut of a problem in bytes.
pub fn with_cut(problem: &Problem, mut bounds: Vec<ByteBound>, timed: bool) -> Vec<ByteBound> {
    let cut = cut::tightest_of_all(problem, &Default::default());
    bounds.extend(cut.filter(|&(bytes, _)| bytes > 0).map(|(bytes, side)| {
        let evidence = Evidence::Side(side.vertices().collect());
        let bound = ByteBound { name: "cut", bytes, evidence };
        let gain = Delays::of(problem, timed).map_or(0, |delays| delays.gain(problem, &bound));
        ByteBound { bytes: bytes + gain, ..bound }
    }));
    sort(&mut bounds);
    bounds
}

/// Bounds with congestion of a problem in bytes, which begins with their bottlenecks, unless `is_over`
/// returns true before.
pub fn with_congestion(
    problem: &Problem,
    mut bounds: Vec<ByteBound>,
    is_over: &dyn Fn() -> bool,
) -> Vec<ByteBound> {
    if is_over() {
        return bounds;
    }
    let hints: Vec<Evidence> = bounds.iter().map(|bound| bound.evidence.clone()).collect();
    let found = congestion::in_bytes(problem, &hints, is_over);
    bounds.extend(found.map(|([demand, supply], weights)| ByteBound {
        name: "congestion",
        bytes: u64::try_from(demand.div_ceil(supply)).unwrap_or(u64::MAX),
        evidence: Evidence::Weights(weights),
    }));
    // Of steps alone.
    if let Some(lengths) = bounds.iter_mut().find(|b| b.name == "lengths")
        && let Some((bytes, evidence)) = layers::with_weights(problem, is_over)
    {
        *lengths = ByteBound { name: lengths.name, bytes, evidence };
    }
    bounds.retain(|b| b.bytes > 0);
    sort(&mut bounds);
    bounds
}

fn sort(bounds: &mut [ByteBound]) {
    bounds.sort_by_key(|b| Reverse(b.bytes));
}

/// The start-ups of the busiest port of every timed schedule, one after the other: each terminal starts and ends
/// what is asked of it, however it is timed.
pub fn startups(problem: &Problem) -> u64 {
    let vertices = problem.network().vertices().len();
    let (mut out, mut into) = (vec![0u64; vertices], vec![0u64; vertices]);
    for d in problem.demands() {
        out[d.source as usize] += 1;
        into[d.destination as usize] += 1;
    }
    let at = |v: usize| {
        let (sends, receives) =
            (problem.sends_at_once(v as VertexId), problem.receives_at_once(v as VertexId));
        load::time(out[v], sends).max(load::time(into[v], receives))
    };
    (0..vertices).map(at).max().unwrap_or(0)
}
