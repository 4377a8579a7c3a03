//! Rules "path" and "routing": the channels of a transfer are a simple path from its start to its
//! end, and no longer than the routing allows.

use super::graph::FAR;
use super::groups::{Groups, Hop, by_message, is_same};
use super::plan::{Move, Plan};
use super::traffic::Fixed;
use super::violation::{Report, Rule, Violation};

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
    for (from, group) in Groups::by(plan, |m| m.from).iter() {
        let distance = plan.graph.distances_from(from);
        for &id in group {
            let m = plan.at(id);
            let length = m.channels.len() as u64;
            if let Some(why) = too_long(plan, "the path", length, distance[m.to])
                && !flawed.contains(&id)
            {
                report.add(Violation::new(Rule::Routing, why).by(plan, &[m]));
            }
        }
        if report.full() {
            return;
        }
    }
}

/// Store-and-forward scatters: all hops of a message against the distance it has to go.
fn journeys(plan: &Plan<'_>, report: &mut Report) {
    let mut hops: Vec<Hop> = Vec::new();
    for (source, group) in Groups::by(plan, |m| m.source).iter() {
        let distance = plan.graph.distances_from(source);
        by_message(plan, group, &mut hops);
        for hops in hops.chunk_by(is_same) {
            let ((destination, ..), (.., last)) = (hops[0], hops[hops.len() - 1]);
            // A message to an unreachable destination violates another rule.
            if distance[destination] == FAR {
                continue;
            }
            let length = hops.len() as u64;
            if let Some(why) = too_long(plan, "the journey", length, distance[destination]) {
                let why = format!("{}: {why}", plan.message(&plan.at(hops[0].2)));
                report.add(Violation::new(Rule::Routing, why).by(plan, &[plan.at(last)]));
            }
        }
        if report.full() {
            return;
        }
    }
}

/// Fixed routes: every message takes the route of its pair, channel by channel.
fn follow(plan: &Plan<'_>, fixed: &Fixed, report: &mut Report) {
    let mut hops: Vec<Hop> = Vec::new();
    for (source, group) in Groups::by(plan, |m| m.source).iter() {
        by_message(plan, group, &mut hops);
        for hops in hops.chunk_by(is_same) {
            // In wormhole networks a transfer is the whole path, even if there are too many
            // transfers.
            let hops = if plan.demand.wormhole { &hops[..1] } else { hops };
            let first = plan.at(hops[0].2);
            let taken = hops.iter().flat_map(|&(.., id)| plan.at(id).channels);
            let route = fixed.route(&plan.graph, source, hops[0].0).unwrap_or_default();
            if !taken.clone().map(|&c| c as usize).eq(route.iter().copied()) {
                let (name, taken) = (fixed.name(), taken.collect::<Vec<_>>());
                let why = format!("the {name} route of this pair is {route:?}, not {taken:?}");
                report.add(Violation::new(Rule::Routing, why).by(plan, &[first]));
            }
        }
        if report.full() {
            return;
        }
    }
}

fn too_long(plan: &Plan<'_>, what: &str, length: u64, distance: u64) -> Option<String> {
    let most = distance.saturating_add(plan.demand.slack);
    (length > most).then(|| match plan.demand.slack {
        0 => format!("{what} has {length} channels, the shortest {distance}"),
        s => format!("{what} has {length} channels, more than the shortest, {distance}, plus {s}"),
    })
}
