//! Rule "completeness": every receiver gets each of its messages once, and no other message is
//! carried.

use super::plan::{Move, Plan};
use super::violation::{Report, Rule, Violation};
use std::collections::HashMap;

/// Checks all deliveries against the demand.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    // By source, receiver and copy, the transfer that delivered the message.
    let mut got: HashMap<(usize, usize, u32), &Move<'_>> = HashMap::new();
    for m in &plan.moves {
        let asked = match m.destination {
            Some(d) => {
                let asked = plan.demand.messages(m.source, d);
                (1..=asked).contains(&u64::from(m.copy))
            }
            None => plan.demand.sends[m.source] && m.copy == 1,
        };
        if !asked {
            let why = format!("the model does not ask for {}", plan.message(m));
            report.add(Violation::new(Rule::Completeness, why).by(&[m]));
            continue;
        }
        // A broadcast message delivered twice is the rule "redundant".
        let Some(destination) = m.destination else {
            got.entry((m.source, m.to, 1)).or_insert(m);
            continue;
        };
        let message = (m.source, destination, m.copy);
        if let Some(first) = got.get(&message) {
            let why = format!("{} was already delivered", plan.message(m));
            report.add(Violation::new(Rule::Completeness, why).by(&[m, first]));
        } else if m.to == destination {
            got.insert(message, m);
        }
        if report.full() {
            return;
        }
    }
    for &s in &plan.demand.senders {
        for &r in &plan.demand.receivers {
            let asked = plan.demand.messages(s, r);
            let missing = |copy: &u64| !got.contains_key(&(s, r, *copy as u32));
            if let Some(copy) = (1..=asked).find(missing) {
                let copy = if asked > 1 { format!(" (copy {copy})") } else { String::new() };
                let (to, from) = (plan.name(r), plan.name(s));
                let why = format!("'{to}' never gets the message of '{from}'{copy}");
                report.add(Violation::new(Rule::Completeness, why));
            }
        }
        if report.full() {
            return;
        }
    }
}
