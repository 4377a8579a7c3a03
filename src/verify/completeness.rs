//! Rule "completeness": every receiver gets each of its messages once, and no other message is
//! carried.

use super::groups::{By, Hop, by_message, each};
use super::plan::Plan;
use super::violation::{InOrder, Report, Rule, Violation};
use std::ops::ControlFlow;

/// A receiver that has the message of a source, and the copy that it has.
type Delivered = (usize, u32);

/// Checks all deliveries against the demand, source by source. What is not asked for or delivered
/// again is told in the order of the file, what is missing in the order of senders and receivers.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    let (mut surplus, mut missing) = (InOrder::default(), InOrder::default());
    let mut place = vec![None; plan.graph.len()];
    plan.demand.senders.iter().enumerate().for_each(|(i, &s)| place[s] = Some(i));
    let mut got = Vec::new();
    each(plan, By::Source, |source, hops| {
        got.clear();
        if plan.demand.broadcast {
            broadcast(plan, source, hops, &mut got, &mut surplus);
        } else {
            personal(plan, source, hops, &mut got, &mut surplus);
        }
        if let Some(place) = place[source] {
            lacks(plan, (place, source), &got, &mut missing);
        }
        ControlFlow::Continue(())
    });
    surplus.tell(report);
    missing.tell(report);
}

/// The receivers of a source's broadcast message. A second delivery is the rule "redundant".
fn broadcast(
    plan: &Plan<'_>,
    source: usize,
    hops: &[Hop],
    got: &mut Vec<Delivered>,
    surplus: &mut InOrder<usize>,
) {
    for hop in hops {
        if plan.demand.sends[source] && hop.copy == 1 {
            got.push((hop.to as usize, 1));
        } else {
            surplus.add(hop.id, || not_asked(plan, hop));
        }
    }
    got.sort_unstable();
}

/// The receivers of a source's messages, each to one destination; in the order of receivers.
fn personal(
    plan: &Plan<'_>,
    source: usize,
    hops: &mut [Hop],
    got: &mut Vec<Delivered>,
    surplus: &mut InOrder<usize>,
) {
    for hops in by_message(hops) {
        let Hop { destination, copy, .. } = hops[0];
        let asked = plan.demand.messages(source, destination as usize);
        let is_asked = (1..=asked).contains(&u64::from(copy));
        let mut delivery = None;
        for hop in hops {
            if !is_asked {
                surplus.add(hop.id, || not_asked(plan, hop));
            } else if let Some(first) = delivery {
                surplus.add(hop.id, || {
                    let [m, first] = [hop.id, first].map(|id| plan.at(id));
                    let why = format!("{} was already delivered", plan.message(&m));
                    Violation::new(Rule::Completeness, why).by(plan, &[m, first])
                });
            } else if hop.to == destination {
                delivery = Some(hop.id);
                got.push((destination as usize, copy));
            }
        }
    }
}

fn not_asked(plan: &Plan<'_>, hop: &Hop) -> Violation {
    let m = plan.at(hop.id);
    let why = format!("the model does not ask for {}", plan.message(&m));
    Violation::new(Rule::Completeness, why).by(plan, &[m])
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
