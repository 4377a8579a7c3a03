//! Rules "path" and "routing": the channels of a transfer are a simple path from its start to its
//! end, and no longer than the routing allows.

use super::graph::{FAR, Near};
use super::groups::{By, by_message, each};
use super::plan::{Move, Plan};
use super::traffic::Fixed;
use super::violation::{Report, Rule, Violation};
use std::ops::ControlFlow;

/// Checks every path; with wormhole switching also its length.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    let mut visited = Visited { number: 0, last: vec![0; plan.graph.len()] };
    let mut flawed = Vec::new();
    for m in plan.moves(plan.all()) {
        if let Some(violation) = flaw(plan, &m, &mut visited) {
            report.add(violation.by(plan, &[m]));
            if report.full() {
                return;
            }
            flawed.push(m.id);
        }
    }
    match &plan.demand.fixed {
        Some(fixed) => follow(plan, fixed, report),
        None if plan.demand.wormhole => lengths(plan, &flawed, report),
        None if !plan.demand.broadcast => journeys(plan, report),
        None => {}
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
    let Some(&last) = m.channels.last() else {
        return Some(wrong("the path has no channels".into()));
    };
    if plan.demand.wormhole {
        if let Some(v) = [m.from, m.to].into_iter().find(|&v| !g.terminal[v]) {
            return Some(wrong(format!("a transfer ends at the switch '{}'", plan.name(v))));
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
        if from != at {
            let why = format!("the path is at '{}', the channel starts elsewhere", plan.name(at));
            return Some(wrong(why).on(g, c));
        }
        if !visited.is_new(to) {
            return Some(wrong(format!("the path visits '{}' twice", plan.name(to))).on(g, c));
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
    let mut near = Near::default();
    each(plan, By::Start, |from, hops| {
        // No end of a path is farther away than the path is long.
        let Some(longest) = hops.iter().map(|hop| u64::from(hop.length)).max() else {
            return ControlFlow::Continue(());
        };
        plan.graph.distances_within(from, longest, &mut near);
        for hop in hops {
            let (length, distance) = (u64::from(hop.length), near.distance[hop.to as usize]);
            if let Some(why) = too_long(plan, "the path", length, distance)
                && !flawed.contains(&hop.id)
            {
                report.add(Violation::new(Rule::Routing, why).by(plan, &[plan.at(hop.id)]));
            }
        }
        on_unless_full(report)
    });
}

/// Store-and-forward scatters: all hops of a message against the distance it has to go.
fn journeys(plan: &Plan<'_>, report: &mut Report) {
    each(plan, By::Source, |source, hops| {
        if hops.is_empty() {
            return ControlFlow::Continue(());
        }
        let distance = plan.graph.distances_from(source);
        for hops in by_message(hops) {
            let (first, last) = (hops[0], hops[hops.len() - 1]);
            let distance = distance[first.destination as usize];
            // A message to an unreachable destination violates another rule.
            if distance == FAR {
                continue;
            }
            if let Some(why) = too_long(plan, "the journey", hops.len() as u64, distance) {
                let why = format!("{}: {why}", plan.message(&plan.at(first.id)));
                report.add(Violation::new(Rule::Routing, why).by(plan, &[plan.at(last.id)]));
            }
        }
        on_unless_full(report)
    });
}

/// Fixed routes: every message takes the route of its pair, channel by channel.
fn follow(plan: &Plan<'_>, fixed: &Fixed, report: &mut Report) {
    each(plan, By::Source, |source, hops| {
        for hops in by_message(hops) {
            // In wormhole networks a transfer is the whole path, even if there are too many
            // transfers.
            let hops = if plan.demand.wormhole { &hops[..1] } else { hops };
            let taken = hops.iter().flat_map(|hop| plan.at(hop.id).channels);
            let destination = hops[0].destination as usize;
            let route = fixed.route(&plan.graph, source, destination).unwrap_or_default();
            if !taken.clone().map(|&c| c as usize).eq(route.iter().copied()) {
                let (name, taken) = (fixed.name(), taken.collect::<Vec<_>>());
                let why = format!("the {name} route of this pair is {route:?}, not {taken:?}");
                let first = plan.at(hops[0].id);
                report.add(Violation::new(Rule::Routing, why).by(plan, &[first]));
            }
        }
        on_unless_full(report)
    });
}

fn on_unless_full(report: &Report) -> ControlFlow<()> {
    if report.full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn too_long(plan: &Plan<'_>, what: &str, length: u64, distance: u64) -> Option<String> {
    let most = distance.saturating_add(plan.demand.slack);
    (length > most).then(|| match plan.demand.slack {
        0 => format!("{what} has {length} channels, the shortest {distance}"),
        s => format!("{what} has {length} channels, more than the shortest, {distance}, plus {s}"),
    })
}
