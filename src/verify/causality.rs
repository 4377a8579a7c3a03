//! Rules "causality" and "redundant": no vertex sends a message that it does not have at the
//! beginning of the step, and no broadcast message goes to a vertex that has it.

use super::plan::{Move, Plan};
use super::violation::{Report, Rule, Violation};
use std::collections::HashMap;

/// Checks every message step by step.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    match (plan.demand.broadcast, plan.demand.wormhole) {
        (true, _) => broadcasts(plan, report),
        (false, true) => direct(plan, report),
        (false, false) => journeys(plan, report),
    }
}

fn broadcasts(plan: &Plan<'_>, report: &mut Report) {
    // By source and receiver, the first transfer that delivers the message.
    let mut receipts: HashMap<(usize, usize), &Move<'_>> = HashMap::new();
    for step in plan.by_step() {
        for m in step {
            let first = *receipts.entry((m.source, m.to)).or_insert(m);
            let again = (first.step, first.index) != (m.step, m.index);
            if m.to == m.source || again {
                let why = format!("'{}' already has {}", plan.name(m.to), plan.message(m));
                let moves = [m, first];
                let moves = if again { &moves[..] } else { &moves[..1] };
                report.add(Violation::new(Rule::Redundant, why).by(moves));
            }
        }
        for m in step.iter().filter(|m| m.from != m.source) {
            let why = || format!("'{}' does not have {} yet", plan.name(m.from), plan.message(m));
            match receipts.get(&(m.source, m.from)) {
                Some(receipt) if receipt.step < m.step => {}
                Some(receipt) => {
                    report.add(Violation::new(Rule::Causality, why()).by(&[m, receipt]));
                }
                None => report.add(Violation::new(Rule::Causality, why()).by(&[m])),
            }
        }
        if report.full() {
            return;
        }
    }
}

/// Wormhole scatters go straight from source to destination.
fn direct(plan: &Plan<'_>, report: &mut Report) {
    for m in &plan.moves {
        if m.from != m.source || Some(m.to) != m.destination {
            let why = format!("{} must go straight from source to destination", plan.message(m));
            report.add(Violation::new(Rule::Causality, why).by(&[m]));
        }
    }
}

/// Store-and-forward scatters: a message is at one place and moves once a step.
fn journeys(plan: &Plan<'_>, report: &mut Report) {
    let mut last: HashMap<(usize, Option<usize>, u32), &Move<'_>> = HashMap::new();
    for m in &plan.moves {
        let Some(before) = last.insert((m.source, m.destination, m.copy), m) else {
            if m.from != m.source {
                let why = format!("{} is still at its source", plan.message(m));
                report.add(Violation::new(Rule::Causality, why).by(&[m]));
            }
            continue;
        };
        if before.step == m.step {
            let why = format!("{} moves twice in one step", plan.message(m));
            report.add(Violation::new(Rule::Causality, why).by(&[before, m]));
        } else if before.to != m.from {
            let why = format!("{} is at '{}'", plan.message(m), plan.name(before.to));
            report.add(Violation::new(Rule::Causality, why).by(&[m, before]));
        }
    }
}
