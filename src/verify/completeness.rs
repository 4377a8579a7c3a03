//! Rule "completeness": everybody gets what he was to get, once, and nothing is carried that
//! nobody asked for.

use super::plan::{Move, Plan};
use super::violation::{Report, Rule, Violation};
use std::collections::HashMap;

/// Checks all deliveries against the demand.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    // Who got whose message: (source, receiver), by which transfer.
    let mut got: HashMap<(usize, usize), &Move<'_>> = HashMap::new();
    for m in &plan.moves {
        let asked = match m.destination {
            Some(d) => plan.demand.asks(m.source, d),
            None => plan.demand.sends[m.source],
        };
        if !asked {
            let why = format!("nobody asked for {}", plan.message(m));
            report.add(Violation::new(Rule::Completeness, why).by(&[m]));
            continue;
        }
        // A broadcast brought twice is the rule "redundant".
        let Some(destination) = m.destination else {
            got.entry((m.source, m.to)).or_insert(m);
            continue;
        };
        if let Some(first) = got.get(&(m.source, destination)) {
            let why = format!("{} was already delivered", plan.message(m));
            report.add(Violation::new(Rule::Completeness, why).by(&[m, first]));
        } else if m.to == destination {
            got.insert((m.source, destination), m);
        }
        if report.full() {
            return;
        }
    }
    for &s in &plan.demand.senders {
        for &r in &plan.demand.receivers {
            if plan.demand.asks(s, r) && !got.contains_key(&(s, r)) {
                let why =
                    format!("'{}' never gets the message of '{}'", plan.name(r), plan.name(s));
                report.add(Violation::new(Rule::Completeness, why));
            }
        }
        if report.full() {
            return;
        }
    }
}
