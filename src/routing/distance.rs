//! Distances in channels, by breadth-first search.

use crate::network::{Network, VertexId};

/// Distance of a vertex that cannot be reached.
pub const UNREACHABLE: u32 = u32::MAX;

/// Distance from `source` to every vertex.
pub fn distances_from(network: &Network, source: VertexId) -> Vec<u32> {
    search(network, source, |v| network.outgoing(v), |c| network.channel(c).to)
}

/// Distance from every vertex to `target`.
pub fn distances_to(network: &Network, target: VertexId) -> Vec<u32> {
    search(network, target, |v| network.incoming(v), |c| network.channel(c).from)
}

fn search<'a>(
    network: &Network,
    start: VertexId,
    channels: impl Fn(VertexId) -> &'a [u32],
    other_end: impl Fn(u32) -> VertexId,
) -> Vec<u32> {
    let mut distance = vec![UNREACHABLE; network.vertices().len()];
    distance[start as usize] = 0;
    let mut queue = vec![start];
    let mut head = 0;
    while let Some(&v) = queue.get(head) {
        head += 1;
        for &c in channels(v) {
            let w = other_end(c);
            if distance[w as usize] == UNREACHABLE {
                distance[w as usize] = distance[v as usize] + 1;
                queue.push(w);
            }
        }
    }
    distance
}
