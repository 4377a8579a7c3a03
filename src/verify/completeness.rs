//! Rule "completeness": every receiver gets each of its messages once, and no other message is
//! carried.

use super::groups::{Groups, Hop, by_message, is_same};
use super::plan::Plan;
use super::violation::{InOrder, Report, Rule, Violation};

/// A receiver that has the message of a source, and the copy that it has.
type Delivered = (usize, u32);

/// Checks all deliveries against the demand, source by source. What is not asked for or delivered
/// again is told in the order of the file, what is missing in the order of senders and receivers.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    let (mut surplus, mut missing) = (InOrder::default(), InOrder::default());
    let mut place = vec![None; plan.graph.len()];
    plan.demand.senders.iter().enumerate().for_each(|(i, &s)| place[s] = Some(i));
    let groups = Groups::by(plan, |m| m.source);
    let (mut hops, mut got) = (Vec::new(), Vec::new());
    for (source, place) in place.into_iter().enumerate() {
        got.clear();
        if plan.demand.broadcast {
            broadcast(plan, source, groups.of(source), &mut got, &mut surplus);
        } else {
            by_message(plan, groups.of(source), &mut hops);
            personal(plan, source, &hops, &mut got, &mut surplus);
        }
        if let Some(place) = place {
            lacks(plan, (place, source), &got, &mut missing);
        }
    }
    surplus.tell(report);
    missing.tell(report);
}

/// The receivers of a source's broadcast message. A second delivery is the rule "redundant".
fn broadcast(
    plan: &Plan<'_>,
    source: usize,
    group: &[usize],
    got: &mut Vec<Delivered>,
    surplus: &mut InOrder<usize>,
) {
    for m in group.iter().map(|&id| plan.at(id)) {
        if plan.demand.sends[source] && m.copy == 1 {
            got.push((m.to, 1));
        } else {
            surplus.add(m.id, || {
                let why = format!("the model does not ask for {}", plan.message(&m));
                Violation::new(Rule::Completeness, why).by(plan, &[m])
            });
        }
    }
    got.sort_unstable();
}

/// The receivers of a source's messages, each to one destination; in the order of receivers.
fn personal(
    plan: &Plan<'_>,
    source: usize,
    hops: &[Hop],
    got: &mut Vec<Delivered>,
    surplus: &mut InOrder<usize>,
) {
    for hops in hops.chunk_by(is_same) {
        let (destination, copy, _) = hops[0];
        let asked = plan.demand.messages(source, destination);
        let is_asked = (1..=asked).contains(&u64::from(copy));
        let mut delivery = None;
        for m in hops.iter().map(|&(.., id)| plan.at(id)) {
            if !is_asked {
                surplus.add(m.id, || {
                    let why = format!("the model does not ask for {}", plan.message(&m));
                    Violation::new(Rule::Completeness, why).by(plan, &[m])
                });
            } else if let Some(first) = delivery {
                surplus.add(m.id, || {
                    let why = format!("{} was already delivered", plan.message(&m));
                    Violation::new(Rule::Completeness, why).by(plan, &[m, first])
                });
            } else if m.to == destination {
                delivery = Some(m);
                got.push((destination, copy));
            }
        }
    }
}

/// The receivers that lack a message of a sender; `got` is sorted.
fn lacks(
    plan: &Plan<'_>,
    (place, sender): (usize, usize),
    got: &[Delivered],
    missing: &mut InOrder<(usize, usize)>,
) {
    for (at, &r) in plan.demand.receivers.iter().enumerate() {
        let asked = plan.demand.messages(sender, r);
        let is_missing = |copy: &u64| got.binary_search(&(r, *copy as u32)).is_err();
        if let Some(copy) = (1..=asked).find(is_missing) {
            missing.add((place, at), || {
                let copy = if asked > 1 { format!(" (copy {copy})") } else { String::new() };
                let (to, from) = (plan.name(r), plan.name(sender));
                let why = format!("'{to}' never gets the message of '{from}'{copy}");
                Violation::new(Rule::Completeness, why)
            });
        }
    }
}
