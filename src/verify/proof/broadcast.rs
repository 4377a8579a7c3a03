//! The clauses of broadcasts: what a vertex has, and how it comes there.

use super::allowed::{Allowed, Literal};
use super::resources::{all, link, of_hop, receive_port, send_port};
use crate::graph::FAR;
use crate::plan::Plan;
use std::collections::HashMap;

/// By name of a resource, the literals of its uses in a step.
type Users = HashMap<String, Vec<Literal>>;

/// The message of a source, or a piece of it: by vertex and number of steps made, whether the vertex
/// has it.
struct Message {
    source: usize,
    /// Its name in the map of variables: the source, if messages are not cut.
    number: usize,
    has: Vec<Vec<Literal>>,
}

/// Allows all clauses that hold for schedules of `steps` steps.
pub(super) fn allow(plan: &Plan<'_>, steps: u32, allowed: &mut Allowed<'_>) {
    let sources = (0..plan.graph.len()).filter(|&v| plan.demand.destinations(v) > 0);
    let pieces = plan.demand.pieces as usize;
    let all_pieces =
        sources.flat_map(|source| (0..pieces).map(move |p| (source, source * pieces + p)));
    let messages: Vec<Message> =
        all_pieces.map(|piece| knowledge(plan, piece, steps as usize, allowed)).collect();
    let capacities = all(plan);
    for step in 0..steps as usize {
        let mut users = Users::new();
        for message in &messages {
            for v in 0..plan.graph.len() {
                if plan.demand.wormhole {
                    allow_delivery(plan, message, (v, step), &mut users, allowed);
                } else {
                    allow_crossings(plan, message, (v, step), &mut users, allowed);
                }
            }
        }
        for (name, capacity) in &capacities {
            let users = users.remove(name).unwrap_or_default();
            allowed.at_most(*capacity as usize, &users, &format!("users {name} {step}"));
        }
    }
}

/// A vertex keeps what it has; in the end all receivers have it. With store-and-forward switching a
/// message advances by one channel a step; with wormhole switching only terminals have messages.
fn knowledge(
    plan: &Plan<'_>,
    (source, number): (usize, usize),
    steps: usize,
    allowed: &mut Allowed<'_>,
) -> Message {
    let distance = plan.graph.distances_from(source);
    let mut has = Vec::new();
    for (v, &distance) in distance.iter().enumerate() {
        let can = |made: usize| match plan.demand.wormhole {
            true => made > 0 && plan.graph.terminal[v],
            false => made > 0 && distance <= made as u64,
        };
        let mut line = Vec::new();
        for made in 0..=steps {
            line.push(match (v == source, can(made)) {
                (true, _) => allowed.yes,
                (_, true) => allowed.literal(&format!("has {number} {v} {made}")),
                _ => allowed.no(),
            });
        }
        line.windows(2).for_each(|pair| allowed.implies(pair[0], &[pair[1]]));
        if plan.demand.asks(source, v) {
            allowed.any(&[line[steps]]);
        }
        has.push(line);
    }
    Message { source, number, has }
}

/// Store-and-forward: a vertex has a message by a channel from a vertex that had it before, and
/// receives it once.
fn allow_crossings(
    plan: &Plan<'_>,
    message: &Message,
    (v, step): (usize, usize),
    users: &mut Users,
    allowed: &mut Allowed<'_>,
) {
    let source = message.number;
    let (before, after) = (message.has[v][step], message.has[v][step + 1]);
    if before == allowed.yes || after == allowed.no() {
        return;
    }
    let mut ways = Vec::new();
    for &c in &plan.graph.incoming[v] {
        let from = message.has[plan.graph.ends[c].0][step];
        if from == allowed.no() {
            continue;
        }
        let crosses = allowed.literal(&format!("crosses {source} {c} {step}"));
        allowed.implies(crosses, &[from]);
        allowed.implies(crosses, &[-before]);
        allowed.implies(crosses, &[after]);
        for name in of_hop(plan, c) {
            users.entry(name).or_default().push(crosses);
        }
        ways.push(crosses);
    }
    allowed.at_most(1, &ways, &format!("ways {source} {v} {step}"));
    ways.push(before);
    allowed.implies(after, &ways);
}

/// Wormhole: a terminal has a message by a path from a terminal that had it before, and receives it
/// once. With unlimited ports no path needs to pass through a terminal that had it.
fn allow_delivery(
    plan: &Plan<'_>,
    message: &Message,
    (v, step): (usize, usize),
    users: &mut Users,
    allowed: &mut Allowed<'_>,
) {
    let (graph, source) = (&plan.graph, message.number);
    if !graph.terminal[v] || v == message.source {
        return;
    }
    let (before, after) = (message.has[v][step], message.has[v][step + 1]);
    let comes = allowed.literal(&format!("comes {source} {v} {step}"));
    allowed.implies(comes, &[-before]);
    allowed.implies(comes, &[after]);
    allowed.implies(after, &[before, comes]);
    if let Some(port) = receive_port(plan, v) {
        users.entry(port).or_default().push(comes);
    }
    let channels = toward(plan, v);
    let mut uses = HashMap::new();
    for &c in &channels {
        let literal = allowed.literal(&format!("uses {source} {v} {step} {c}"));
        uses.insert(c, literal);
        users.entry(link(plan, c)).or_default().push(literal);
        allowed.implies(literal, &[comes]);
        let to = graph.ends[c].1;
        if plan.demand.ports.is_none() && to != v {
            allowed.implies(literal, &[-message.has[to][step]]);
        }
    }
    let into = |u: usize| -> Vec<Literal> {
        graph.incoming[u].iter().filter_map(|c| uses.get(c).copied()).collect()
    };
    allowed.implies(comes, &into(v));
    let mut begins = HashMap::new();
    for &c in &channels {
        let from = graph.ends[c].0;
        let has = message.has[from][step];
        let begin = *begins.entry(from).or_insert_with(|| match send_port(plan, from) {
            Some(port) if has != allowed.no() => {
                let literal = allowed.literal(&format!("begins {source} {v} {step} {from}"));
                allowed.implies(literal, &[has]);
                users.entry(port).or_default().push(literal);
                literal
            }
            _ => has,
        });
        let mut ways = into(from);
        ways.push(begin);
        allowed.implies(uses[&c], &ways);
    }
}

/// The channels of paths to a vertex: each leads nearer, or is part of a detour that is allowed. With
/// hosts switching none leads to another terminal.
fn toward(plan: &Plan<'_>, v: usize) -> Vec<usize> {
    let distance = plan.graph.distances_to(v);
    let leads = |&c: &usize| {
        let (from, to) = plan.graph.ends[c];
        let most = distance[from].saturating_add(plan.demand.slack);
        let passes = to == v || !plan.demand.hosts || !plan.graph.terminal[to];
        from != v && passes && distance[to] != FAR && distance[to] < most
    };
    (0..plan.graph.ends.len()).filter(leads).collect()
}
