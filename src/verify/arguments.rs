//! The arguments behind the certified lower bounds, each by counting alone: the messages that must
//! pass, over those that can pass in a step (umda-diameter-degree-networks, table 2;
//! umda-multistage-networks, section 3).

use super::communicators::Groups;
use super::graph::FAR;
use super::holders::Holders;
use super::plan::Plan;
use ccsched_base::cores;
use std::ops::Range;

/// Why an argument gives no bound.
pub(super) enum Fault {
    /// The certificate does not fit the argument.
    Certificate(String),
    /// Messages must pass where none can: no schedule exists at all.
    Endless(String),
}

/// Steps for `demand` at `capacity` a step.
fn steps(demand: u64, capacity: u64, place: impl FnOnce() -> String) -> Result<u64, Fault> {
    match (demand, capacity) {
        (0, _) => Ok(0),
        (_, 0) => Err(Fault::Endless(format!("{demand} messages, but no channel {}", place()))),
        _ => Ok(demand.div_ceil(capacity)),
    }
}

/// Messages that a vertex can send, or receive, in a step over these channels, all of which leave
/// it or all of which enter it.
pub(super) fn capacity(plan: &Plan<'_>, v: usize, channels: &[usize]) -> u64 {
    let limit = plan.demand.ports.filter(|_| plan.graph.terminal[v]).unwrap_or(u64::MAX);
    limit.min(channels.iter().map(|&c| plan.graph.capacity[c]).sum())
}

/// All messages that `v` sends and receives pass its channels and ports. Broadcasts count as received, and with
/// store-and-forward switching also as sent where only `v` can pass them on.
pub(super) fn ports(plan: &Plan<'_>, v: usize) -> Result<u64, Fault> {
    let g = &plan.graph;
    let (outgoing, incoming) = (&g.outgoing[v], &g.incoming[v]);
    let out = match (plan.demand.broadcast, plan.demand.wormhole) {
        _ if plan.demand.groups.is_some() => messages_of(plan, v),
        (false, _) => plan.demand.destinations(v),
        (true, true) => 0,
        (true, false) => passed_on(plan, v),
    };
    let into = plan.demand.sources(v);
    let name = plan.name(v);
    let mut most = steps(out, capacity(plan, v, outgoing), || format!("leaves '{name}'"))?;
    let received = steps(into, capacity(plan, v, incoming), || format!("enters '{name}'"))?;
    most = most.max(received);
    let all = || outgoing.iter().chain(incoming).copied();
    if all().any(|c| g.excludes[c].is_some()) {
        most = most.max(steps(out + into, g.carried(all()), || format!("at '{name}'"))?);
    }
    Ok(most)
}

/// Messages of groups that start at `v`, which sends each at least once.
fn messages_of(plan: &Plan<'_>, v: usize) -> u64 {
    plan.demand.groups.as_ref().map_or(0, |groups| plan.demand.pieces * groups.sent(v))
}

/// Broadcast messages that `v` sends, once for each part of the network that is cut off without `v`: none but `v` can
/// bring a message there that begins elsewhere.
fn passed_on(plan: &Plan<'_>, v: usize) -> u64 {
    let (g, demand) = (&plan.graph, &plan.demand);
    let mut seen = vec![false; g.len()];
    seen[v] = true;
    let mut messages = 0;
    for start in 0..g.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut part = vec![start];
        let mut next = 0;
        while let Some(&u) = part.get(next) {
            next += 1;
            let heads = g.outgoing[u].iter().map(|&c| g.ends[c].1);
            for w in heads.chain(g.incoming[u].iter().map(|&c| g.ends[c].0)) {
                if !std::mem::replace(&mut seen[w], true) {
                    part.push(w);
                }
            }
        }
        if part.iter().any(|&u| demand.sources(u) > 0) {
            let inside = part.iter().filter(|&&u| demand.sends[u]).count();
            messages += demand.pieces * (demand.senders.len() - inside) as u64;
        }
    }
    messages
}

/// Steps before the last piece of a message leaves its source, which sends `rate` pieces in a step.
fn waits(plan: &Plan<'_>, rate: u64) -> u64 {
    plan.demand.pieces.div_ceil(rate.max(1)).saturating_sub(1)
}

