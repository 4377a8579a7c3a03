//! Rules "conflict" and "ports": within a step no channel carries more transfers than its capacity,
//! no half-duplex link carries more than that in both directions together (with capacity 1 it works
//! in one direction), no terminal sends or receives more messages than it has ports.

use super::plan::{Move, Plan};
use super::violation::{Report, Rule, Violation};
use std::collections::{BTreeMap, HashMap};

/// Checks every step on its own.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    for step in plan.by_step() {
        channels(plan, step, report);
        if let Some(k) = plan.demand.ports {
            ports(plan, step, k, report);
        }
        if report.full() {
            return;
        }
    }
}

/// The transfers of a step over every channel.
type Users<'m, 'a> = HashMap<usize, Vec<&'m Move<'a>>>;

fn channels(plan: &Plan<'_>, step: &[Move<'_>], report: &mut Report) {
    let mut users: Users<'_, '_> = HashMap::new();
    let known = plan.graph.ends.len();
    for m in step {
        for &c in m.record.channels.iter().filter(|&&c| c < known) {
            share(plan, c, m, &users, report);
            let all = users.entry(c).or_default();
            if all.last().is_none_or(|last| last.index != m.index) {
                all.push(m);
            }
        }
    }
}

/// Checks that a channel, and the link that it is a direction of, carry one more transfer.
fn share(plan: &Plan<'_>, c: usize, m: &Move<'_>, users: &Users<'_, '_>, report: &mut Report) {
    let others = |c: usize| {
        let all = users.get(&c).into_iter().flatten().copied();
        all.filter(|other| other.index != m.index).collect::<Vec<_>>()
    };
    let (here, opposite) = (others(c), plan.graph.excludes[c]);
    let there = opposite.map(others).unwrap_or_default();
    let capacity = plan.graph.capacity[c];
    if ((here.len() + there.len()) as u64) < capacity {
        return;
    }
    let mut wrong = |why: String, moves: &[&Move<'_>]| {
        report.add(Violation::new(Rule::Conflict, why).on(&plan.graph, c).by(moves));
    };
    if capacity > 1 {
        let number = here.len() + there.len() + 1;
        let link = if opposite.is_some() { "its half-duplex link" } else { "it" };
        let mut moves: Vec<&Move<'_>> = here.into_iter().chain(there).take(3).collect();
        moves.push(m);
        wrong(
            format!("{number} transfers use {link} in one step, the capacity is {capacity}"),
            &moves,
        );
        return;
    }
    if let (Some(d), Some(first)) = (opposite, there.first()) {
        let why = format!("it excludes channel {d}, the other direction of a half-duplex link");
        wrong(why, &[first, m]);
    }
    if let Some(first) = here.first() {
        wrong("two transfers use it in one step".into(), &[first, m]);
    }
}

/// Both ends of a transfer count. In wormhole networks all ends are terminals; with
/// store-and-forward switching a forwarding terminal is an end, and a switch has no limit.
fn ports(plan: &Plan<'_>, step: &[Move<'_>], k: u64, report: &mut Report) {
    let mut sent: BTreeMap<usize, Vec<&Move<'_>>> = BTreeMap::new();
    let mut received = sent.clone();
    for m in step {
        sent.entry(m.from).or_default().push(m);
        received.entry(m.to).or_default().push(m);
    }
    for (verb, counts) in [("sends", sent), ("receives", received)] {
        for (v, moves) in counts {
            if plan.graph.terminal[v] && moves.len() as u64 > k {
                let (name, n) = (plan.name(v), moves.len());
                let why = format!("'{name}' {verb} {n} messages, but has ports for {k}");
                report.add(Violation::new(Rule::Ports, why).by(&moves[..moves.len().min(4)]));
            }
        }
    }
}
