//! The arguments of the bounds of an all-reduce, of one part or one for each process: volume, late, cut,
//! partition.

use super::arguments::Fault;
use super::communicators::Groups;
use super::graph::FAR;
use super::plan::Plan;

/// Number of parts, one for each process or one in all, in pieces.
fn parts(plan: &Plan<'_>) -> u64 {
    let whole = if plan.demand.adds { 1 } else { plan.demand.receivers.len() as u64 };
    plan.demand.pieces * whole
}

/// Steps of `work` at `rate` a step.
fn steps(work: u64, rate: u64) -> Result<u64, Fault> {
    if work == 0 {
        return Ok(0);
    }
    if rate == 0 {
        return Err(Fault::Endless("nothing carries the sums".into()));
    }
    Ok(work.div_ceil(rate))
}

/// Transfers that a vertex sends, or receives, in a step over these channels.
fn at_once(plan: &Plan<'_>, v: usize, channels: &[usize]) -> u64 {
    let carried = plan.graph.carried(channels.iter().copied());
    let ports = plan.demand.ports.filter(|_| plan.graph.terminal[v]);
    ports.map_or(carried, |ports| ports.min(carried))
}

/// Each part takes a transfer for each process but one to be complete somewhere, and as many to be
/// everywhere.
pub(super) fn volume(plan: &Plan<'_>) -> Result<u64, Fault> {
    let g = &plan.graph;
    let links = g.carried(0..g.ends.len());
    let sends = |&v: &usize| g.terminal[v] || !plan.demand.wormhole;
    let sent = (0..g.len()).filter(sends).map(|v| at_once(plan, v, &g.outgoing[v])).sum();
    let others = (plan.demand.receivers.len() as u64).saturating_sub(1);
    let work = match &plan.demand.groups {
        Some(groups) => plan.demand.pieces * groups.transfers(),
        None => parts(plan) * 2 * others,
    };
    steps(work, links.min(sent))
}

/// Of groups side by side, a vertex sends every sum to which it contributes and that another one gets, and it
/// gets those of others.
pub(super) fn ports(plan: &Plan<'_>, v: usize) -> Result<u64, Fault> {
    let g = &plan.graph;
    let mut inside = vec![false; g.len()];
    inside[v] = true;
    let [out, into] = across(plan, &inside);
    let sent = steps(out, at_once(plan, v, &g.outgoing[v]))?;
    let received = steps(into, at_once(plan, v, &g.incoming[v]))?;
    Ok(sent.max(received))
}

/// Sums of groups that leave some vertices, and that enter them.
fn across(plan: &Plan<'_>, inside: &[bool]) -> [u64; 2] {
    let sums = |groups: &Groups| [true, false].map(|side| groups.sums_across(inside, side));
    plan.demand.groups.as_ref().map_or([0; 2], sums).map(|sums| sums * plan.demand.pieces)
}

/// The last of the transfers that complete a part at a vertex, each no earlier than the contribution
/// that comes from farthest; or the same for its own contributions, with time reversed.
pub(super) fn late(plan: &Plan<'_>, v: usize) -> Result<u64, Fault> {
    let (g, demand) = (&plan.graph, &plan.demand);
    if !demand.receives[v] {
        let why = format!("'{}' is no process", plan.name(v));
        return Err(Fault::Certificate(why));
    }
    let farthest = |distance: Vec<u64>| {
        let far = demand.receivers.iter().map(|&u| distance[u]).filter(|&d| d != FAR).max();
        if demand.wormhole { 1 } else { far.unwrap_or(0) }
    };
    let into = steps(parts(plan), at_once(plan, v, &g.incoming[v]))?;
    let out = steps(parts(plan), at_once(plan, v, &g.outgoing[v]))?;
    let latest = farthest(g.distances_to(v)) + into;
    Ok(latest.max(farthest(g.distances_from(v)) + out).saturating_sub(1))
}

