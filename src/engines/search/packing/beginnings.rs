//! The fixed routes of every source as a tree of their beginnings: a busy channel excludes all
//! routes behind it.

use ccsched_model::problem::ResourceId;
use ccsched_network::ChannelId;
use std::ops::Range;

/// No pair.
pub const NONE: u32 = u32::MAX;

/// The end of one or more beginnings.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The last link.
    link: ResourceId,
    /// The first node after all that begin like this one.
    after: u32,
    /// The pair whose route ends here, or [`NONE`].
    pair: u32,
}

/// The trees of all sources, each with every node before those that begin like it.
#[derive(Debug, Default)]
pub struct Beginnings {
    nodes: Vec<Node>,
}

impl Beginnings {
    /// Adds the routes of the pairs of a source, in the order of their channels. Returns the nodes of its tree.
    pub fn add<'r>(
        &mut self,
        routes: impl Iterator<Item = (u32, &'r [ChannelId])>,
        link: impl Fn(ChannelId) -> ResourceId,
    ) -> Range<u32> {
        let first = self.nodes.len() as u32;
        let mut before: &[ChannelId] = &[];
        // The nodes along the route before.
        let mut open: Vec<u32> = Vec::new();
        for (pair, route) in routes {
            let same = route.iter().zip(before).take_while(|(a, b)| a == b).count();
            self.close(&mut open, same);
            for &c in &route[same..] {
                open.push(self.nodes.len() as u32);
                self.nodes.push(Node { link: link(c), after: 0, pair: NONE });
            }
            if let Some(&last) = open.last() {
                self.nodes[last as usize].pair = pair;
            }
            before = route;
        }
        self.close(&mut open, 0);
        first..self.nodes.len() as u32
    }

    /// Ends the trees of nodes beyond a depth.
    fn close(&mut self, open: &mut Vec<u32>, depth: usize) {
        let after = self.nodes.len() as u32;
        open.drain(depth..).for_each(|node| self.nodes[node as usize].after = after);
    }

    /// Calls `act` with every pair of a tree whose route has only idle links.
    #[inline]
    pub fn each_idle(
        &self,
        tree: Range<u32>,
        is_idle: impl Fn(ResourceId) -> bool,
        mut act: impl FnMut(u32),
    ) {
        let mut at = tree.start;
        while at < tree.end {
            let Node { link, after, pair } = self.nodes[at as usize];
            if !is_idle(link) {
                at = after;
                continue;
            }
            if pair != NONE {
                act(pair);
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_found_unless_a_link_of_theirs_is_busy() {
        let mut routes: Vec<Vec<ChannelId>> =
            vec![vec![0], vec![0, 1], vec![0, 1, 2], vec![0, 3, 2], vec![4, 1], vec![5]];
        routes.sort();
        let mut beginnings = Beginnings::default();
        let of_another = [(9, &[7][..])];
        assert_eq!(beginnings.add(of_another.into_iter(), |c| c), 0..1);
        let numbered = || (0..).zip(routes.iter().map(Vec::as_slice));
        let tree = beginnings.add(numbered(), |c| c);
        assert_eq!(tree, 1..9);
        for busy in 0..64u32 {
            let is_idle = |link: ResourceId| busy >> link & 1 == 0;
            let mut found = Vec::new();
            beginnings.each_idle(tree.clone(), is_idle, |pair| found.push(pair));
            let right = numbered().filter(|(_, route)| route.iter().all(|&c| is_idle(c)));
            assert_eq!(found, right.map(|(pair, _)| pair).collect::<Vec<_>>(), "{busy:b}");
        }
    }
}
