//! Timed schedules: each transfer has a start and holds its channels, and the ports at its ends, for as
//! many time units as its message has bytes; each channel after the delays of those before it (delays.rs). At no instant a channel, a half-duplex link or a terminal's
//! ports hold more transfers than their capacity. All numbers are integers.

use super::plan::{Move, Plan};
use super::violation::{Report, Rule, Violation};
use ccsched_base::cores;

/// What a transfer holds.
#[derive(Clone, Copy)]
enum Held {
    /// A channel, or a half-duplex link by its first channel.
    Link(usize),
    Sending(usize),
    Receiving(usize),
}

impl Held {
    /// From when until when a transfer holds it.
    fn interval(self, plan: &Plan<'_>, id: usize) -> (u64, u64) {
        let ((start, end), path) = (plan.held_from_to(id), plan.path(id));
        let after = match self {
            Held::Link(link) => plan.delay_until(path, |c| {
                plan.graph.excludes.get(c).copied().flatten().map_or(c, |other| c.min(other))
                    == link
            }),
            Held::Sending(_) => 0,
            Held::Receiving(_) => plan.delay_until(path, |_| false),
        };
        (start.saturating_add(after), end.saturating_add(after))
    }
}

/// All that transfers hold by number: links, then the ports of senders, then those of receivers.
fn by_number(plan: &Plan<'_>, number: usize) -> Held {
    let (links, vertices) = (plan.graph.ends.len(), plan.graph.len());
    match number.checked_sub(links) {
        None => Held::Link(number),
        Some(v) if v < vertices => Held::Sending(v),
        Some(v) => Held::Receiving(v - vertices),
    }
}

/// Passes the numbers of what each transfer holds, and its own.
fn each_held(plan: &Plan<'_>, mut pass: impl FnMut(usize, usize)) {
    let (links, vertices) = (plan.graph.ends.len(), plan.graph.len());
    for m in plan.moves(plan.all()) {
        if plan.interval(m.id).1 == Some(0) {
            continue;
        }
        for c in m.channels.iter().map(|&c| c as usize).filter(|&c| c < links) {
            pass(plan.graph.excludes[c].map_or(c, |other| c.min(other)), m.id);
        }
        if plan.demand.ports.is_some() {
            pass(links + m.from, m.id);
            pass(links + vertices + m.to, m.id);
        }
    }
}

/// Rules "conflict" and "ports" of a timed schedule.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    let mut sizes = vec![0; plan.graph.ends.len() + 2 * plan.graph.len()];
    each_held(plan, |held, _| sizes[held] += 1);
    let ends = cores::ends(sizes.iter().copied());
    let mut users = vec![0; ends.last().copied().unwrap_or(0)];
    let mut next: Vec<usize> = ends.iter().zip(&sizes).map(|(end, size)| end - size).collect();
    each_held(plan, |held, id| {
        users[next[held]] = id;
        next[held] += 1;
    });
    report.in_parts(cores::parts(sizes.len(), |held| ends[held]), |part, report| {
        for number in part {
            let held = by_number(plan, number);
            let capacity = match held {
                Held::Link(c) => plan.graph.capacity[c],
                Held::Sending(_) | Held::Receiving(_) => plan.demand.ports.unwrap_or(u64::MAX),
            };
            let users = &users[ends[number] - sizes[number]..ends[number]];
            if let Some(crowd) = crowd(plan, held, users, capacity) {
                report.add(violation(plan, held, capacity, &crowd));
            }
            if report.full() {
                return;
            }
        }
    });
}

/// The transfers that hold something at the first instant at which they are more than its capacity.
fn crowd(plan: &Plan<'_>, held: Held, users: &[usize], capacity: u64) -> Option<Vec<usize>> {
    let mut events = Vec::with_capacity(2 * users.len());
    for &id in users {
        let (start, end) = held.interval(plan, id);
        events.extend([(start, true, id), (end, false, id)]);
    }
    // What ends at an instant makes room for what starts then.
    events.sort_unstable();
    let mut holders = Vec::new();
    for (_, starts, id) in events {
        if !starts {
            holders.retain(|&other| other != id);
            continue;
        }
        holders.push(id);
        if holders.len() as u64 > capacity {
            return Some(holders);
        }
    }
    None
}

fn violation(plan: &Plan<'_>, held: Held, capacity: u64, crowd: &[usize]) -> Violation {
    let number = crowd.len();
    let last = crowd[number - 1];
    let (at, _) = held.interval(plan, last);
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
        true => plan.over(&plan.at(id)),
        false => plan.interval(id).1.unwrap_or(0),
    };
    let longest = |step: std::ops::Range<usize>| step.map(end).max().unwrap_or(0);
    plan.by_step().map(longest).fold(0, u64::saturating_add)
}
