//! Vertices on one shortest path: what the elements of a group may fix, other than the identity.

use ccsched_network::metrics::{distances_from, distances_to};
use ccsched_network::{ChannelId, Network, VertexId};

/// More vertices are not examined.
const MOST: usize = 64;

/// Vertices in the order of a shortest path through all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    pub vertices: Vec<VertexId>,
}

impl Chain {
    /// The chain of some vertices in which `before` comes before `after`; none if no shortest path
    /// visits all of them so.
    pub fn of(
        network: &Network,
        mut vertices: Vec<VertexId>,
        (before, after): (VertexId, VertexId),
    ) -> Option<Self> {
        if vertices.len() > MOST {
            return None;
        }
        let (to_before, to_after) = (distances_to(network, before), distances_to(network, after));
        let between = to_after[before as usize];
        let is_ahead = |&v: &VertexId| {
            to_before[v as usize].checked_add(between) == Some(to_after[v as usize])
        };
        let ahead = vertices.iter().copied().filter(is_ahead);
        let from_first = distances_from(network, ahead.max_by_key(|&v| to_after[v as usize])?);
        let from_first = |v: VertexId| from_first[v as usize];
        vertices.sort_by_key(|&v| from_first(v));
        let is_on_the_way = |pair: &[VertexId]| {
            let hop = distances_from(network, pair[0])[pair[1] as usize];
            from_first(pair[0]).checked_add(hop) == Some(from_first(pair[1]))
        };
        let is_chain =
            from_first(before) < from_first(after) && vertices.windows(2).all(is_on_the_way);
        is_chain.then_some(Chain { vertices })
    }

    /// Whether some vertices, in some order, are a chain.
    pub fn is_of(network: &Network, vertices: Vec<VertexId>) -> bool {
        let Some(&any) = vertices.first() else { return true };
        if vertices.len() == 1 {
            return true;
        }
        let from = distances_from(network, any);
        let last = vertices.iter().copied().max_by_key(|&v| from[v as usize]).unwrap_or(any);
        Chain::of(network, vertices, (any, last)).is_some()
    }

    /// A shortest path along the chain, and by vertex of the chain the channels before it.
    pub fn route(&self, network: &Network) -> (Vec<ChannelId>, Vec<usize>) {
        let (mut route, mut places) = (Vec::new(), vec![0]);
        for pair in self.vertices.windows(2) {
            let to = distances_to(network, pair[1]);
            let mut v = pair[0];
            while v != pair[1] {
                let out = network.outgoing(v).iter();
                let nearer =
                    |&&c: &&ChannelId| to[network.channel(c).to as usize] + 1 == to[v as usize];
                let Some(&c) = out.clone().find(nearer) else { break };
                route.push(c);
                v = network.channel(c).to;
            }
            places.push(route.len());
        }
        (route, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::spec;

    #[test]
    fn a_diagonal_is_a_chain_and_the_corners_are_none() {
        let network = spec::parse("mesh:3x3").unwrap();
        let chain = Chain::of(&network, vec![4, 0, 8], (4, 8)).unwrap();
        assert_eq!(chain.vertices, [0, 4, 8]);
        let (route, places) = chain.route(&network);
        assert_eq!((route.len(), places), (4, vec![0, 2, 4]));
        let mut v = 0;
        for (c, end) in route.iter().zip(1..) {
            assert_eq!(network.channel(*c).from, v);
            v = network.channel(*c).to;
            assert!(end != 2 || v == 4);
        }
        assert_eq!(Chain::of(&network, vec![4, 0, 8], (8, 4)).unwrap().vertices, [8, 4, 0]);
        assert!(Chain::is_of(&network, vec![8, 4, 0]) && Chain::is_of(&network, vec![]));
        assert!(!Chain::is_of(&network, vec![0, 2, 6, 8]), "three corners at most");
    }
}
