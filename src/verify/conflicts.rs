//! Rules "conflict" and "ports": within a step no channel carries more transfers than its capacity,
//! no half-duplex link carries more than that in both directions together (with capacity 1 it works
//! in one direction), no terminal sends or receives more messages than it has ports. What is one tree
//! counts once (trees.rs).

use super::joined::together;
use super::plan::{Move, Plan};
use super::trees;
use super::violation::{Report, Rule, Violation};
use std::collections::{BTreeMap, HashSet};

/// A transfer that is counted, by its number: of those that count as one, the number of their first; and its own.
type Counted = (usize, usize);

/// Checks every step on its own.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    report.in_parts(plan.parts_by_step(), |steps, report| {
        let mut users = Users::of(plan);
        let mut ends = vec![Ends::default(); plan.graph.len()];
        for number in steps {
            users.next_step();
            let step = plan.step(number);
            let state = (&mut users, &mut ends[..]);
            if plan.demand.joins {
                // Those over one path are one transfer over it.
                let first = |ids: Vec<usize>| (ids[0], ids[0]);
                let apart: Vec<Counted> = together(plan, step).into_iter().map(first).collect();
                of_step(plan, number, apart.into_iter(), state, report);
            } else if plan.demand.multicast {
                let numbered = |ids: Vec<usize>| {
                    let first = ids[0];
                    ids.into_iter().map(move |id| (first, id))
                };
                let trees = trees::of_step(plan, step);
                let counted: Vec<Counted> = trees.into_iter().flat_map(numbered).collect();
                of_step(plan, number, counted.into_iter(), state, report);
            } else {
                of_step(plan, number, step.map(|id| (id, id)), state, report);
            }
            if report.full() {
                return;
            }
        }
    });
}

/// Checks the transfers of a step. Those that count as one stand side by side.
fn of_step(
    plan: &Plan<'_>,
    number: usize,
    step: impl Iterator<Item = Counted> + Clone,
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
    step: impl Iterator<Item = Counted> + Clone,
    users: &mut Users,
    report: &mut Report,
) {
    let known = plan.graph.ends.len();
    for (one, id) in step.clone() {
        for c in plan.path(id).iter().map(|&c| c as usize).filter(|&c| c < known) {
            let opposite = plan.graph.excludes[c];
            let number = users.others(c, one) + opposite.map_or(0, |d| users.others(d, one));
            if number >= plan.graph.capacity[c] && !report.full() {
                let before = step.clone().take_while(|&(_, other)| other != id);
                overload(plan, before.filter(|&(of, _)| of != one), c, &plan.at(id), report);
            }
            users.add(c, one);
        }
    }
}

/// Reports an overloaded channel (or half-duplex link).
fn overload(
    plan: &Plan<'_>,
    before: impl Iterator<Item = Counted> + Clone,
    c: usize,
    m: &Move<'_>,
    report: &mut Report,
) {
    // Of those that count as one, the first.
    let over = |c: usize| {
        let takes = move |id: usize| plan.path(id).iter().any(|&d| d as usize == c);
        let mut all: Vec<Counted> = before.clone().filter(|&(_, id)| takes(id)).collect();
        all.dedup_by_key(|counted| counted.0);
        all.into_iter().map(|(_, id)| plan.at(id))
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

/// The starts and the ends of the transfers of a step: of those that count as one, each vertex once.
fn ends_of(
    plan: &Plan<'_>,
    step: impl Iterator<Item = Counted>,
    mut pass: impl FnMut(usize, usize, bool),
) {
    let (mut present, mut seen) = (None, [HashSet::new(), HashSet::new()]);
    for (one, id) in step {
        if present.replace(one) != Some(one) {
            seen.iter_mut().for_each(HashSet::clear);
        }
        for (end, v) in plan.stops(id).into_iter().enumerate() {
            // Where each counts by itself, nothing is looked up.
            if !plan.demand.multicast || seen[end].insert(v) {
                pass(id, v, end == 0);
            }
        }
    }
}

/// Whether more than `k` transfers of a step start, or end, at a terminal.
fn has_crowd(
    plan: &Plan<'_>,
    step: impl Iterator<Item = Counted>,
    (number, k): (usize, u64),
    ends: &mut [Ends],
) -> bool {
    let mut is_crowded = false;
    ends_of(plan, step, |_, v, sends| {
        let end = &mut ends[v];
        if end.step != number {
            *end = Ends { step: number, ..Ends::default() };
        }
        *(if sends { &mut end.sent } else { &mut end.received }) += 1;
        is_crowded |= plan.graph.terminal[v] && end.sent.max(end.received) > k;
    });
    is_crowded
}

/// Tells the terminals at which more transfers start, or end, than they have ports. Both ends of a
/// transfer count. In wormhole networks all ends are terminals; with
/// store-and-forward switching a forwarding terminal is an end, and a switch has no limit.
fn ports(
    plan: &Plan<'_>,
    step: impl Iterator<Item = Counted> + Clone,
    k: u64,
    report: &mut Report,
) {
    let mut sent: BTreeMap<usize, Vec<Move<'_>>> = BTreeMap::new();
    let mut received = sent.clone();
    ends_of(plan, step, |id, v, sends| {
        let counts = if sends { &mut sent } else { &mut received };
        counts.entry(v).or_default().push(plan.at(id));
    });
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
