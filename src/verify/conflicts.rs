//! Rules "conflict" and "ports": within a step no channel carries more transfers than its capacity,
//! no half-duplex link carries more than that in both directions together (with capacity 1 it works
//! in one direction), no terminal sends or receives more messages than it has ports.

use super::joined::together;
use super::plan::{Move, Plan};
use super::violation::{Report, Rule, Violation};
use std::collections::BTreeMap;

/// Checks every step on its own.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    report.in_parts(plan.parts_by_step(), |steps, report| {
        let mut users = Users::of(plan);
        let mut ends = vec![Ends::default(); plan.graph.len()];
        for number in steps {
            users.next_step();
            match plan.demand.joins {
                true => {
                    let first = |ids: Vec<usize>| ids[0];
                    let apart: Vec<usize> =
                        together(plan, plan.step(number)).into_iter().map(first).collect();
                    of_step(plan, number, apart.into_iter(), (&mut users, &mut ends), report);
                }
                false => {
                    of_step(plan, number, plan.step(number), (&mut users, &mut ends), report);
                }
            }
            if report.full() {
                return;
            }
        }
    });
}

/// Checks the transfers of a step, of which those that count as one are one here.
fn of_step(
    plan: &Plan<'_>,
    number: usize,
    step: impl Iterator<Item = usize> + Clone,
    (users, ends): (&mut Users, &mut [Ends]),
    report: &mut Report,
) {
    channels(plan, step.clone(), users, report);
    if let Some(k) = plan.demand.ports
        && has_crowd(plan, step.clone(), (number + 1, k), ends)
    {
        ports(plan, step, k, report);
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
    fn others(&self, c: usize, id: usize) -> u64 {
        let user = self.of[c];
        if user.step != self.step { 0 } else { user.number - u64::from(user.last == id) }
    }

    fn add(&mut self, c: usize, id: usize) {
        let user = &mut self.of[c];
        if user.step != self.step {
            *user = User { step: self.step, number: 1, last: id };
        } else if user.last != id {
            (user.number, user.last) = (user.number + 1, id);
        }
    }
}

fn channels(
    plan: &Plan<'_>,
    step: impl Iterator<Item = usize> + Clone,
    users: &mut Users,
    report: &mut Report,
) {
    let known = plan.graph.ends.len();
    for id in step.clone() {
        for c in plan.path(id).iter().map(|&c| c as usize).filter(|&c| c < known) {
            let opposite = plan.graph.excludes[c];
            let number = users.others(c, id) + opposite.map_or(0, |d| users.others(d, id));
            if number >= plan.graph.capacity[c] && !report.full() {
                let before = step.clone().take_while(|&other| other != id);
                overload(plan, before, c, &plan.at(id), report);
            }
            users.add(c, id);
        }
    }
}

/// Reports an overloaded channel (or half-duplex link).
fn overload(
    plan: &Plan<'_>,
    before: impl Iterator<Item = usize> + Clone,
    c: usize,
    m: &Move<'_>,
    report: &mut Report,
) {
    let over = |c: usize| {
        let takes = move |other: &Move<'_>| other.channels.iter().any(|&d| d as usize == c);
        plan.moves(before.clone()).filter(takes)
    };
    let opposite = plan.graph.excludes[c];
    let here: Vec<Move<'_>> = over(c).collect();
    let there: Vec<Move<'_>> = opposite.into_iter().flat_map(over).collect();
    let capacity = plan.graph.capacity[c];
    let mut wrong = |why: String, moves: &[Move<'_>]| {
        report.add(Violation::new(Rule::Conflict, why).on(&plan.graph, c).by(plan, moves));
    };
    if capacity > 1 {
        let number = here.len() + there.len() + 1;
        let link = if opposite.is_some() { "its half-duplex link" } else { "it" };
        let mut moves: Vec<Move<'_>> = here.into_iter().chain(there).take(3).collect();
        moves.push(*m);
        wrong(
            format!("{number} transfers use {link} in one step, the capacity is {capacity}"),
            &moves,
        );
        return;
    }
    if let (Some(d), Some(first)) = (opposite, there.first()) {
        let why = format!("it excludes channel {d}, the other direction of a half-duplex link");
        wrong(why, &[*first, *m]);
    }
    if let Some(first) = here.first() {
        wrong("two transfers use it in one step".into(), &[*first, *m]);
    }
}

/// How many transfers of a step start and end at a vertex.
#[derive(Clone, Copy, Default)]
struct Ends {
    /// The step that the rest is about, from 1.
    step: usize,
    sent: u64,
    received: u64,
}

/// Whether more than `k` transfers of a step start, or end, at a terminal.
fn has_crowd(
    plan: &Plan<'_>,
    step: impl Iterator<Item = usize>,
    (number, k): (usize, u64),
    ends: &mut [Ends],
) -> bool {
    let mut is_crowded = false;
    for [from, to] in step.map(|id| plan.stops(id)) {
        for (v, sent, received) in [(from, 1, 0), (to, 0, 1)] {
            let end = &mut ends[v];
            if end.step != number {
                *end = Ends { step: number, ..Ends::default() };
            }
            (end.sent, end.received) = (end.sent + sent, end.received + received);
            is_crowded |= plan.graph.terminal[v] && end.sent.max(end.received) > k;
        }
    }
    is_crowded
}

/// Tells the terminals at which more transfers start, or end, than they have ports. Both ends of a
/// transfer count. In wormhole networks all ends are terminals; with
/// store-and-forward switching a forwarding terminal is an end, and a switch has no limit.
fn ports(plan: &Plan<'_>, step: impl Iterator<Item = usize> + Clone, k: u64, report: &mut Report) {
    let mut sent: BTreeMap<usize, Vec<Move<'_>>> = BTreeMap::new();
    let mut received = sent.clone();
    for m in plan.moves(step) {
        sent.entry(m.from).or_default().push(m);
        received.entry(m.to).or_default().push(m);
    }
    for (verb, counts) in [("sends", sent), ("receives", received)] {
        for (v, moves) in counts {
            if plan.graph.terminal[v] && moves.len() as u64 > k {
                let (name, n) = (plan.name(v), moves.len());
                let why = format!("'{name}' {verb} {n} messages, but has ports for {k}");
                let violation = Violation::new(Rule::Ports, why);
                report.add(violation.by(plan, &moves[..moves.len().min(4)]));
            }
        }
    }
}
