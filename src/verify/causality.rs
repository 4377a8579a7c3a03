//! Rules "causality" and "redundant": no vertex sends a message that it does not have at the
//! beginning of the step, and no broadcast message goes to a vertex that has it.

use super::groups::{Groups, Hop, by_message, is_same};
use super::plan::Plan;
use super::violation::{InOrder, Report, Rule, Violation};

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
    // By vertex, the first transfer that delivers the message of the source to it.
    let mut receipts = vec![NONE; plan.graph.len()];
    for (source, group) in Groups::by(plan, |m| m.source).iter() {
        let mut left = group;
        while let Some(&id) = left.first() {
            let ids = plan.together_with(id);
            let (step, later) = left.split_at(left.partition_point(|&id| id < ids.end));
            left = later;
            for m in step.iter().map(|&id| plan.at(id)) {
                let first = &mut receipts[m.to];
                let again = *first != NONE;
                *first = if again { *first } else { m.id };
                if m.to == source || again {
                    let first = plan.at(*first);
                    found.add((ids.start, false, m.id), || {
                        let why = format!("'{}' already has {}", plan.name(m.to), plan.message(&m));
                        let moves = [m, first];
                        let moves = if again { &moves[..] } else { &moves[..1] };
                        Violation::new(Rule::Redundant, why).by(plan, moves)
                    });
                }
            }
            for m in step.iter().map(|&id| plan.at(id)).filter(|m| m.from != source) {
                let receipt = receipts[m.from];
                if receipt >= ids.start {
                    found.add((ids.start, true, m.id), || {
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
        group.iter().for_each(|&id| receipts[plan.at(id).to] = NONE);
    }
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
    let mut hops: Vec<Hop> = Vec::new();
    for (source, group) in Groups::by(plan, |m| m.source).iter() {
        by_message(plan, group, &mut hops);
        for hops in hops.chunk_by(is_same) {
            let first = plan.at(hops[0].2);
            if first.from != source {
                found.add(first.id, || {
                    let why = format!("{} is still at its source", plan.message(&first));
                    Violation::new(Rule::Causality, why).by(plan, &[first])
                });
            }
            for pair in hops.windows(2) {
                let [before, m] = [pair[0], pair[1]].map(|(.., id)| plan.at(id));
                if plan.together_with(m.id).contains(&before.id) {
                    found.add(m.id, || {
                        let why = format!("{} moves twice in one step", plan.message(&m));
                        Violation::new(Rule::Causality, why).by(plan, &[before, m])
                    });
                } else if before.to != m.from {
                    found.add(m.id, || {
                        let why = format!("{} is at '{}'", plan.message(&m), plan.name(before.to));
                        Violation::new(Rule::Causality, why).by(plan, &[m, before])
                    });
                }
            }
        }
    }
    found.tell(report);
}
