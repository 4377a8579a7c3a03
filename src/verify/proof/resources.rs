//! What transfers of one step compete for, by name: `link:C` by the first channel of a link,
//! `send:V` and `receive:V` by the vertex of a port that can bind.

use crate::plan::Plan;

/// The name of the link of a channel.
pub(super) fn link(plan: &Plan<'_>, c: usize) -> String {
    format!("link:{}", plan.graph.excludes[c].map_or(c, |other| other.min(c)))
}

/// The name of a vertex's port for sending, if it can bind.
pub(super) fn send_port(plan: &Plan<'_>, v: usize) -> Option<String> {
    binds(plan, v, &plan.graph.outgoing[v]).then(|| format!("send:{v}"))
}

/// The name of a vertex's port for receiving, if it can bind.
pub(super) fn receive_port(plan: &Plan<'_>, v: usize) -> Option<String> {
    binds(plan, v, &plan.graph.incoming[v]).then(|| format!("receive:{v}"))
}

/// A limit binds at a terminal whose channels carry more.
fn binds(plan: &Plan<'_>, v: usize, channels: &[usize]) -> bool {
    let carried = plan.graph.carried(channels.iter().copied());
    plan.graph.terminal[v] && plan.demand.ports.is_some_and(|limit| limit < carried)
}

/// The resources of a hop: its link; with store-and-forward switching also the ports at its ends.
pub(super) fn of_hop(plan: &Plan<'_>, c: usize) -> Vec<String> {
    let (from, to) = plan.graph.ends[c];
    let ports = match plan.demand.wormhole {
        true => [None, None],
        false => [send_port(plan, from), receive_port(plan, to)],
    };
    [Some(link(plan, c))].into_iter().chain(ports).flatten().collect()
}

/// All resources that can be used, with their capacities.
pub(super) fn all(plan: &Plan<'_>) -> Vec<(String, u64)> {
    let graph = &plan.graph;
    let mut all = Vec::new();
    for c in 0..graph.ends.len() {
        if graph.excludes[c].is_none_or(|other| c < other) {
            all.push((link(plan, c), graph.capacity[c]));
        }
    }
    let limit = plan.demand.ports.unwrap_or(u64::MAX);
    for v in 0..graph.len() {
        all.extend(send_port(plan, v).map(|name| (name, limit)));
        all.extend(receive_port(plan, v).map(|name| (name, limit)));
    }
    all
}
