//! Rules "conflict" and "ports": within a step no channel carries two transfers, no half-duplex
//! link works in both directions, no terminal sends or receives more than its ports let it.

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

fn channels(plan: &Plan<'_>, step: &[Move<'_>], report: &mut Report) {
    let mut users: HashMap<usize, &Move<'_>> = HashMap::new();
    let known = plan.graph.ends.len();
    for m in step {
        for &c in m.record.channels.iter().filter(|&&c| c < known) {
            let other = plan.graph.excludes[c].and_then(|d| Some((d, *users.get(&d)?)));
            if let Some((d, first)) = other.filter(|(_, first)| first.index != m.index) {
                let why = format!("it excludes channel {d}, the other way of a half-duplex link");
                report.add(Violation::new(Rule::Conflict, why).on(&plan.graph, c).by(&[first, m]));
            }
            let first = *users.entry(c).or_insert(m);
            if first.index != m.index {
                let why = "two transfers use it in one step";
                report.add(Violation::new(Rule::Conflict, why).on(&plan.graph, c).by(&[first, m]));
            }
        }
    }
}

/// Both ends of a transfer count; in wormhole networks all ends are terminals, and with
/// store-and-forward switching a forwarding terminal is an end, a switch has no limit.
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
                let why = format!("'{name}' {verb} {n} messages, it has ports for {k}");
                report.add(Violation::new(Rule::Ports, why).by(&moves[..moves.len().min(4)]));
            }
        }
    }
}
