//! All allowed walks of one transfer, as a graph whose slots are (vertex, hops made), in the order
//! of hops made. Dynamic programming over the slots finds the cheapest walk without a list of
//! paths, however many there are. A walk that visits a vertex twice is no path, but contains a path
//! that is allowed too and uses fewer resources.

use ccsched_network::metrics::UNREACHABLE;
use ccsched_network::{ChannelId, Network, VertexId};

/// One hop into a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The slot where it starts.
    pub from: u32,
    /// The channel it uses.
    pub channel: ChannelId,
}

/// The walks of one transfer. Slot 0 is its source, the last slot its destination; among the slots
/// of equal hops made, vertices ascend.
#[derive(Clone, Copy, Debug)]
pub struct WalkGraph<'a> {
    /// One past the last hop into every slot.
    ends: &'a [u32],
    hops: &'a [Hop],
}

impl<'a> WalkGraph<'a> {
    /// The graph with these [`WalkGraph::parts`].
    pub fn of_parts(ends: &'a [u32], hops: &'a [Hop]) -> Self {
        WalkGraph { ends, hops }
    }

    /// One past the last hop into every slot, and all hops: to store many graphs in one array.
    pub fn parts(self) -> (&'a [u32], &'a [Hop]) {
        (self.ends, self.hops)
    }

    /// Number of slots.
    pub fn slots(self) -> usize {
        self.ends.len()
    }

    /// Number of hops.
    pub fn hops(self) -> usize {
        self.hops.len()
    }

    /// The hops into a slot; the first slot has none.
    #[inline]
    pub fn into_slot(self, slot: usize) -> &'a [Hop] {
        let first = if slot == 0 { 0 } else { self.ends[slot - 1] };
        &self.hops[first as usize..self.ends[slot] as usize]
    }
}

const NOWHERE: u32 = u32::MAX;

/// Finds the walks of one transfer at a time, and reuses its memory for the next.
#[derive(Clone, Debug, Default)]
pub struct WalkFinder {
    ends: Vec<u32>,
    hops: Vec<Hop>,
    /// Vertices of the current layer of slots and of the next.
    layer: Vec<VertexId>,
    next: Vec<VertexId>,
    /// By vertex, its slot in the current layer; [`NOWHERE`] for other vertices.
    slot: Vec<u32>,
    /// The hops into the destination.
    last: Vec<Hop>,
}

impl WalkFinder {
    /// The walks that were found last.
    pub fn found(&self) -> WalkGraph<'_> {
        WalkGraph { ends: &self.ends, hops: &self.hops }
    }

    /// The one walk along a fixed route.
    pub fn follow(&mut self, route: &[ChannelId]) -> WalkGraph<'_> {
        self.ends.clear();
        self.hops.clear();
        self.ends.push(0);
        self.hops.extend((0..).zip(route).map(|(from, &channel)| Hop { from, channel }));
        self.ends.extend(1..=route.len() as u32);
        self.found()
    }

    /// The walks of up to `longest` hops between two vertices; `distance` is the distance to the
    /// destination, by vertex. Each layer extends to the vertices from which the destination can
    /// still be reached in time. The destination is one slot, the last, for all numbers of hops.
    pub fn find(
        &mut self,
        network: &Network,
        (source, destination): (VertexId, VertexId),
        distance: &[u32],
        longest: u32,
    ) -> WalkGraph<'_> {
        let WalkFinder { ends, hops, layer, next, slot, last } = self;
        slot.resize(network.vertices().len(), NOWHERE);
        ends.clear();
        hops.clear();
        ends.push(0);
        layer.clear();
        layer.push(source);
        slot[source as usize] = 0;
        last.clear();
        for made in 1..=longest {
            let is_near = |v: VertexId| {
                let left = distance[v as usize];
                left != UNREACHABLE && made + left <= longest && v != source
            };
            next.clear();
            for &v in layer.iter() {
                for &c in network.outgoing(v) {
                    let to = network.channel(c).to;
                    if to == destination {
                        last.push(Hop { from: slot[v as usize], channel: c });
                    } else if is_near(to) {
                        next.push(to);
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            for &v in next.iter() {
                for &channel in network.incoming(v) {
                    let from = slot[network.channel(channel).from as usize];
                    if from != NOWHERE {
                        hops.push(Hop { from, channel });
                    }
                }
                ends.push(hops.len() as u32);
            }
            layer.iter().for_each(|&v| slot[v as usize] = NOWHERE);
            let first = ends.len() - next.len();
            (first..).zip(next.iter()).for_each(|(s, &v)| slot[v as usize] = s as u32);
            std::mem::swap(layer, next);
        }
        layer.iter().for_each(|&v| slot[v as usize] = NOWHERE);
        hops.append(last);
        ends.push(hops.len() as u32);
        self.found()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::PathTable;
    use ccsched_network::metrics::distances_to;
    use ccsched_network::spec;

    /// Number of walks by dynamic programming over the slots.
    fn count(walks: WalkGraph<'_>) -> usize {
        let mut ways = vec![1];
        for slot in 1..walks.slots() {
            ways.push(walks.into_slot(slot).iter().map(|hop| ways[hop.from as usize]).sum());
        }
        ways[walks.slots() - 1]
    }

    #[test]
    fn shortest_walks_are_the_shortest_paths() {
        let mut finder = WalkFinder::default();
        for topology in ["torus:4x4", "kautz:2,3", "hypercube:4", "fat-tree:8", "petersen"] {
            let network = spec::parse(topology).unwrap();
            let ends: Vec<_> = network.terminals().collect();
            for &to in &ends {
                let distance = distances_to(&network, to);
                for &from in ends.iter().filter(|&&v| v != to) {
                    let walks =
                        finder.find(&network, (from, to), &distance, distance[from as usize]);
                    let paths = PathTable::find(&network, &[(from, to)], 0, 1);
                    assert_eq!(count(walks), paths.len(), "{topology} {from} {to}");
                }
            }
        }
    }

    #[test]
    fn slots_are_in_the_order_of_hops_and_a_route_is_one_walk() {
        let mut finder = WalkFinder::default();
        let network = spec::parse("mesh:3x3").unwrap();
        let walks = finder.find(&network, (0, 8), &distances_to(&network, 8), 6);
        for slot in 0..walks.slots() {
            assert!(walks.into_slot(slot).iter().all(|hop| (hop.from as usize) < slot));
        }
        assert_eq!(count(finder.follow(&[3, 1, 2])), 1);
        assert_eq!((finder.found().slots(), finder.found().hops()), (4, 3));
    }
}
