//! `updown`: up*/down* routing (Schroeder and others, "Autonet: a high-speed, self-configuring local
//! area network using point-to-point links", 1991). A channel leads up if its end is nearer to the
//! root, or as near and of smaller number. A route goes up first and then down, so the dependencies of
//! channels have no cycle and wormhole switching no deadlock. Among the shortest such routes the
//! pairs choose those that balance the loads.

use super::ways::Ways;
use super::{Flow, Found, balance};
use crate::network::metrics::{UNREACHABLE, distances_from};
use crate::network::{Network, VertexId};

/// The routes.
pub(super) fn routes(network: &Network, flows: &[Flow]) -> Result<Found, String> {
    let root = centre(network);
    let level = distances_from(network, root);
    let place = |v: VertexId| (level[v as usize], v);
    let up = network.channels().iter().map(|c| place(c.to) < place(c.from)).collect();
    let mut ways = Ways::new(network, Some(up));
    let found = balance::balance(network, &mut ways, flows).map_err(|flow| {
        let [from, to, root] = [flow.from, flow.to, root].map(|v| network.vertex_name(v));
        format!(
            "updown needs links of two directions: from '{from}' no route up towards '{root}' and \
             then down leads to '{to}'; balanced works on one-way links"
        )
    })?;
    Ok(found.0)
}

/// The vertex, a switch if there are any, from which the farthest vertex is nearest; of several the
/// one with the smallest sum of distances, then the first.
fn centre(network: &Network) -> VertexId {
    let all = 0..network.vertices().len() as VertexId;
    let has_switches = all.clone().any(|v| !network.is_terminal(v));
    let spread = |&v: &VertexId| {
        let distances = distances_from(network, v);
        let sum: u64 = distances.iter().map(|&d| u64::from(d)).sum();
        (distances.iter().copied().max().unwrap_or(UNREACHABLE), sum)
    };
    all.filter(|&v| !has_switches || !network.is_terminal(v)).min_by_key(spread).unwrap_or(0)
}
