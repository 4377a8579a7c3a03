//! Packed trees made flatter: two trees exchange the links by which they reach a terminal, where their
//! terminals together come nearer to the roots. What each link carries stays the same.

use super::packing::Trees;
use ccsched_base::rng::Rng;
use rand::RngExt;

/// A tree.
pub(super) struct Tree {
    pub root: usize,
    /// By terminal, the one before it; the root itself for the root.
    pub parents: Vec<usize>,
    depths: Vec<u32>,
}

/// Exchanges that are tried for each link of a tree.
const TRIES: usize = 200;
/// The most exchanges that are tried.
const MOST_TRIES: usize = 1 << 22;

impl Tree {
    fn of(class: &Trees, terminals: usize) -> Self {
        let mut parents = vec![class.root; terminals];
        class.links.iter().for_each(|&(from, to)| parents[to] = from);
        let mut tree = Tree { root: class.root, parents, depths: vec![0; terminals] };
        tree.measure();
        tree
    }

    /// Finds the depth of each terminal.
    fn measure(&mut self) {
        for v in 0..self.parents.len() {
            let (mut at, mut depth) = (v, 0);
            while at != self.root {
                (at, depth) = (self.parents[at], depth + 1);
            }
            self.depths[v] = depth;
        }
    }

    /// Whether a terminal is another one, or comes before it.
    fn is_above(&self, above: usize, mut v: usize) -> bool {
        while v != above && v != self.root {
            v = self.parents[v];
        }
        v == above
    }

    /// The change of the sum of the squares of all depths, if a terminal has this one before it.
    fn change(&self, v: usize, parent: usize) -> i64 {
        let by = i64::from(self.depths[parent]) + 1 - i64::from(self.depths[v]);
        if by == 0 {
            return 0;
        }
        let moved = (0..self.parents.len()).filter(|&other| self.is_above(v, other));
        moved.map(|other| by * (2 * i64::from(self.depths[other]) + by)).sum()
    }

    fn hang(&mut self, v: usize, parent: usize) {
        self.parents[v] = parent;
        self.measure();
    }

    /// The links, each after the one to its begin.
    pub fn links(&self) -> Vec<(usize, usize)> {
        let mut order: Vec<usize> = (0..self.parents.len()).filter(|&v| v != self.root).collect();
        order.sort_by_key(|&v| self.depths[v]);
        order.into_iter().map(|v| (self.parents[v], v)).collect()
    }
}

/// The trees of all classes, one by one, flatter than they were.
pub(super) fn flattened(classes: &[Trees], terminals: usize, rng: &mut Rng) -> Vec<Tree> {
    let of_class = |class: &Trees| {
        let (number, class) = (class.number, class.clone());
        (0..number).map(move |_| Tree::of(&class, terminals))
    };
    let mut trees: Vec<Tree> = classes.iter().flat_map(of_class).collect();
    let tries = (trees.len() * terminals * TRIES).min(MOST_TRIES);
    for _ in 0..tries {
        let [a, b] = [0; 2].map(|_| rng.random_range(0..trees.len()));
        let v = rng.random_range(0..terminals);
        let (first, second) = (&trees[a], &trees[b]);
        let (to_first, to_second) = (second.parents[v], first.parents[v]);
        if v == first.root || v == second.root || to_first == to_second {
            continue;
        }
        if first.is_above(v, to_first) || second.is_above(v, to_second) {
            continue;
        }
        if first.change(v, to_first) + second.change(v, to_second) < 0 {
            trees[a].hang(v, to_first);
            trees[b].hang(v, to_second);
        }
    }
    trees
}