/// Every part crosses a cut between processes in both directions; of groups, what somebody beyond it gets.
pub(super) fn cut(plan: &Plan<'_>, inside: &[bool]) -> Result<u64, Fault> {
    if plan.demand.groups.is_some() {
        let [out, into] = across(plan, inside);
        let one_way = steps(out, carried(plan, inside, &[(true, false)]))?;
        let back = steps(into, carried(plan, inside, &[(false, true)]))?;
        let both = steps(out + into, carried(plan, inside, &[(true, false), (false, true)]))?;
        return Ok(one_way.max(back).max(both));
    }
    let within = plan.demand.receivers.iter().filter(|&&v| inside[v]).count();
    if within == 0 || within == plan.demand.receivers.len() {
        return Err(Fault::Certificate("all processes are on one side of the cut".into()));
    }
    let over = |ways: &[(bool, bool)]| carried(plan, inside, ways);
    let (there, back) = ((true, false), (false, true));
    let one_way = steps(parts(plan), over(&[there]))?.max(steps(parts(plan), over(&[back]))?);
    Ok(one_way.max(steps(2 * parts(plan), over(&[there, back]))?))
}

/// What the channels carry whose ends are inside, or not, in one of these ways.
fn carried(plan: &Plan<'_>, inside: &[bool], ways: &[(bool, bool)]) -> u64 {
    let g = &plan.graph;
    let crosses = |&c: &usize| ways.contains(&(inside[g.ends[c].0], inside[g.ends[c].1]));
    g.carried((0..g.ends.len()).filter(crosses))
}

/// Every part goes from one of some disjoint sets to another at least twice for each set but one: the sum is complete
/// when the others have handed theirs over, and everywhere when the others have got it. Each time it takes a channel
/// out of a set and one into a set, unless something outside of the sets may hold it. What leaves a set in the first step
/// is of one process, so that a set of n hands over by n such transfers or by one of a later step; likewise in the last
/// step one process gets the sum. So transfers of these two steps count as the n-th part of one, for the smallest n.
pub(super) fn partition(plan: &Plan<'_>, sets: &[Vec<usize>]) -> Result<u64, Fault> {
    let g = &plan.graph;
    if sets.len() < 2 {
        return Err(Fault::Certificate("its `sets` are fewer than two".into()));
    }
    let mut set_of = vec![None; g.len()];
    for (set, vertices) in sets.iter().enumerate() {
        if !vertices.iter().any(|&v| plan.demand.receives[v]) {
            return Err(Fault::Certificate("one of its `sets` has no process".into()));
        }
        for &v in vertices {
            if set_of[v].replace(set).is_some() {
                let why = format!("'{}' is twice in its `sets`", plan.name(v));
                return Err(Fault::Certificate(why));
            }
        }
    }
    let holds = |v: usize| {
        let has_channels = !g.outgoing[v].is_empty() || !g.incoming[v].is_empty();
        has_channels && (g.terminal[v] || !plan.demand.wormhole)
    };
    if let Some(v) = (0..g.len()).find(|&v| set_of[v].is_none() && holds(v)) {
        let why = format!("'{}' may hold a sum, and is in none of its `sets`", plan.name(v));
        return Err(Fault::Certificate(why));
    }
    let crossed = |of: fn((usize, usize)) -> usize| {
        let crosses = |&c: &usize| {
            let (from, to) = g.ends[c];
            set_of[from] != set_of[to] && set_of[of((from, to))].is_some()
        };
        g.carried((0..g.ends.len()).filter(crosses))
    };
    let crossings = 2 * (sets.len() as u64 - 1) * parts(plan);
    let capacity = crossed(|ends| ends.0).min(crossed(|ends| ends.1));
    let whole = steps(crossings, capacity)?;
    if plan.demand.adds || plan.demand.receivers.len() < 3 {
        return Ok(whole);
    }
    let members = |set: &Vec<usize>| set.iter().filter(|&&v| plan.demand.receives[v]).count();
    let least = sets.iter().map(members).min().unwrap_or(1) as u64;
    let between = (least * crossings).saturating_sub(2 * capacity);
    Ok(whole.max(2 + between.div_ceil(least * capacity)))
}
