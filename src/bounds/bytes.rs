//! Bounds in bytes: on the end of a timed schedule, and on the bytes of the longest messages of all steps
//! together. What carries c messages at once carries c bytes in the time of a byte, so the arguments of
//! counting hold for bytes; two more are about lengths alone.

use super::{Evidence, congestion, cut, ports};
use crate::problem::{Problem, ResourceId};
use std::cmp::Reverse;

/// A lower bound in bytes and its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct ByteBound {
    /// Which argument.
    pub name: &'static str,
    /// No schedule takes fewer.
    pub bytes: u64,
    /// The bottleneck.
    pub evidence: Evidence,
}

/// The bounds that take no time, the largest first; those of steps are for synchronised steps alone.
pub fn quick(problem: &Problem, timed: bool) -> Vec<ByteBound> {
    let problem = &problem.in_bytes();
    let longest = problem.lengths().and_then(|lengths| lengths.iter().copied().max());
    let nothing = |name, bytes| ByteBound { name, bytes, evidence: Evidence::Nothing };
    let ports = ports::tightest(problem).map(|(v, bytes)| ByteBound {
        name: "ports",
        bytes,
        evidence: Evidence::Vertex(v),
    });
    let longest = longest.map(|bytes| nothing("longest", bytes));
    let lengths = (!timed).then(|| nothing("lengths", of_lengths(problem)));
    let mut bounds: Vec<_> = longest.into_iter().chain(ports).chain(lengths).collect();
    bounds.retain(|b| b.bytes > 0);
    sort(&mut bounds);
    bounds
}

/// The quick bounds with those that take long, which are given up when `is_over` returns true.
pub fn all(
    problem: &Problem,
    bounds: Vec<ByteBound>,
    is_over: &dyn Fn() -> bool,
) -> Vec<ByteBound> {
    let problem = &problem.in_bytes();
    with_congestion(problem, with_cut(problem, bounds), is_over)
}

/// The quick bounds with that of the tightest cut of a problem in bytes.
pub(crate) fn with_cut(problem: &Problem, mut bounds: Vec<ByteBound>) -> Vec<ByteBound> {
    let cut = cut::tightest_of_all(problem, &Default::default());
    bounds.extend(cut.filter(|&(bytes, _)| bytes > 0).map(|(bytes, side)| {
        let evidence = Evidence::Side(side.vertices().collect());
        ByteBound { name: "cut", bytes, evidence }
    }));
    sort(&mut bounds);
    bounds
}

/// Bounds with congestion of a problem in bytes, which begins with their bottlenecks, unless `is_over`
/// returns true before.
pub(crate) fn with_congestion(
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
    bounds.retain(|b| b.bytes > 0);
    sort(&mut bounds);
    bounds
}

fn sort(bounds: &mut [ByteBound]) {
    bounds.sort_by_key(|b| Reverse(b.bytes));
}

/// The sum over j of the least bytes of the j-th longest step: of what carries w messages at once, the
/// ((j - 1) w + 1) longest take j steps. Looked at are the channels and ports of each terminal, and with
/// fixed routes all links.
fn of_lengths(problem: &Problem) -> u64 {
    profile(problem).into_iter().fold(0, u64::saturating_add)
}

/// The least bytes of the longest step, of the next, and so on.
pub fn profile(problem: &Problem) -> Vec<u64> {
    let Some(lengths) = problem.lengths() else { return Vec::new() };
    let (network, resources) = (problem.network(), problem.resources());
    let vertices = network.vertices().len();
    let mut carried = vec![Vec::new(); 2 * vertices + resources.links()];
    for d in problem.demands() {
        let length = lengths[d.message as usize];
        carried[d.source as usize].push(length);
        carried[vertices + d.destination as usize].push(length);
        for &c in problem.fixed_route(d.source, d.destination).into_iter().flatten() {
            carried[2 * vertices + resources.of_channel(c) as usize].push(length);
        }
    }
    let mut of_step: Vec<u64> = Vec::new();
    for (place, mut lengths) in carried.into_iter().enumerate() {
        let at_once = match place {
            v if v < vertices => problem.sends_at_once(v as u32),
            v if v < 2 * vertices => problem.receives_at_once((v - vertices) as u32),
            link => resources.capacity((link - 2 * vertices) as ResourceId) as usize,
        };
        lengths.sort_unstable_by_key(|&length| Reverse(length));
        for (step, &length) in lengths.iter().step_by(at_once.max(1)).enumerate() {
            match of_step.get_mut(step) {
                Some(most) => *most = length.max(*most),
                None => of_step.push(length),
            }
        }
    }
    of_step
}
