//! Hosts that store while switches cut through: on many networks this is one of the other switchings.
//! Without switches a message stops at every vertex. Where no path between terminals passes a
//! terminal, it stops nowhere.

use super::{Demand, Routing, Switching};
use ccsched_network::metrics::{UNREACHABLE, distances_from};
use ccsched_network::{ChannelId, Network, VertexId};

/// The switching that a network has if its hosts store and its switches cut through. `route` is the
/// fixed route of a demand.
pub(super) fn equivalent<'r>(
    network: &Network,
    routing: Routing,
    demands: &[Demand],
    route: impl Fn(&Demand) -> Option<&'r [ChannelId]>,
) -> Switching {
    let is_used = |v: VertexId| !(network.outgoing(v).is_empty() && network.incoming(v).is_empty());
    if !(0..).zip(network.vertices()).any(|(v, vertex)| !vertex.terminal && is_used(v)) {
        return Switching::StoreAndForward;
    }
    let passes = match routing {
        _ if !network.terminals().any(|v| may_be_passed(network, v)) => false,
        Routing::Minimal => network.terminals().any(|from| passes_terminal(network, from)),
        Routing::Slack(_) | Routing::Any => true,
        Routing::Static | Routing::Lgl | Routing::Table(_) => demands.iter().any(|d| {
            let path = route(d).unwrap_or_default();
            path.iter().skip(1).any(|&c| network.is_terminal(network.channel(c).from))
        }),
    };
    if passes { Switching::Hosts } else { Switching::Wormhole }
}

/// Whether a simple path can pass a vertex: it has two neighbours or more.
fn may_be_passed(network: &Network, v: VertexId) -> bool {
    let into = network.incoming(v).iter().map(|&c| network.channel(c).from);
    let mut neighbours = network.heads(v).chain(into);
    let first = neighbours.next();
    neighbours.any(|other| Some(other) != first)
}

/// Whether a shortest path from a terminal to another one passes a third.
fn passes_terminal(network: &Network, from: VertexId) -> bool {
    let distance = distances_from(network, from);
    let mut order: Vec<VertexId> = (0..distance.len() as VertexId).collect();
    order.retain(|&v| distance[v as usize] != UNREACHABLE);
    order.sort_by_key(|&v| distance[v as usize]);
    // By vertex, whether a shortest path to it passes a terminal.
    let mut passes = vec![false; distance.len()];
    for v in order.into_iter().filter(|&v| v != from) {
        let before = network.incoming(v).iter().map(|&c| network.channel(c).from);
        let near = |&u: &VertexId| distance[u as usize].saturating_add(1) == distance[v as usize];
        let through = |u: VertexId| passes[u as usize] || (u != from && network.is_terminal(u));
        passes[v as usize] = before.filter(near).any(through);
        if passes[v as usize] && network.is_terminal(v) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Collective, Request};
    use ccsched_network::spec;

    #[test]
    fn switching_of_hosts_is_another_where_all_paths_are_alike() {
        use Switching::{Hosts, StoreAndForward, Wormhole};
        let slack = Routing::Slack(1);
        for (name, routing, right) in [
            ("ring:5", Routing::Minimal, StoreAndForward),
            ("dgx1", slack, StoreAndForward),
            ("fat-tree:8", slack, Wormhole),
            ("dgx-a100:2", Routing::Minimal, Wormhole),
            ("dgx-a100:2", slack, Hosts),
            ("dgx1:2", Routing::Minimal, Hosts),
            ("rail:2,4,4", Routing::Minimal, Hosts),
            ("swiss-t1", Routing::Static, Wormhole),
        ] {
            let request = Request { switching: Hosts, routing, ..Request::new(Collective::Aas) };
            let problem = request.pose(spec::parse(name).unwrap(), vec![]).unwrap();
            assert_eq!(problem.switching(), right, "{name}");
            assert_eq!(problem.asked_switching(), Hosts);
        }
    }
}