/// In a step every informed vertex informs at most as many others as it has ports and channels of use;
/// vertices with the most are assumed to be informed first.
pub(super) fn growth(plan: &Plan<'_>, s: usize) -> Result<u64, Fault> {
    let demand = &plan.demand;
    if !demand.broadcast || !demand.sends[s] {
        let why = format!("growth is about a broadcast by '{}', but there is none", plan.name(s));
        return Err(Fault::Certificate(why));
    }
    let holders = Holders::of(plan);
    let caps = holders.rates(|v| v != s);
    let wanted = (demand.destinations(s) / demand.pieces) as usize;
    let (mut informed, mut rate, mut time) = (0, holders.own[s], waits(plan, holders.own[s]));
    while informed < wanted {
        let new = &caps[informed..caps.len().min(informed.saturating_add(rate as usize))];
        if new.is_empty() {
            return Err(Fault::Endless(format!("no channel leaves '{}'", plan.name(s))));
        }
        rate = rate.saturating_add(new.iter().sum());
        informed += new.len();
        time += 1;
    }
    Ok(time)
}

/// Channels that each message of `s` takes at least, by destination: those of its route if it is fixed, its distance if not.
fn lengths_from(plan: &Plan<'_>, s: usize) -> Vec<u64> {
    let Some(fixed) = &plan.demand.fixed else { return plan.graph.distances_from(s) };
    let length = |r| fixed.route(&plan.graph, s, r).map_or(FAR, |route| route.len() as u64);
    (0..plan.graph.len()).map(|r| if plan.demand.asks(s, r) { length(r) } else { FAR }).collect()
}

/// The same for messages to `r`, by source.
fn lengths_to(plan: &Plan<'_>, r: usize) -> Vec<u64> {
    let Some(fixed) = &plan.demand.fixed else { return plan.graph.distances_to(r) };
    let length = |s| fixed.route(&plan.graph, s, r).map_or(FAR, |route| route.len() as u64);
    (0..plan.graph.len()).map(|s| if plan.demand.asks(s, r) { length(s) } else { FAR }).collect()
}

/// Store-and-forward: one channel a step, so the farthest receiver takes its distance, or the length of its route.
pub(super) fn eccentricity(plan: &Plan<'_>, s: usize) -> Result<u64, Fault> {
    if plan.demand.wormhole {
        let why = "eccentricity holds for store-and-forward only".to_string();
        return Err(Fault::Certificate(why));
    }
    let distances = lengths_from(plan, s);
    let asked = plan.demand.receivers.iter().filter(|&&r| plan.demand.asks(s, r));
    let mut most = 0;
    for &r in asked {
        if distances[r] == FAR {
            return Err(apart(plan, s, r));
        }
        most = most.max(distances[r]);
    }
    Ok(if most > 0 { most + waits(plan, capacity(plan, s, &plan.graph.outgoing[s])) } else { 0 })
}

/// Store-and-forward scatters: the last message that leaves `v` still has its distance to go, and
/// the first that arrives at `v` had its distance to go before; in between, a limited number leave,
/// or arrive, in a step.
pub(super) fn journeys(plan: &Plan<'_>, v: usize) -> Result<u64, Fault> {
    let (g, demand) = (&plan.graph, &plan.demand);
    if demand.wormhole || demand.broadcast {
        let why = "journeys hold for store-and-forward scatters only".to_string();
        return Err(Fault::Certificate(why));
    }
    let (from, to) = (lengths_from(plan, v), lengths_to(plan, v));
    // By other vertex: distance and number of messages.
    let mut leaving: Vec<(u64, u64)> =
        demand.receivers.iter().map(|&r| (from[r], demand.messages(v, r))).collect();
    let mut coming: Vec<(u64, u64)> =
        demand.senders.iter().map(|&s| (to[s], demand.messages(s, v))).collect();
    let mut most = 0;
    for (list, channels) in [(&mut leaving, &g.outgoing[v]), (&mut coming, &g.incoming[v])] {
        list.retain(|&(_, number)| number > 0);
        list.sort_unstable_by_key(|&(distance, _)| std::cmp::Reverse(distance));
        let rate = capacity(plan, v, channels);
        let mut sum = 0;
        for &(distance, number) in list.iter() {
            if distance == FAR || rate == 0 {
                let name = plan.name(v);
                return Err(Fault::Endless(format!("no path for a message from or to '{name}'")));
            }
            sum += number;
            most = most.max(sum.div_ceil(rate) + distance - 1);
        }
    }
    Ok(most)
}

