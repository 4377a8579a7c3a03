//! Blocks and rings of nodes. A block is a switch with its nodes; a switch `blocks` joins several.
//! The nodes of a ring are linked in their order, the last to the first.

use super::layout::Group;
use super::tree::{link, width};
use crate::files::Uplinks;
use crate::files::lines::short;
use crate::files::mistake::{Wrong, wrong};
use crate::{Network, NetworkBuilder, VertexId};
use std::collections::HashSet;

/// The network of blocks: nodes, then blocks, then the switch above them.
pub fn blocks(
    name: String,
    blocks: Vec<Group>,
    uplinks: Option<Uplinks>,
) -> Result<Network, Wrong> {
    let mut used: HashSet<&str> = HashSet::new();
    for Group { at, name, nodes } in &blocks {
        if let Some(twice) = nodes.iter().chain([name]).find(|name| !used.insert(name)) {
            return wrong(*at, format!("'{}' has already been defined", short(twice)));
        }
    }
    let mut net = NetworkBuilder::new(name);
    let mut nodes: Vec<Vec<VertexId>> = Vec::new();
    for block in &blocks {
        nodes.push(block.nodes.iter().map(|node| net.terminal(node.as_str())).collect());
    }
    let switches: Vec<VertexId> =
        blocks.iter().map(|block| net.switch(block.name.as_str())).collect();
    let mut top = String::from("blocks");
    while used.contains(top.as_str()) {
        top.push('\'');
    }
    let top = (blocks.len() > 1).then(|| net.switch(top));
    for (nodes, switch) in nodes.into_iter().zip(switches) {
        nodes.iter().for_each(|&node| net.duplex(node, switch));
        if let Some(top) = top {
            link(&mut net, switch, top, width(uplinks, nodes.len(), 1));
        }
    }
    net.build().map_err(|e| Wrong { at: 0, why: e.to_string() })
}

/// The network of a ring.
pub fn ring(name: String, ring: Group) -> Result<Network, Wrong> {
    let at = ring.at;
    let mut net = NetworkBuilder::new(name);
    let nodes: Vec<VertexId> = ring.nodes.into_iter().map(|node| net.terminal(node)).collect();
    for (i, &node) in nodes.iter().enumerate() {
        let next = nodes[(i + 1) % nodes.len()];
        // Two nodes have one link.
        if node != next && (i + 1 < nodes.len() || nodes.len() > 2) {
            net.duplex(node, next);
        }
    }
    net.build().map_err(|e| Wrong { at, why: e.to_string() })
}
