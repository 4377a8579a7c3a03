//! The argument of the spread bound. To inform receivers in a region without any informed vertex
//! takes the steps of growth with the inflow of the region and, with store-and-forward switching,
//! at least those of the path into it. If m disjoint regions need n steps each, all of them must
//! have been entered n - 1 steps before the end; entering them is growth again. The last of several
//! messages from outside must also enter a region n - 1 steps before the end.

use super::arguments::{Fault, capacity};
use super::graph::FAR;
use super::holders::Holders;
use super::plan::Plan;
use ccsched_model::schedule::file::RegionRecord;
use std::cmp::Reverse;
use std::collections::{HashSet, VecDeque};

/// Parts nested deeper than this are refused.
const DEEPEST: usize = 64;

/// The steps that the regions prove for the message of `source` or, without a source, for all
/// messages from outside.
pub(super) fn spread(
    plan: &Plan<'_>,
    source: Option<usize>,
    regions: &[RegionRecord],
) -> Result<u64, Fault> {
    if !plan.demand.broadcast {
        return Err(Fault::Certificate("spread holds for broadcasts only".into()));
    }
    let holders = &Holders::of(plan);
    let everything = vec![true; plan.graph.len()];
    match (source, regions) {
        (Some(s), _) if !plan.demand.sends[s] => {
            Err(Fault::Certificate(format!("'{}' broadcasts nothing", plan.name(s))))
        }
        (Some(s), _) => {
            let mut others = everything;
            others[s] = false;
            let (last, count) = needs(holders, &others, regions, 0)?;
            let mut caps = holders.rates(|v| others[v]);
            caps.insert(0, holders.own[s]);
            let entered = grow(&caps, 1, 0, count + 1).ok_or_else(never)?;
            Ok(if last == 0 { 0 } else { last - 1 + entered })
        }
        (None, [region]) => {
            let inside = members(plan, &everything, region)?;
            let need = need(holders, &inside, region, 0)?;
            let last = last_entry(holders, &inside)?;
            Ok(if last == 0 || need == 0 { 0 } else { last + need - 1 })
        }
        _ => Err(Fault::Certificate("without a source there must be one region".into())),
    }
}

/// The steps that a region proves for broadcasts from outside: a copy that enters it so many steps
/// before the end informs a limited number of its vertices, and a limited number enters in a step.
pub(super) fn entries(plan: &Plan<'_>, inside: &[bool]) -> Result<u64, Fault> {
    let (g, demand) = (&plan.graph, &plan.demand);
    if !demand.broadcast {
        return Err(Fault::Certificate("entries are those of broadcasts".into()));
    }
    let receivers = demand.receivers.iter().filter(|&&r| inside[r]).count() as u64;
    let outside = demand.senders.iter().filter(|&&s| !inside[s]).count() as u64;
    let mut left = receivers.saturating_mul(outside).saturating_mul(demand.pieces);
    let inflow = inflow(&Holders::of(plan), inside);
    if left > 0 && inflow == 0 {
        return Err(never());
    }
    // By vertex of the region, those that it informs in a step.
    let mut rates = Vec::new();
    for v in (0..g.len()).filter(|&v| inside[v] && (g.terminal[v] || !demand.wormhole)) {
        let (mut neighbours, mut rate) = (HashSet::new(), 0u64);
        for &c in g.outgoing[v].iter().filter(|&&c| inside[g.ends[c].1]) {
            let to = g.ends[c].1;
            if !demand.wormhole || (demand.hosts && g.terminal[to]) {
                neighbours.insert(to);
            } else {
                rate = rate.saturating_add(g.capacity[c]);
            }
        }
        rate = rate.saturating_add(neighbours.len() as u64);
        rates.push(rate.min(capacity(plan, v, &g.outgoing[v])));
    }
    rates.sort_unstable_by_key(|&rate| Reverse(rate));
    let (mut informed, mut steps) = (1u64, 0);
    while left > 0 {
        left = left.saturating_sub(inflow.saturating_mul(informed.min(receivers)));
        let known = rates.len().min(usize::try_from(informed).unwrap_or(usize::MAX));
        informed = rates[..known].iter().fold(informed, |sum, &rate| sum.saturating_add(rate));
        steps += 1;
    }
    Ok(steps)
}

/// The earliest step in which the last message from outside can enter: messages with at least a
/// certain distance to go cannot enter before that distance allows.
fn last_entry(holders: &Holders<'_>, inside: &[bool]) -> Result<u64, Fault> {
    let plan = holders.plan;
    let distance = steps_to_enter(plan, inside);
    let outside = plan.demand.senders.iter().filter(|&&s| !inside[s]);
    let of_pieces = |&s: &usize| std::iter::repeat_n(distance[s], plan.demand.pieces as usize);
    let mut steps: Vec<u64> = outside.flat_map(of_pieces).collect();
    let inflow = inflow(holders, inside);
    if steps.contains(&FAR) || (inflow == 0 && !steps.is_empty()) {
        return Err(never());
    }
    steps.sort_unstable();
    let after = |(first, &step): (usize, &u64)| {
        let others = (steps.len() - first) as u64;
        step - 1 + others.div_ceil(inflow)
    };
    Ok(steps.iter().enumerate().map(after).max().unwrap_or(0))
}