/// Store-and-forward scatters: the steps before the messages leave, their distances and the steps
/// after they arrive add up to all steps once for each message, and at most a limited number leave,
/// or arrive, in the same step.
pub(super) fn pipeline(plan: &Plan<'_>) -> Result<u64, Fault> {
    let (g, demand) = (&plan.graph, &plan.demand);
    if demand.wormhole || demand.broadcast {
        let why = "a pipeline is one of store-and-forward scatters only".to_string();
        return Err(Fault::Certificate(why));
    }
    let mut sum = u128::from(scatter_load(plan)?);
    let (mut out, mut into) = (vec![0u64; g.len()], vec![0u64; g.len()]);
    for &s in &demand.senders {
        for &r in demand.receivers.iter().filter(|&&r| demand.asks(s, r)) {
            out[s] = out[s].saturating_add(demand.messages(s, r));
            into[r] = into[r].saturating_add(demand.messages(s, r));
        }
    }
    let all: u128 = out.iter().map(|&number| u128::from(number)).sum();
    let leaving = out.iter().zip(&g.outgoing);
    let coming = into.iter().zip(&g.incoming);
    for (v, (&number, channels)) in leaving.enumerate().chain(coming.enumerate()) {
        let rate = capacity(plan, v, channels);
        if number > 0 && rate == 0 {
            let name = plan.name(v);
            return Err(Fault::Endless(format!("no path for a message from or to '{name}'")));
        }
        // `rate` messages wait for no step, `rate` for one, `rate` for two, ..
        let (number, rate) = (u128::from(number), u128::from(rate.max(1)));
        let full = number / rate;
        let waits = (full * full.saturating_sub(1) / 2).saturating_mul(rate);
        sum = sum.saturating_add(waits).saturating_add(number % rate * full);
    }
    Ok(u64::try_from(sum.div_ceil(all.max(1))).unwrap_or(u64::MAX))
}

/// Every message takes at least its distance in channels, and a step offers a limited number of
/// them.
pub(super) fn distance(plan: &Plan<'_>) -> Result<u64, Fault> {
    let g = &plan.graph;
    let total = match (&plan.demand.groups, plan.demand.broadcast) {
        (Some(groups), _) => group_load(plan, groups)?,
        (None, true) => broadcast_load(plan)?,
        (None, false) => scatter_load(plan)?,
    };
    let mut carried = g.carried(0..g.ends.len());
    if !plan.demand.wormhole {
        // Every hop is a message that one vertex sends and another receives.
        for channels in [&g.outgoing, &g.incoming] {
            let at_once = (0..g.len()).map(|v| capacity(plan, v, &channels[v])).sum();
            carried = carried.min(at_once);
        }
    }
    steps(total, carried, || "in the network".into())
}

fn scatter_load(plan: &Plan<'_>) -> Result<u64, Fault> {
    let of_sender = |s: usize| {
        let distances = lengths_from(plan, s);
        let mut total = 0;
        for &r in plan.demand.receivers.iter().filter(|&&r| plan.demand.asks(s, r)) {
            if distances[r] == FAR {
                return Err(apart(plan, s, r));
            }
            total += u128::from(distances[r]) * u128::from(plan.demand.messages(s, r));
        }
        Ok(total)
    };
    let total = of_all_senders(plan, of_sender)?;
    Ok(u64::try_from(total).unwrap_or(u64::MAX))
}

/// The sum of what each sender needs, which a search of the network from it tells. All cores work on it.
pub(super) fn of_all_senders(
    plan: &Plan<'_>,
    of_sender: impl Fn(usize) -> Result<u128, Fault> + Sync,
) -> Result<u128, Fault> {
    let senders = &plan.demand.senders;
    let size = plan.graph.len() + plan.graph.ends.len();
    let parts = cores::parts(senders.len(), |sender| (sender + 1) * size);
    let add = |sum: u128, of: Result<u128, Fault>| Ok(sum.saturating_add(of?));
    let of_part = |part: Range<usize>| senders[part].iter().map(|&s| of_sender(s)).try_fold(0, add);
    cores::each(parts, of_part).into_iter().try_fold(0, add)
}

/// A broadcast message comes from a vertex that has it: at best the nearest terminal in wormhole
/// networks, a neighbour with store-and-forward.
fn broadcast_load(plan: &Plan<'_>) -> Result<u64, Fault> {
    let g = &plan.graph;
    let mut total = 0u64;
    for &r in &plan.demand.receivers {
        let messages = plan.demand.sources(r);
        if messages == 0 {
            continue;
        }
        let mut way = 1;
        if plan.demand.wormhole {
            way = g.nearest_to(r, |v| g.terminal[v]);
        }
        if way == FAR {
            return Err(Fault::Endless(format!("no terminal reaches '{}'", plan.name(r))));
        }
        total = total.saturating_add(messages.saturating_mul(way));
    }
    Ok(total)
}

