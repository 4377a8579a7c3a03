//! Rule "path", and for wormhole switching the rule "routing": the channels of a transfer are a simple
//! path from its start to its end, and no longer than the routing allows.

use super::graph::Near;
use super::groups::each;
use super::plan::{By, Move, Plan};
use super::routing::too_long;
use super::violation::{Report, Rule, Violation};
use ccsched_base::cores;
use std::ops::ControlFlow;

/// Checks every path; with wormhole switching also its length.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    if !plan.demand.wormhole && plan.graph.closed.is_empty() && plan.has_sound_hops() {
        return;
    }
    let found = cores::each(plan.parts(), |ids| {
        let mut visited = Visited { number: 0, last: vec![0; plan.graph.len()] };
        let (mut report, mut flawed) = (Report::default(), Vec::new());
        for m in plan.moves(ids) {
            if let Some(violation) = flaw(plan, &m, &mut visited) {
                report.add(violation.by(plan, &[m]));
                if report.full() {
                    break;
                }
                flawed.push(m.id);
            }
        }
        (report, flawed)
    });
    let mut flawed = Vec::new();
    for (found, ids) in found {
        report.absorb(found);
        flawed.extend(ids);
    }
    if report.full() {
        return;
    }
    if plan.demand.wormhole && plan.demand.fixed.is_none() {
        lengths(plan, &flawed, report);
    }
}

/// The vertices that a path has visited.
struct Visited {
    /// Number of the present path, from 1.
    number: usize,
    /// By vertex, the last path that visited it.
    last: Vec<usize>,
}

impl Visited {
    /// Whether the present path visits a vertex for the first time.
    fn is_new(&mut self, v: usize) -> bool {
        std::mem::replace(&mut self.last[v], self.number) != self.number
    }
}

/// What is wrong with the path of a transfer, apart from its length.
fn flaw(plan: &Plan<'_>, m: &Move<'_>, visited: &mut Visited) -> Option<Violation> {
    let g = &plan.graph;
    let wrong = |why: String| Violation::new(Rule::Path, why);
    // Nearly all of millions of hops: the channel from one vertex to another.
    if let &[c] = m.channels
        && !plan.demand.wormhole
        && g.closed.is_empty()
        && g.ends.get(c as usize) == Some(&(m.from, m.to))
        && m.from != m.to
    {
        return None;
    }
    let Some(&last) = m.channels.last() else {
        return Some(wrong("the path has no channels".into()));
    };
    if plan.demand.wormhole {
        if let Some(v) = [m.from, m.to].into_iter().find(|&v| !g.terminal[v]) {
            let name = plan.name(v);
            return Some(wrong(match plan.demand.idle.contains(&v) {
                true => format!("a transfer ends at '{name}', which takes no part"),
                false => format!("a transfer ends at the switch '{name}'"),
            }));
        }
    } else if m.channels.len() != 1 {
        let n = m.channels.len();
        return Some(wrong(format!("in store-and-forward a transfer has one channel, not {n}")));
    }
    let mut at = m.from;
    visited.number += 1;
    visited.is_new(at);
    for c in m.channels.iter().map(|&c| c as usize) {
        let Some(&(from, to)) = g.ends.get(c) else {
            let mut violation = wrong(format!("the network has only {} channels", g.ends.len()));
            violation.channel = Some(c);
            return Some(violation);
        };
        if g.closed.get(c) == Some(&true) {
            let why = "the channel is at a terminal that takes no part and does not relay";
            return Some(wrong(why.into()).on(g, c));
        }
        if from != at {
            let why = format!("the path is at '{}', the channel starts elsewhere", plan.name(at));
            return Some(wrong(why).on(g, c));
        }
        if !visited.is_new(to) {
            return Some(wrong(format!("the path visits '{}' twice", plan.name(to))).on(g, c));
        }
        if plan.demand.hosts && g.terminal[to] && c != last as usize {
            let why = format!("the path passes '{}', where the message must stop", plan.name(to));
            return Some(wrong(why).on(g, c));
        }
        at = to;
    }
    if at != m.to {
        let why = format!("the path ends at '{}', not at '{}'", plan.name(at), plan.name(m.to));
        return Some(wrong(why).on(g, last as usize));
    }
    None
}

/// Wormhole: every sound path against the distance of its ends.
fn lengths(plan: &Plan<'_>, flawed: &[usize], report: &mut Report) {
    let begin = || (Near::default(), Report::default());
    let found = each(plan, By::Start, begin, |(near, report), from, hops| {
        // No end of a path is farther away than the path is long.
        let Some(longest) = hops.iter().map(|hop| u64::from(hop.length)).max() else {
            return ControlFlow::Continue(());
        };
        plan.graph.distances_within(from, longest, near);
        for hop in hops {
            let (length, distance) = (u64::from(hop.length), near.distance[hop.to as usize]);
            if let Some(why) = too_long(plan, "the path", length, distance)
                && !flawed.contains(&hop.id)
            {
                report.add(Violation::new(Rule::Routing, why).by(plan, &[plan.at(hop.id)]));
            }
        }
        if report.full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found.into_iter().for_each(|(_, found)| report.absorb(found));
}
