//! Parts of a network that nothing joins. No message gets from one to the other, and often a line of the
//! file is missing.

use super::Notices;
use crate::{Network, VertexId};

/// Warns of unconnected parts, with the names of some vertices outside the largest.
pub(super) fn tell(network: &Network, notices: &Notices) {
    let n = network.vertices().len();
    let mut part: Vec<u32> = vec![u32::MAX; n];
    let mut sizes: Vec<usize> = Vec::new();
    let mut open: Vec<VertexId> = Vec::new();
    for start in 0..n {
        if part[start] != u32::MAX {
            continue;
        }
        let id = sizes.len() as u32;
        part[start] = id;
        sizes.push(0);
        open.push(start as VertexId);
        while let Some(v) = open.pop() {
            sizes[id as usize] += 1;
            let out = network.outgoing(v).iter().map(|&c| network.channel(c).to);
            let into = network.incoming(v).iter().map(|&c| network.channel(c).from);
            for next in out.chain(into) {
                if part[next as usize] == u32::MAX {
                    part[next as usize] = id;
                    open.push(next);
                }
            }
        }
    }
    // A reader may know better what is apart.
    if sizes.len() < 2 || notices.has("apart") {
        return;
    }
    let largest = (0..sizes.len()).rev().max_by_key(|&id| sizes[id]).unwrap_or(0);
    notices.add("apart", 0, || {
        let outside = |v: &VertexId| part[*v as usize] != largest as u32;
        let outside: Vec<VertexId> = (0..n as VertexId).filter(outside).collect();
        let hosts = outside.iter().filter(|&&v| network.is_terminal(v)).count();
        format!(
            "nothing joins the {} parts of this network; outside the largest, of {} vertices, are {hosts} \
             terminals and {} switches: {}",
            sizes.len(),
            sizes[largest],
            outside.len() - hosts,
            network.some_names(&outside)
        )
    });
}