/// By vertex, the earliest step in which its message can enter; 1 in wormhole networks.
fn steps_to_enter(plan: &Plan<'_>, inside: &[bool]) -> Vec<u64> {
    let g = &plan.graph;
    if plan.demand.wormhole {
        return vec![1; g.len()];
    }
    let mut steps: Vec<u64> = inside.iter().map(|&within| if within { 0 } else { FAR }).collect();
    let mut queue: VecDeque<usize> = (0..g.len()).filter(|&v| inside[v]).collect();
    while let Some(v) = queue.pop_front() {
        for &c in &g.incoming[v] {
            let from = g.ends[c].0;
            if steps[from] == FAR {
                steps[from] = steps[v] + 1;
                queue.push_back(from);
            }
        }
    }
    steps
}

fn never() -> Fault {
    Fault::Endless("no message can enter a region of the spread bound".into())
}

/// Marks the vertices of a region, which must be in `within`.
fn members(plan: &Plan<'_>, within: &[bool], region: &RegionRecord) -> Result<Vec<bool>, Fault> {
    let mut inside = vec![false; plan.graph.len()];
    for name in &region.vertices {
        let v = plan.graph.find(name);
        let v = v.ok_or_else(|| Fault::Certificate(format!("'{name}' is no vertex")))?;
        if !within[v] || inside[v] {
            let why = format!("'{name}' is in two regions, outside the outer one, or the source");
            return Err(Fault::Certificate(why));
        }
        inside[v] = true;
    }
    Ok(inside)
}

/// The fewest steps that any of these disjoint regions needs, and the number of regions.
fn needs(
    holders: &Holders<'_>,
    within: &[bool],
    regions: &[RegionRecord],
    depth: usize,
) -> Result<(u64, u64), Fault> {
    if depth > DEEPEST {
        return Err(Fault::Certificate(format!("regions are nested more than {DEEPEST} deep")));
    }
    let mut free = within.to_vec();
    let mut least = FAR;
    for region in regions {
        let inside = members(holders.plan, &free, region)?;
        free.iter_mut().zip(&inside).for_each(|(free, &taken)| *free &= !taken);
        least = least.min(need(holders, &inside, region, depth)?);
    }
    Ok((if regions.is_empty() { 0 } else { least }, regions.len() as u64))
}

/// Steps from no vertex of the region having a message to all its receivers having it.
fn need(
    holders: &Holders<'_>,
    inside: &[bool],
    region: &RegionRecord,
    depth: usize,
) -> Result<u64, Fault> {
    let plan = holders.plan;
    let receivers: Vec<usize> =
        plan.demand.receivers.iter().copied().filter(|&r| inside[r]).collect();
    if receivers.is_empty() {
        return Ok(0);
    }
    let (caps, inflow) = (holders.rates(|v| inside[v]), inflow(holders, inside));
    let alone = grow(&caps, 0, inflow, receivers.len() as u64).ok_or_else(never)?;
    let mut most = alone.max(way_in(plan, inside, &receivers)?);
    let (last, count) = needs(holders, inside, &region.parts, depth + 1)?;
    if last > 0 {
        let entered = grow(&caps, 0, inflow, count).ok_or_else(never)?;
        most = most.max(last - 1 + entered);
    }
    Ok(most)
}

/// Steps until `wanted` vertices can be informed: every informed vertex informs as many others as
/// its capacity allows, and `inflow` copies enter from outside.
fn grow(caps: &[u64], mut informed: u64, inflow: u64, wanted: u64) -> Option<u64> {
    let mut time = 0;
    while informed < wanted {
        let known = caps.len().min(usize::try_from(informed).unwrap_or(usize::MAX));
        let new = caps[..known].iter().fold(inflow, |sum, cap| sum.saturating_add(*cap));
        if new == 0 {
            return None;
        }
        informed = informed.saturating_add(new);
        time += 1;
    }
    Some(time)
}

/// Copies of messages that can enter within one step.
fn inflow(holders: &Holders<'_>, inside: &[bool]) -> u64 {
    let g = &holders.plan.graph;
    let enters = |&c: &usize| holders.used[c] && !inside[g.ends[c].0] && inside[g.ends[c].1];
    let carried: u64 = (0..g.ends.len()).filter(enters).map(|c| g.capacity[c]).sum();
    let taken = (0..g.len()).filter(|&v| inside[v]).map(|v| holders.taken[v]);
    carried.min(taken.fold(0, u64::saturating_add))
}

/// Steps from outside to the farthest receiver with store-and-forward switching; 1 in wormhole
/// networks.
fn way_in(plan: &Plan<'_>, inside: &[bool], receivers: &[usize]) -> Result<u64, Fault> {
    if plan.demand.wormhole {
        return Ok(1);
    }
    let g = &plan.graph;
    let mut steps = vec![FAR; g.len()];
    let mut queue = VecDeque::new();
    for &(from, to) in &g.ends {
        if !inside[from] && inside[to] && steps[to] == FAR {
            steps[to] = 1;
            queue.push_back(to);
        }
    }
    while let Some(v) = queue.pop_front() {
        for &c in &g.outgoing[v] {
            let to = g.ends[c].1;
            if inside[to] && steps[to] == FAR {
                steps[to] = steps[v] + 1;
                queue.push_back(to);
            }
        }
    }
    match receivers.iter().map(|&r| steps[r]).max() {
        Some(FAR) => Err(never()),
        most => Ok(most.unwrap_or(0)),
    }
}
