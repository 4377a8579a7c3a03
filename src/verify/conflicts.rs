//! Rules "conflict" and "ports": within a step no channel carries more transfers than its capacity,
//! no half-duplex link carries more than that in both directions together (with capacity 1 it works
//! in one direction), no terminal sends or receives more messages than it has ports.

use super::plan::{Move, Plan};
use super::violation::{Report, Rule, Violation};
use std::collections::BTreeMap;

/// Checks every step on its own.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    let mut users = Users::of(plan);
    for step in plan.by_step() {
        users.next_step();
        channels(plan, step, &mut users, report);
        if let Some(k) = plan.demand.ports {
            ports(plan, step, k, report);
        }
        if report.full() {
            return;
        }
    }
}

/// By channel, the transfers of the present step over it: their number, and which came last. Flat and
/// never cleared, because a large schedule has a million transfers over a few thousand channels.
struct Users {
    step: usize,
    of: Vec<User>,
}

#[derive(Clone, Copy, Default)]
struct User {
    /// The step that the rest is about, from 1.
    step: usize,
    number: u64,
    last: usize,
}

impl Users {
    fn of(plan: &Plan<'_>) -> Self {
        Users { step: 0, of: vec![User::default(); plan.graph.ends.len()] }
    }

    fn next_step(&mut self) {
        self.step += 1;
    }

    /// How many transfers use a channel, without the one that is looked at.
    fn others(&self, c: usize, m: &Move<'_>) -> u64 {
        let user = self.of[c];
        if user.step != self.step { 0 } else { user.number - u64::from(user.last == m.index) }
    }

    fn add(&mut self, c: usize, m: &Move<'_>) {
        let user = &mut self.of[c];
        if user.step != self.step {
            *user = User { step: self.step, number: 1, last: m.index };
        } else if user.last != m.index {
            (user.number, user.last) = (user.number + 1, m.index);
        }
    }
}

fn channels(plan: &Plan<'_>, step: &[Move<'_>], users: &mut Users, report: &mut Report) {
    let known = plan.graph.ends.len();
    for (i, m) in step.iter().enumerate() {
        for &c in m.record.channels.iter().filter(|&&c| c < known) {
            let opposite = plan.graph.excludes[c];
            let number = users.others(c, m) + opposite.map_or(0, |d| users.others(d, m));
            if number >= plan.graph.capacity[c] {
                overload(plan, &step[..i], c, m, report);
            }
            users.add(c, m);
        }
    }
}

/// Tells that a channel, or the link that it is a direction of, cannot carry one more transfer of a
/// step, after those before it.
fn overload(plan: &Plan<'_>, before: &[Move<'_>], c: usize, m: &Move<'_>, report: &mut Report) {
    let over = |c: usize| before.iter().filter(move |other| other.record.channels.contains(&c));
    let opposite = plan.graph.excludes[c];
    let here: Vec<&Move<'_>> = over(c).collect();
    let there: Vec<&Move<'_>> = opposite.into_iter().flat_map(over).collect();
    let capacity = plan.graph.capacity[c];
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
