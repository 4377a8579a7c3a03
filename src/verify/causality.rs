//! Rules "causality" and "redundant": no vertex sends a message that it does not have at the
//! beginning of the step, and no broadcast message goes to a vertex that has it.

use super::groups::{By, by_message, each};
use super::plan::Plan;
use super::violation::{InOrder, Report, Rule, Violation};
use std::ops::ControlFlow;

/// Checks every message step by step.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    match (plan.demand.broadcast, plan.demand.wormhole) {
        (true, _) => broadcasts(plan, report),
        (false, true) => direct(plan, report),
        (false, false) => journeys(plan, report),
    }
}

/// In place of the number of a transfer.
const NONE: usize = usize::MAX;

fn broadcasts(plan: &Plan<'_>, report: &mut Report) {
    // Told step by step, and in a step first what is redundant.
    let mut found = InOrder::default();
    // By vertex, the first transfer that delivers the message of the source to it, and its step.
    let mut receipts = vec![(NONE, 0); plan.graph.len()];
    each(plan, By::Source, |source, hops| {
        for step in hops.chunk_by(|a, b| a.step == b.step) {
            for hop in step {
                let first = &mut receipts[hop.to as usize];
                let again = first.0 != NONE;
                *first = if again { *first } else { (hop.id, hop.step) };
                if hop.to as usize == source || again {
                    let first = first.0;
                    found.add((hop.step, false, hop.id), || {
                        let (m, first) = (plan.at(hop.id), plan.at(first));
                        let why = format!("'{}' already has {}", plan.name(m.to), plan.message(&m));
                        let moves = [m, first];
                        let moves = if again { &moves[..] } else { &moves[..1] };
                        Violation::new(Rule::Redundant, why).by(plan, moves)
                    });
                }
            }
            for hop in step.iter().filter(|hop| hop.from as usize != source) {
                let (receipt, at) = receipts[hop.from as usize];
                if receipt == NONE || at >= hop.step {
                    found.add((hop.step, true, hop.id), || {
                        let m = plan.at(hop.id);
                        let (from, what) = (plan.name(m.from), plan.message(&m));
                        let why = format!("'{from}' does not have {what} yet");
                        let violation = Violation::new(Rule::Causality, why).by(plan, &[m]);
                        if receipt == NONE {
                            violation
                        } else {
                            violation.by(plan, &[plan.at(receipt)])
                        }
                    });
                }
            }
        }
        hops.iter().for_each(|hop| receipts[hop.to as usize] = (NONE, 0));
        ControlFlow::Continue(())
    });
    found.tell(report);
}

/// Wormhole scatters go straight from source to destination.
fn direct(plan: &Plan<'_>, report: &mut Report) {
    for m in plan.moves(plan.all()) {
        if m.from != m.source || Some(m.to) != m.destination {
            let why = format!("{} must go straight from source to destination", plan.message(&m));
            report.add(Violation::new(Rule::Causality, why).by(plan, &[m]));
            if report.full() {
                return;
            }
        }
    }
}

/// Store-and-forward scatters: a message is at one place and moves once a step.
fn journeys(plan: &Plan<'_>, report: &mut Report) {
    let mut found = InOrder::default();
    each(plan, By::Source, |source, hops| {
        for hops in by_message(hops) {
            let first = hops[0];
            if first.from as usize != source {
                found.add(first.id, || {
                    let first = plan.at(first.id);
                    let why = format!("{} is still at its source", plan.message(&first));
                    Violation::new(Rule::Causality, why).by(plan, &[first])
                });
            }
            for pair in hops.windows(2) {
                let [before, hop] = [pair[0], pair[1]];
                let both = || [before.id, hop.id].map(|id| plan.at(id));
                if before.step == hop.step {
                    found.add(hop.id, || {
                        let [before, m] = both();
                        let why = format!("{} moves twice in one step", plan.message(&m));
                        Violation::new(Rule::Causality, why).by(plan, &[before, m])
                    });
                } else if before.to != hop.from {
                    found.add(hop.id, || {
                        let [before, m] = both();
                        let why = format!("{} is at '{}'", plan.message(&m), plan.name(before.to));
                        Violation::new(Rule::Causality, why).by(plan, &[m, before])
                    });
                }
            }
        }
        ControlFlow::Continue(())
    });
    found.tell(report);
}