/// A message of a group goes all of its distance if it has one receiver. Each of several gets it as a
/// broadcast message.
fn group_load(plan: &Plan<'_>, groups: &Groups) -> Result<u64, Fault> {
    let g = &plan.graph;
    let mut total = 0u64;
    for &s in &plan.demand.senders {
        let distances = g.distances_from(s);
        for asked in groups.of_source(s) {
            let receivers = groups.receivers(s, &asked);
            for &r in &receivers {
                let way = match (receivers.len(), plan.demand.wormhole) {
                    (1, _) => distances[r],
                    (_, true) => g.nearest_to(r, |v| g.terminal[v]),
                    (_, false) => 1,
                };
                if way == FAR {
                    return Err(apart(plan, s, r));
                }
                total = total.saturating_add(way.saturating_mul(plan.demand.pieces));
            }
        }
    }
    Ok(total)
}

/// Messages that leave one side pass the channels that leave it. Store-and-forward scatters: the
/// first message takes steps to reach one of them, and the last takes steps after it.
pub(super) fn cut(plan: &Plan<'_>, inside: &[bool]) -> Result<u64, Fault> {
    let g = &plan.graph;
    let leaving = |c: &usize| inside[g.ends[*c].0] && !inside[g.ends[*c].1];
    let entering = |c: &usize| !inside[g.ends[*c].0] && inside[g.ends[*c].1];
    let across = || (0..g.ends.len()).filter(|c| leaving(c) || entering(c));
    let (out, back) = (crossing(plan, inside, true), crossing(plan, inside, false));
    let place = || "leaves the side".to_string();
    let mut most = steps(out, g.carried((0..g.ends.len()).filter(leaving)), place)?;
    if out > 0 && !plan.demand.wormhole && !plan.demand.broadcast {
        most += around(plan, inside);
    }
    if across().any(|c| g.excludes[c].is_some()) {
        let both = steps(out + back, g.carried(across()), || "crosses the cut".into())?;
        most = most.max(both);
    }
    Ok(most)
}

/// The fewest channels before one that leaves the side, plus the fewest after one, among messages
/// from the side to the rest.
fn around(plan: &Plan<'_>, inside: &[bool]) -> u64 {
    let (g, demand) = (&plan.graph, &plan.demand);
    let leaving = || g.ends.iter().filter(|(from, to)| inside[*from] && !inside[*to]);
    let crosses = |s: usize, r: usize| inside[s] && !inside[r] && demand.asks(s, r);
    let sources =
        demand.senders.iter().filter(|&&s| demand.receivers.iter().any(|&r| crosses(s, r)));
    let from = g.distances_from_any(sources.copied());
    let destinations =
        demand.receivers.iter().filter(|&&r| demand.senders.iter().any(|&s| crosses(s, r)));
    let to = g.distances_to_any(destinations.copied());
    let least =
        |ways: &mut dyn Iterator<Item = u64>| ways.filter(|&way| way != FAR).min().unwrap_or(0);
    least(&mut leaving().map(|&(tail, _)| from[tail]))
        + least(&mut leaving().map(|&(_, head)| to[head]))
}

/// Messages from the vertices with this mark to those without.
fn crossing(plan: &Plan<'_>, inside: &[bool], side: bool) -> u64 {
    if let Some(groups) = &plan.demand.groups {
        return plan.demand.pieces * groups.crossing(inside, side);
    }
    if let Some(pairs) = &plan.demand.pairs {
        let whole = pairs.crossing(|from, to| inside[from] == side && inside[to] != side);
        return plan.demand.pieces * whole;
    }
    let senders = plan.demand.senders.iter().filter(|&&v| inside[v] == side).count() as u64;
    let receivers = plan.demand.receivers.iter().filter(|&&v| inside[v] != side).count() as u64;
    let receivers = if plan.demand.broadcast { receivers.min(1) } else { receivers };
    plan.demand.pieces * senders * receivers
}

/// No message can go from one vertex to another.
pub(super) fn apart(plan: &Plan<'_>, from: usize, to: usize) -> Fault {
    Fault::Endless(format!("no path leads from '{}' to '{}'", plan.name(from), plan.name(to)))
}
