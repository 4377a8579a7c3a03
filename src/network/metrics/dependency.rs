//! The dependencies of channels: a channel depends on the next one of each route over it. If they
//! have no cycle, wormhole switching with these routes has no deadlock, whatever is sent (Dally and
//! Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", 1987).

use super::{UNREACHABLE, distances_to};
use crate::{ChannelId, Network, VertexId};
use std::collections::HashSet;

/// The dependencies of channels under some routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependencies {
    /// Number of channels.
    channels: usize,
    /// Each channel with one that some route takes directly after it, ascending.
    pairs: Vec<(ChannelId, ChannelId)>,
}

impl Dependencies {
    /// The dependencies under routes over this number of channels.
    pub fn of<'r>(channels: usize, routes: impl IntoIterator<Item = &'r [ChannelId]>) -> Self {
        let consecutive = |route: &'r [ChannelId]| route.windows(2).map(|pair| (pair[0], pair[1]));
        let pairs: HashSet<_> = routes.into_iter().flat_map(consecutive).collect();
        Dependencies::new(channels, pairs)
    }

    /// The dependencies under all shortest paths between terminals.
    pub fn of_shortest_paths(network: &Network) -> Self {
        let channel = |c: &ChannelId| network.channel(*c);
        let mut pairs = HashSet::new();
        for destination in network.terminals() {
            let distance = distances_to(network, destination);
            let nearer = |&c: &ChannelId| {
                let [from, to] = [channel(&c).from, channel(&c).to].map(|v| distance[v as usize]);
                from != UNREACHABLE && to < from
            };
            let mut is_met: Vec<bool> = vec![false; distance.len()];
            let mut met: Vec<VertexId> = network.terminals().collect();
            met.retain(|&v| v != destination);
            met.iter().for_each(|&v| is_met[v as usize] = true);
            while let Some(v) = met.pop() {
                for &c in network.outgoing(v).iter().filter(|c| nearer(c)) {
                    let to = channel(&c).to;
                    let onward = network.outgoing(to).iter().filter(|c| nearer(c));
                    pairs.extend(onward.map(|&next| (c, next)));
                    if !std::mem::replace(&mut is_met[to as usize], true) {
                        met.push(to);
                    }
                }
            }
        }
        Dependencies::new(network.channels().len(), pairs)
    }

    fn new(channels: usize, pairs: HashSet<(ChannelId, ChannelId)>) -> Self {
        let mut pairs: Vec<(ChannelId, ChannelId)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        Dependencies { channels, pairs }
    }

    /// Each channel with one that some route takes directly after it, ascending.
    pub fn pairs(&self) -> &[(ChannelId, ChannelId)] {
        &self.pairs
    }

    /// A cycle of channels, each of which some route takes directly after the one before; none if
    /// there is no cycle.
    pub fn cycle(&self) -> Option<Vec<ChannelId>> {
        let Dependencies { channels, ref pairs } = *self;
        let mut before = vec![Vec::new(); channels];
        let mut after = vec![0usize; channels];
        for &(c, next) in pairs {
            before[next as usize].push(c);
            after[c as usize] += 1;
        }
        // Channels without a next one are removed until each of the rest has one.
        let mut free: Vec<ChannelId> =
            (0..channels as ChannelId).filter(|&c| after[c as usize] == 0).collect();
        while let Some(c) = free.pop() {
            for &earlier in &before[c as usize] {
                after[earlier as usize] -= 1;
                if after[earlier as usize] == 0 {
                    free.push(earlier);
                }
            }
        }
        let is_left = |c: ChannelId| after[c as usize] > 0;
        let next = |c: ChannelId| {
            let first = pairs.partition_point(|&(from, _)| from < c);
            let of_channel = pairs[first..].iter().take_while(|(from, _)| *from == c);
            of_channel.map(|&(_, to)| to).find(|&to| is_left(to))
        };
        let mut walk = vec![(0..channels as ChannelId).find(|&c| is_left(c))?];
        let mut place = vec![None; channels];
        loop {
            let c = walk[walk.len() - 1];
            if let Some(first) = place[c as usize].replace(walk.len() - 1) {
                walk.pop();
                return Some(walk.split_off(first));
            }
            walk.push(next(c)?);
        }
    }
}

/// A cycle of dependent channels under some routes; none if there is no cycle.
pub fn dependency_cycle<'r>(
    channels: usize,
    routes: impl IntoIterator<Item = &'r [ChannelId]>,
) -> Option<Vec<ChannelId>> {
    Dependencies::of(channels, routes).cycle()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::parse;

    #[test]
    fn cycles_of_routes() {
        let cycle = |routes: &[&[ChannelId]]| dependency_cycle(6, routes.iter().copied());
        assert_eq!(cycle(&[]), None);
        assert_eq!(cycle(&[&[0, 1, 2], &[3, 1, 4]]), None);
        assert_eq!(cycle(&[&[5, 0, 1], &[1, 2], &[2, 0, 4], &[3]]), Some(vec![0, 1, 2]));
    }

    #[test]
    fn shortest_paths_turn_every_way() {
        let cycle = |family| Dependencies::of_shortest_paths(&parse(family).unwrap()).cycle();
        for family in ["mesh:2x2", "ring:5", "petersen"] {
            assert!(cycle(family).is_some(), "{family}");
        }
        for family in ["mesh:1x5", "full-binary-tree:7", "fat-tree:8", "ring:3"] {
            assert_eq!(cycle(family), None, "{family}");
        }
        let line = Dependencies::of_shortest_paths(&parse("mesh:1x3").unwrap());
        assert_eq!(line.pairs().len(), 2, "there and back");
    }
}
