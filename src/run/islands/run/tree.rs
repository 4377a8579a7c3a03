//! The tree of masters: which rank runs which groups, and to which rank it reports.
//!
//! The first rank of a group runs the group. These masters form a tree: each stands for a range of
//! consecutive groups, runs the first one, and shares the rest out to masters below it. Because the
//! ranges are consecutive, lists of groups are joined and cut in order. In a flat tree rank 0 runs
//! all groups.

use crate::islands::groups::ranges;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Masters below a master, by default.
pub const FAN_OUT: usize = 16;

/// The shape of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// Ranks.
    pub size: usize,
    /// Ranks of a group.
    pub group: usize,
    /// Masters below a master at most; 0 for a flat tree.
    pub fan_out: usize,
}

/// What a rank does besides its island.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The rank that it reports to; that of rank 0 is itself.
    pub above: usize,
    /// The ranks of each group that it runs.
    pub groups: Vec<Range<usize>>,
    /// The masters below it: each with its rank and its number of groups, in order.
    pub below: Vec<(usize, usize)>,
}

impl Tree {
    /// All ranks report to rank 0.
    pub fn flat(size: usize, group: usize) -> Self {
        Tree { size, group: group.max(1), fan_out: 0 }
    }

    /// The place of a rank.
    pub fn place(&self, rank: usize) -> Place {
        let groups: Vec<_> = ranges(self.size, self.group).collect();
        if self.fan_out == 0 {
            let groups = if rank == 0 { groups } else { vec![] };
            return Place { above: 0, groups, below: vec![] };
        }
        let number = rank / self.group;
        if groups.get(number).is_none_or(|group| group.start != rank) {
            return Place { above: number * self.group, groups: vec![], below: vec![] };
        }
        let (mut above, mut stands_for) = (0, 0..groups.len());
        while stands_for.start != number {
            above = stands_for.start * self.group;
            let mut shares = self.shares(&stands_for);
            stands_for =
                shares.find(|share| share.contains(&number)).expect("a share of each group");
        }
        let below = self.shares(&stands_for).map(|share| (share.start * self.group, share.len()));
        Place { above, groups: vec![groups[number].clone()], below: below.collect() }
    }

    /// The groups but the first, in shares of nearly equal size.
    fn shares(&self, groups: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let (first, rest) = (groups.start + 1, groups.len() - 1);
        let shares = rest.min(self.fan_out);
        (0..shares).map(move |i| first + rest * i / shares..first + rest * (i + 1) / shares)
    }
}

impl Place {
    /// The ranks of its groups.
    pub fn islands(&self) -> Range<usize> {
        let end = self.groups.last().map_or(0, |group| group.end);
        self.groups.first().map_or(0, |group| group.start)..end
    }

    /// The ranks that report to it.
    pub fn children(&self) -> impl Iterator<Item = usize> {
        self.islands().skip(1).chain(self.below.iter().map(|&(rank, _)| rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every rank reports to a rank below its own number that expects it, and the masters below a
    /// rank stand for consecutive groups.
    #[test]
    fn every_rank_has_one_master() {
        for (size, group, fan_out) in
            [(1, 64, 2), (64, 64, 2), (65, 64, 2), (128, 4, 3), (100, 7, 2), (33, 1, 1), (50, 6, 0)]
        {
            let tree = Tree { size, group, fan_out };
            let mut masters = vec![0; size];
            for rank in 0..size {
                let place = tree.place(rank);
                for child in place.children() {
                    masters[child] += 1;
                    assert_eq!(tree.place(child).above, rank, "{tree:?}");
                    assert!(child > rank);
                }
                let mut next = place.islands().end;
                for (below, groups) in place.below {
                    assert_eq!(below, next, "{tree:?}");
                    next = (below + groups * group).min(size);
                }
            }
            assert_eq!((masters[0], &masters[1..]), (0, &vec![1; size - 1][..]), "{tree:?}");
        }
    }

    #[test]
    fn the_fan_out_limits_the_masters_below_one() {
        let tree = Tree { size: 40, group: 4, fan_out: 3 };
        let root = tree.place(0);
        assert_eq!((root.islands(), root.below), (0..4, vec![(4, 3), (16, 3), (28, 3)]));
        let second = tree.place(16);
        assert_eq!((second.islands(), second.below), (16..20, vec![(20, 1), (24, 1)]));
        let third = tree.place(24);
        assert_eq!((third.above, third.islands(), third.below), (16, 24..28, vec![]));
        assert_eq!(tree.place(27), Place { above: 24, groups: vec![], below: vec![] });
        let flat = Tree::flat(40, 4).place(0);
        assert_eq!((flat.groups.len(), flat.islands(), flat.below), (10, 0..40, vec![]));
    }
}
