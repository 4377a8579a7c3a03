//! Rules "path" and "routing": the channels of a transfer are a simple path from its start to its
//! end, and no longer than the routing allows.

use super::graph::FAR;
use super::plan::{Move, Plan};
use super::traffic::Fixed;
use super::violation::{Report, Rule, Violation};
use std::collections::{HashMap, HashSet};

/// Checks every path; with wormhole switching also its length.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    let mut sound = Vec::new();
    for m in &plan.moves {
        match flaw(plan, m) {
            None => sound.push(m),
            Some(violation) => report.add(violation.by(&[m])),
        }
    }
    match &plan.demand.fixed {
        Some(fixed) => follow(plan, fixed, report),
        None if plan.demand.wormhole => lengths(plan, sound, report),
        None if !plan.demand.broadcast => journeys(plan, report),
        None => {}
    }
}

/// What is wrong with the path of a transfer, apart from its length.
fn flaw(plan: &Plan<'_>, m: &Move<'_>) -> Option<Violation> {
    let g = &plan.graph;
    let wrong = |why: String| Violation::new(Rule::Path, why);
    let channels = &m.record.channels;
    if channels.is_empty() {
        return Some(wrong("the path has no channels".into()));
    }
    if plan.demand.wormhole {
        if let Some(v) = [m.from, m.to].into_iter().find(|&v| !g.terminal[v]) {
            return Some(wrong(format!("a transfer ends at the switch '{}'", plan.name(v))));
        }
    } else if channels.len() != 1 {
        let n = channels.len();
        return Some(wrong(format!("in store-and-forward a transfer has one channel, not {n}")));
    }
    let mut at = m.from;
    let mut seen = HashSet::from([at]);
    for &c in channels {
        let Some(&(from, to)) = g.ends.get(c) else {
            let mut violation = wrong(format!("the network has only {} channels", g.ends.len()));
            violation.channel = Some(c);
            return Some(violation);
        };
        if from != at {
            let why = format!("the path is at '{}', the channel starts elsewhere", plan.name(at));
            return Some(wrong(why).on(g, c));
        }
        if !seen.insert(to) {
            return Some(wrong(format!("the path visits '{}' twice", plan.name(to))).on(g, c));
        }
        at = to;
    }
    if at != m.to {
        let why = format!("the path ends at '{}', not at '{}'", plan.name(at), plan.name(m.to));
        return Some(wrong(why).on(g, channels[channels.len() - 1]));
    }
    None
}

/// Wormhole: every path against the distance of its ends.
fn lengths(plan: &Plan<'_>, mut moves: Vec<&Move<'_>>, report: &mut Report) {
    moves.sort_by_key(|m| m.from);
    for group in moves.chunk_by(|a, b| a.from == b.from) {
        let distance = plan.graph.distances_from(group[0].from);
        for m in group {
            let length = m.record.channels.len() as u64;
            if let Some(why) = too_long(plan, "the path", length, distance[m.to]) {
                report.add(Violation::new(Rule::Routing, why).by(&[m]));
            }
        }
        if report.full() {
            return;
        }
    }
}

/// Store-and-forward scatters: all hops of a message against the distance it has to go.
fn journeys(plan: &Plan<'_>, report: &mut Report) {
    let hops = by_message(plan);
    for group in hops.chunk_by(|a, b| a.0.0 == b.0.0) {
        let distance = plan.graph.distances_from(group[0].0.0);
        for ((_, d, _), moves) in group {
            // A message to an unreachable destination violates another rule.
            if distance[*d] == FAR {
                continue;
            }
            if let Some(why) = too_long(plan, "the journey", moves.len() as u64, distance[*d]) {
                let why = format!("{}: {why}", plan.message(moves[0]));
                let last = moves[moves.len() - 1];
                report.add(Violation::new(Rule::Routing, why).by(&[last]));
            }
        }
        if report.full() {
            return;
        }
    }
}

/// The transfers of every message (source, destination, copy) of a scatter, step by step.
fn by_message<'p, 'a>(plan: &'p Plan<'a>) -> Vec<(Message, Vec<&'p Move<'a>>)> {
    let mut hops: HashMap<Message, Vec<&Move<'_>>> = HashMap::new();
    for m in &plan.moves {
        if let Some(d) = m.destination {
            hops.entry((m.source, d, m.copy)).or_default().push(m);
        }
    }
    let mut hops: Vec<_> = hops.into_iter().collect();
    hops.sort_by_key(|&(message, _)| message);
    hops
}

/// Source, destination, copy.
type Message = (usize, usize, u32);

/// Fixed routes: every message takes the route of its pair, channel by channel.
fn follow(plan: &Plan<'_>, fixed: &Fixed, report: &mut Report) {
    for ((s, d, _), moves) in by_message(plan) {
        // In wormhole networks a transfer is the whole path, even if there are too many transfers.
        let moves = if plan.demand.wormhole { &moves[..1] } else { &moves[..] };
        let taken: Vec<usize> =
            moves.iter().flat_map(|m| m.record.channels.iter().copied()).collect();
        let route = fixed.route(&plan.graph, s, d).unwrap_or_default();
        if taken != route {
            let name = fixed.name();
            let why = format!("the {name} route of this pair is {route:?}, not {taken:?}");
            report.add(Violation::new(Rule::Routing, why).by(&moves[..1]));
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
