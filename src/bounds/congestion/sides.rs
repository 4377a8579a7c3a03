//! The two sides of a cut, from the channels that cross it.

use ccsched_network::{ChannelId, Network, VertexId};

/// The smallest sending side and the smallest receiving side of a cut whose channels are exactly
/// those with weight.
pub fn directed_sides(
    network: &Network,
    has_weight: impl Fn(ChannelId) -> bool,
) -> Option<(Vec<VertexId>, Vec<VertexId>)> {
    let heavy = || (0..).zip(network.channels()).filter(|&(id, _)| has_weight(id));
    // A channel without weight does not cross the cut: if it starts on the sending side it ends
    // there, and if it ends on the receiving side it starts there.
    let ahead = |v: VertexId| {
        let light = network.outgoing(v).iter().filter(|&&c| !has_weight(c));
        light.map(|&c| network.channel(c).to).collect()
    };
    let behind = |v: VertexId| {
        let light = network.incoming(v).iter().filter(|&&c| !has_weight(c));
        light.map(|&c| network.channel(c).from).collect()
    };
    let n = network.vertices().len();
    let sending = closure(n, heavy().map(|(_, c)| c.from), ahead);
    if heavy().any(|(_, c)| sending[c.to as usize]) {
        return None;
    }
    let receiving = closure(n, heavy().map(|(_, c)| c.to), behind);
    Some((members(&sending), members(&receiving)))
}

/// The two sides of the cut whose half-duplex links are exactly those with weight: links without
/// weight join vertices of one side, links with weight join the two sides.
pub fn two_sides(
    network: &Network,
    has_weight: impl Fn(ChannelId) -> bool,
) -> Option<(Vec<VertexId>, Vec<VertexId>)> {
    let n = network.vertices().len() as VertexId;
    let mut side: Vec<Option<bool>> = vec![None; n as usize];
    for start in 0..n {
        if side[start as usize].is_some() {
            continue;
        }
        side[start as usize] = Some(true);
        let mut open = vec![start];
        while let Some(v) = open.pop() {
            let here = side[v as usize]?;
            let out = network.outgoing(v).iter().map(|&c| (c, network.channel(c).to));
            let into = network.incoming(v).iter().map(|&c| (c, network.channel(c).from));
            for (c, u) in out.chain(into) {
                let there = here != has_weight(c);
                match side[u as usize] {
                    None => {
                        side[u as usize] = Some(there);
                        open.push(u);
                    }
                    Some(known) if known != there => return None,
                    Some(_) => {}
                }
            }
        }
    }
    let on = |which: bool| (0..n).filter(|&v| side[v as usize] == Some(which)).collect();
    Some((on(true), on(false)))
}

/// All vertices that are reachable from `start`.
fn closure(
    n: usize,
    start: impl Iterator<Item = VertexId>,
    next: impl Fn(VertexId) -> Vec<VertexId>,
) -> Vec<bool> {
    let mut inside = vec![false; n];
    let mut open: Vec<VertexId> = start.collect();
    while let Some(v) = open.pop() {
        if !std::mem::replace(&mut inside[v as usize], true) {
            open.extend(next(v));
        }
    }
    inside
}

fn members(inside: &[bool]) -> Vec<VertexId> {
    (0..).zip(inside).filter(|(_, inside)| **inside).map(|(v, _)| v).collect()
}
