//! Candidate orders of the terminals; often one is a conflict-free cycle already, or nearly.

use ccsched_network::{Network, VertexId};

/// Candidates, each a permutation of the indices of `members`.
pub fn candidates(network: &Network, members: &[VertexId]) -> [Vec<usize>; 3] {
    let numbers = (0..members.len()).collect();
    let of = |order: Vec<VertexId>| {
        let index = |v: VertexId| members.binary_search(&v).ok();
        order.into_iter().filter_map(index).collect()
    };
    [
        of(along_breadth_first_tree(network, members[0])),
        of(depth_first(network, members[0])),
        numbers,
    ]
}

/// Vertices in depth-first order.
fn depth_first(network: &Network, from: VertexId) -> Vec<VertexId> {
    let mut seen = vec![false; network.vertices().len()];
    let mut order = Vec::new();
    let mut stack = vec![from];
    while let Some(v) = stack.pop() {
        if std::mem::replace(&mut seen[v as usize], true) {
            continue;
        }
        order.push(v);
        stack.extend(network.heads(v).rev());
    }
    order
}

/// Vertices in depth-first order of the tree of shortest paths from `from`. Terminals at the same
/// switch stay together; in a depth-first search of a network with cycles they may not.
fn along_breadth_first_tree(network: &Network, from: VertexId) -> Vec<VertexId> {
    let mut children = vec![Vec::new(); network.vertices().len()];
    let mut seen = vec![false; network.vertices().len()];
    seen[from as usize] = true;
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(&v) = queue.get(next) {
        next += 1;
        for to in network.heads(v) {
            if !std::mem::replace(&mut seen[to as usize], true) {
                children[v as usize].push(to);
                queue.push(to);
            }
        }
    }
    let mut order = Vec::new();
    let mut stack = vec![from];
    while let Some(v) = stack.pop() {
        order.push(v);
        stack.extend(children[v as usize].iter().rev());
    }
    order
}
