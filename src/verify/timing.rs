//! Timed schedules: each transfer has a start and holds its channels, and the ports at its ends, for as
//! many time units as its message has bytes. At no instant a channel, a half-duplex link or a terminal's
//! ports hold more transfers than their capacity. All numbers are integers.

use super::plan::{Move, Plan};
use super::violation::{Report, Rule, Violation};
use std::collections::BTreeMap;

/// What a transfer holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    /// A channel, or a half-duplex link by its first channel.
    Link(usize),
    Sending(usize),
    Receiving(usize),
}

/// Rules "conflict" and "ports" of a timed schedule.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    let known = plan.graph.ends.len();
    let mut users: BTreeMap<Held, Vec<usize>> = BTreeMap::new();
    for m in plan.moves(plan.all()) {
        if plan.interval(m.id).1 == Some(0) {
            continue;
        }
        for c in m.channels.iter().map(|&c| c as usize).filter(|&c| c < known) {
            let link = plan.graph.excludes[c].map_or(c, |other| c.min(other));
            users.entry(Held::Link(link)).or_default().push(m.id);
        }
        if plan.demand.ports.is_some() {
            users.entry(Held::Sending(m.from)).or_default().push(m.id);
            users.entry(Held::Receiving(m.to)).or_default().push(m.id);
        }
    }
    for (held, users) in users {
        let capacity = match held {
            Held::Link(c) => plan.graph.capacity[c],
            Held::Sending(_) | Held::Receiving(_) => plan.demand.ports.unwrap_or(u64::MAX),
        };
        if let Some(crowd) = crowd(plan, &users, capacity) {
            report.add(violation(plan, held, capacity, &crowd));
        }
        if report.full() {
            return;
        }
    }
}

/// The transfers that hold something at the first instant at which they are more than its capacity.
fn crowd(plan: &Plan<'_>, users: &[usize], capacity: u64) -> Option<Vec<usize>> {
    let mut events = Vec::with_capacity(2 * users.len());
    for &id in users {
        let (start, end) = plan.held_from_to(id);
        events.extend([(start, true, id), (end, false, id)]);
    }
    // What ends at an instant makes room for what starts then.
    events.sort_unstable();
    let mut held = Vec::new();
    for (_, starts, id) in events {
        if !starts {
            held.retain(|&other| other != id);
            continue;
        }
        held.push(id);
        if held.len() as u64 > capacity {
            return Some(held);
        }
    }
    None
}

fn violation(plan: &Plan<'_>, held: Held, capacity: u64, crowd: &[usize]) -> Violation {
    let number = crowd.len();
    let last = crowd[number - 1];
    let (at, _) = plan.held_from_to(last);
    let ports = |verb: &str, v: usize| {
        let name = plan.name(v);
        let why =
            format!("from {at} on '{name}' {verb} {number} messages, but has ports for {capacity}");
        Violation::new(Rule::Ports, why)
    };
    let told = match held {
        Held::Link(c) => {
            let link = if plan.graph.excludes[c].is_some() { "its half-duplex link" } else { "it" };
            let why =
                format!("from {at} on {number} transfers hold {link}, the capacity is {capacity}");
            Violation::new(Rule::Conflict, why).on(&plan.graph, c)
        }
        Held::Sending(v) => ports("sends", v),
        Held::Receiving(v) => ports("receives", v),
    };
    let first = number.saturating_sub(4);
    let moves: Vec<Move<'_>> = crowd[first..].iter().map(|&id| plan.at(id)).collect();
    told.by(plan, &moves)
}

/// The bytes that pass one channel of capacity 1 while the schedule runs: of a timed one its end, of steps
/// the longest messages of all of them together.
pub(super) fn span(plan: &Plan<'_>) -> u64 {
    let end = |id: usize| match plan.demand.timed {
        true => plan.held_from_to(id).1,
        false => plan.interval(id).1.unwrap_or(0),
    };
    let longest = |step: std::ops::Range<usize>| step.map(end).max().unwrap_or(0);
    plan.by_step().map(longest).fold(0, u64::saturating_add)
}
