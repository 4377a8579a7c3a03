//! Where a part is complete first: a vertex, or two that exchange what they hold.

use super::flood::Seed;
use super::hops::{HopId, Hops};
use super::kinds::Kind;
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use ccsched_network::metrics::UNREACHABLE;
use std::collections::{BTreeMap, VecDeque};

/// A middle.
#[derive(Clone, Debug)]
pub struct Middle {
    /// The vertices that have it, which are equal if there is one.
    ends: [VertexId; 2],
    /// The hops of the exchange, from the first and from the second, if there are two.
    exchange: Option<[Box<[HopId]>; 2]>,
    /// Steps that the farthest contribution takes to them, and the sum from them.
    pub far: [u32; 2],
}

impl Middle {
    /// Steps of a part at least.
    pub fn steps(&self) -> u32 {
        self.far[0] + u32::from(self.exchange.is_some()) + self.far[1]
    }

    /// What a flood begins with.
    pub fn seed<'m>(&'m self, kind: &'m Kind, step: u32) -> Seed<'m> {
        let exchange = self.exchange.as_ref().map(|[there, back]| [&**there, &**back]);
        Seed { kind, ends: self.ends, exchange, step }
    }
}

/// The pairs of vertices that can exchange, and the vertices, for parts of a kind.
pub fn all(problem: &Problem, hops: &Hops, kind: &Kind) -> Vec<Middle> {
    let n = hops.vertices() as VertexId;
    let can = |v: VertexId| kind.may(v) && kind.middle.is_none_or(|middle| middle == v);
    let from = |way, v| if can(v) { distances(hops, way, kind, v) } else { Vec::new() };
    let distances: [Vec<Vec<u32>>; 2] = [1, 0].map(|way| (0..n).map(|v| from(way, v)).collect());
    let far = |[a, b]: [VertexId; 2]| {
        [0, 1].map(|way| {
            let [a, b] = [a, b].map(|v| &distances[way][v as usize]);
            // The first of the two is the way to the middle.
            let wanted = (0..n).filter(|&v| kind.wants(1 - way, v));
            let of_both = wanted.map(|v| a[v as usize].min(b[v as usize]));
            of_both.max().unwrap_or(UNREACHABLE)
        })
    };
    // In the order of the first hop between the two.
    let mut between: BTreeMap<[VertexId; 2], [Vec<HopId>; 2]> = BTreeMap::new();
    let mut pairs = Vec::new();
    for hop in 0..hops.len() as HopId {
        let [a, b] = hops.ends(hop);
        if !can(a) || !can(b) {
            continue;
        }
        let ends = [a.min(b), a.max(b)];
        let of_pair = between.entry(ends).or_insert_with(|| {
            pairs.push(ends);
            [Vec::new(), Vec::new()]
        });
        of_pair[usize::from(a > b)].push(hop);
    }
    let mut middles = Vec::new();
    for ends in pairs {
        let ways = between.remove(&ends).expect("it is listed");
        if can_exchange(problem, hops, &ways) {
            let exchange = Some(ways.map(Vec::into_boxed_slice));
            middles.push(Middle { ends, exchange, far: far(ends) });
        }
    }
    let single = (0..n).filter(|&v| can(v)).map(|v| Middle {
        ends: [v, v],
        exchange: None,
        far: far([v, v]),
    });
    middles.extend(single);
    middles.retain(|middle| middle.far.iter().all(|&far| far < UNREACHABLE));
    middles
}

/// Whether some hop of each direction has room beside one of the other: half-duplex links of capacity 1
/// carry one transfer at a time.
fn can_exchange(problem: &Problem, hops: &Hops, [there, back]: &[Vec<HopId>; 2]) -> bool {
    let capacity = |r| problem.resources().capacity(r);
    there.iter().any(|&a| {
        back.iter()
            .any(|&b| hops.uses(a).iter().all(|r| capacity(*r) > 1 || !hops.uses(b).contains(r)))
    })
}

/// By vertex, the hops to it from `v` (`way` 0), or from it to `v` (1), by way of vertices where the sum may be.
fn distances(hops: &Hops, way: usize, kind: &Kind, v: VertexId) -> Vec<u32> {
    let mut distance = vec![UNREACHABLE; hops.vertices()];
    distance[v as usize] = 0;
    let mut queue = VecDeque::from([v]);
    while let Some(at) = queue.pop_front() {
        for &hop in hops.beside(way, at) {
            let to = hops.ends(hop)[1 - way];
            if distance[to as usize] == UNREACHABLE && kind.may(to) {
                distance[to as usize] = distance[at as usize] + 1;
                queue.push_back(to);
            }
        }
    }
    distance
}
