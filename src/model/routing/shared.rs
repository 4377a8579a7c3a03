//! Tables of paths for very many pairs: pairs that differ in single channels at their ends alone, such as
//! those between the hosts of two switches, share what lies between; or each pair gets one path.

use super::paths::{PathTable, Slack, cap_of};
use ccsched_base::rng::rng_of;
use ccsched_network::metrics::{UNREACHABLE, distances_to};
use ccsched_network::{ChannelId, Network, VertexId};
use rand::RngExt as _;
use std::collections::{BTreeMap, HashMap};

/// A pair without the only channel out of its source and the only one into its destination.
struct Inner {
    ends: (VertexId, VertexId),
    first: Option<ChannelId>,
    last: Option<ChannelId>,
}

impl Inner {
    fn of(network: &Network, (from, to): (VertexId, VertexId)) -> Self {
        let only = |channels: &[ChannelId]| match channels {
            &[channel] => Some(channel),
            _ => None,
        };
        let first = only(network.outgoing(from)).filter(|_| from != to);
        let last = only(network.incoming(to)).filter(|&c| from != to && first != Some(c));
        let ends = (
            first.map_or(from, |c| network.channel(c).to),
            last.map_or(to, |c| network.channel(c).from),
        );
        Inner { ends, first, last }
    }

    /// Whether the channels at the ends are the whole path.
    fn is_nothing(&self) -> bool {
        self.ends.0 == self.ends.1 && (self.first.is_some() || self.last.is_some())
    }
}

impl PathTable {
    /// As [`PathTable::find`], with about `most` paths of all pairs. Pairs with the same channels between
    /// their ends have the same paths between them. None if `is_over` returns true meanwhile.
    pub fn find_shared(
        network: &Network,
        pairs: &[(VertexId, VertexId)],
        (slack, seed): (Slack, u64),
        most: usize,
        is_over: &dyn Fn() -> bool,
    ) -> Option<PathTable> {
        let cap = cap_of(most, pairs.len());
        let inner: Vec<Inner> = pairs.iter().map(|&pair| Inner::of(network, pair)).collect();
        let mut numbers: HashMap<(VertexId, VertexId), usize> = HashMap::new();
        let mut different = Vec::new();
        for Inner { ends, .. } in &inner {
            numbers.entry(*ends).or_insert_with(|| {
                different.push(*ends);
                different.len() - 1
            });
        }
        let between = Self::capped(network, &different, (slack, cap, seed), is_over)?;
        let mut table = PathTable::empty(cap);
        let mut path = Vec::new();
        for pair in &inner {
            let mut add = |middle: &[ChannelId]| {
                path.clear();
                path.extend(pair.first.iter().chain(middle).chain(&pair.last));
                table.push_path(&path);
            };
            match pair.is_nothing() {
                true => add(&[]),
                false => between
                    .of_pair(numbers[&pair.ends])
                    .for_each(|path| add(between.channels(path))),
            }
            table.end_pair();
        }
        Some(table)
    }

    /// One shortest path of each pair, drawn from `seed`, in little time.
    pub fn one_each(network: &Network, pairs: &[(VertexId, VertexId)], seed: u64) -> PathTable {
        let mut by_target: BTreeMap<VertexId, Vec<usize>> = BTreeMap::new();
        for (i, &(_, to)) in pairs.iter().enumerate() {
            by_target.entry(to).or_default().push(i);
        }
        let mut rng = rng_of(seed, 0, 0);
        let mut paths: Vec<Vec<ChannelId>> = vec![Vec::new(); pairs.len()];
        for (target, members) in by_target {
            let distance = distances_to(network, target);
            for i in members {
                let mut at = pairs[i].0;
                while at != target && distance[at as usize] != UNREACHABLE {
                    let is_nearer = |c: &&ChannelId| {
                        let to = network.channel(**c).to as usize;
                        distance[to].checked_add(1) == Some(distance[at as usize])
                    };
                    let out = network.outgoing(at);
                    let nearer = out.iter().filter(is_nearer).count();
                    let draw = rng.random_range(0..nearer.max(1));
                    let Some(&c) = out.iter().filter(is_nearer).nth(draw) else { break };
                    paths[i].push(c);
                    at = network.channel(c).to;
                }
            }
        }
        PathTable::fixed(paths.iter().map(|path| Some(&path[..]).filter(|path| !path.is_empty())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::spec;

    /// All pairs of terminals.
    fn pairs(network: &Network) -> Vec<(VertexId, VertexId)> {
        let all: Vec<VertexId> = network.terminals().collect();
        let from = |&s: &VertexId| all.iter().filter(move |&&d| d != s).map(move |&d| (s, d));
        all.iter().flat_map(from).collect()
    }

    #[test]
    fn shared_paths_are_those_that_each_pair_has() {
        for topology in ["fat-tree:16", "ring:8,half", "dragonfly:2,2,1", "mesh:1x4", "torus:3x3"] {
            let network = spec::parse(topology).unwrap();
            let pairs = pairs(&network);
            for slack in 0..2 {
                let all = PathTable::find(&network, &pairs, slack, 1);
                let shared =
                    PathTable::find_shared(&network, &pairs, (slack, 1), 4_000_000, &|| false);
                let shared = shared.unwrap();
                assert_eq!(shared.len(), all.len(), "{topology}");
                for (pair, ends) in pairs.iter().enumerate() {
                    let of = |table: &PathTable| -> Vec<Vec<ChannelId>> {
                        table.of_pair(pair).map(|path| table.channels(path).to_vec()).collect()
                    };
                    assert_eq!(of(&shared), of(&all), "{topology}: {ends:?}");
                }
            }
        }
    }

    #[test]
    fn one_path_is_one_of_the_shortest() {
        for topology in ["fat-tree:16", "torus:4x4", "mesh:1x2"] {
            let network = spec::parse(topology).unwrap();
            let pairs = pairs(&network);
            let all = PathTable::find(&network, &pairs, 0, 1);
            let one = PathTable::one_each(&network, &pairs, 1);
            assert_eq!(one.len(), pairs.len());
            for pair in 0..pairs.len() {
                let path = one.channels(one.of_pair(pair).start);
                assert!(all.of_pair(pair).any(|other| all.channels(other) == path), "{topology}");
            }
        }
    }

    #[test]
    fn a_search_that_is_over_finds_none() {
        let network = spec::parse("ring:5").unwrap();
        let pairs = pairs(&network);
        assert!(PathTable::find_shared(&network, &pairs, (0, 1), 100, &|| true).is_none());
    }
}
