//! Tori of three dimensions. Places without a node are left out, with their links.

use super::layout::Torus;
use crate::files::lines::short;
use crate::files::mistake::{Wrong, wrong};
use crate::{Network, NetworkBuilder, VertexId};
use std::collections::HashMap;

/// The network: nodes in the order of the file.
pub fn network(name: String, torus: Torus) -> Result<Network, Wrong> {
    let Torus { at, size, nodes } = torus;
    let mut net = NetworkBuilder::new(name);
    let mut places: HashMap<[u32; 3], VertexId> = HashMap::with_capacity(nodes.len());
    for (place, node) in &nodes {
        let [x, y, z] = place;
        if place.iter().zip(&size).any(|(at, size)| at >= size) {
            let why = format!("'{}' is at {x}, {y}, {z}, outside the torus", short(node));
            return wrong(at, why);
        }
        if places.insert(*place, net.terminal(node.as_str())).is_some() {
            return wrong(at, format!("a second node at {x}, {y}, {z}: '{}'", short(node)));
        }
    }
    for (place, _) in &nodes {
        for dimension in 0..3 {
            let length = size[dimension];
            let mut next = *place;
            next[dimension] = (next[dimension] + 1) % length;
            // A dimension of size 2 has one link between its two places.
            let closes = next[dimension] == 0;
            let linked = length > 1 && !(closes && length == 2);
            if let Some(&other) = places.get(&next).filter(|_| linked) {
                net.duplex(places[place], other);
            }
        }
    }
    net.build().map_err(|e| Wrong { at, why: e.to_string() })
}
