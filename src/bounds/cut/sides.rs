//! The cuts to try, each given by the vertices on its sending side, in bits.

use ccsched_base::bits;
use ccsched_network::metrics::{UNREACHABLE, distances_from, joints_to_part_at, parts_without};
use ccsched_network::{Network, VertexId};
use std::rc::Rc;

/// With more vertices, only some cuts of each kind are tried, evenly spaced.
const ALL: usize = 1024;
const SOME: usize = 256;
/// Visits of vertices and channels for the cuts of a kind; of more, fewer cuts are tried. On networks with few
/// vertices only dense ones have more.
const MOST_OF_KIND: usize = 16_000_000;
const MOST_OF_FEW: usize = 25_000_000;
/// Visits of vertices and channels for the balls of a large network; of more balls, some are tried.
const MOST_FOR_BALLS: usize = 400_000_000;

/// A set of vertices in bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Side {
    words: Box<[u64]>,
    vertices: usize,
}

impl Side {
    /// The vertices that `is_inside` says.
    pub fn of(vertices: usize, is_inside: impl Fn(usize) -> bool) -> Self {
        let bit = |v: usize| u64::from(is_inside(v)) << (v % 64);
        let word = |first: usize| (first..vertices.min(first + 64)).map(bit).sum();
        Side { words: (0..vertices).step_by(64).map(word).collect(), vertices }
    }

    /// The other vertices.
    pub fn reverse(&self) -> Self {
        let mut words: Box<[u64]> = self.words.iter().map(|word| !word).collect();
        if let Some(last) = words.last_mut() {
            *last &= u64::MAX >> (self.vertices.wrapping_neg() % 64);
        }
        Side { words, vertices: self.vertices }
    }

    /// The side or its reverse, whichever has the first vertex: both are the same cut.
    pub fn canonical(self) -> Self {
        if self.has(0) { self } else { self.reverse() }
    }

    /// Whether a vertex is in the set.
    #[inline]
    pub fn has(&self, v: VertexId) -> bool {
        bits::contains(&self.words, v)
    }

    /// The vertices in the set, ascending.
    pub fn vertices(&self) -> impl Iterator<Item = VertexId> + '_ {
        bits::all(&self.words)
    }

    /// Vertices in both sets.
    pub fn common(&self, other: &Side) -> u64 {
        u64::from(bits::common(&self.words, &other.words))
    }
}

/// The cuts to try, some of them more than once: the vertices nearer to one end of a link than to
/// the other, balls around a vertex, the first vertices in the order of the network, and what hangs on
/// a joint.
pub fn sides(network: &Network) -> impl Iterator<Item = Side> + '_ {
    let n = network.vertices().len();
    let size = n + network.channels().len();
    let some = match n <= ALL {
        true => (MOST_OF_FEW / size.max(1)).max(SOME),
        false => (MOST_OF_KIND / size).clamp(SOME / 16, SOME),
    };
    let [spaced, spaced_links] =
        [n, network.channels().len()].map(|count| count.div_ceil(some).max(1));
    // Every row is read often on a small network, and once on a large one.
    let rows = if n <= ALL { n } else { 0 };
    let measure = move |v: VertexId| -> Rc<[u32]> { distances_from(network, v).into() };
    let table: Rc<[_]> = (0..rows as VertexId).map(measure).collect();
    let distances = move |v: VertexId| match table.get(v as usize) {
        Some(row) => row.clone(),
        None => measure(v),
    };
    let nearer = {
        let distances = distances.clone();
        network.channels().iter().step_by(spaced_links).map(move |c| {
            let (a, b) = (distances(c.from), distances(c.to));
            Side::of(n, |v| a[v] < b[v])
        })
    };
    // A ring of half a million vertices has balls of 250 000 sizes around each vertex.
    let sizes = match n <= ALL {
        true => usize::MAX,
        false => (MOST_FOR_BALLS / size / some).max(1),
    };
    let balls = (0..n).step_by(spaced).flat_map(move |v| {
        let from = distances(v as VertexId);
        let radius = from.iter().copied().filter(|&d| d != UNREACHABLE).max().unwrap_or(0);
        let step = (radius as usize).div_ceil(sizes).max(1);
        // Each is the one before and what is a step farther away.
        let mut farther: Vec<VertexId> = (0..n as VertexId).collect();
        farther.sort_by_key(|&v| std::cmp::Reverse(from[v as usize]));
        let mut ball = Side::of(n, |_| false);
        let grown = move |r| {
            while let Some(v) = farther.pop_if(|v| from[*v as usize] <= r) {
                bits::insert(&mut ball.words, v);
            }
            ball.clone()
        };
        // In the middle of each step: a single one is half as wide as the network.
        (0..radius).skip(step / 2).step_by(step).map(grown)
    });
    let prefixes = (1..n).step_by(spaced).map(move |first| Side::of(n, |v| v < first));
    nearer.chain(balls).chain(prefixes).chain(pendants(network))
}

/// By joint: each part of the network without it but the largest, and all of them together with the joint, such as
/// a leaf switch with its terminals.
fn pendants(network: &Network) -> impl Iterator<Item = Side> + '_ {
    let n = network.vertices().len();
    let mut part = vec![0; n];
    joints_to_part_at(network).into_iter().flat_map(move |v| {
        let sizes = parts_without(network, v, &mut part);
        let largest = (1..=sizes.len()).max_by_key(|&p| (sizes[p - 1], std::cmp::Reverse(p)));
        let largest = largest.unwrap_or(0);
        let with = Side::of(n, |w| part[w] != largest);
        let alone = (1..=sizes.len()).filter(|&p| p != largest && sizes[p - 1] > 1);
        let alone: Vec<Side> = alone.map(|p| Side::of(n, |w| part[w] == p)).collect();
        std::iter::once(with).chain(alone)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::spec;

    #[test]
    fn a_side_and_its_reverse_are_one_cut() {
        let side = Side::of(70, |v| v % 3 == 1);
        assert_eq!(side.vertices().count() + side.reverse().vertices().count(), 70);
        assert_eq!(side.clone().canonical(), side.reverse().canonical());
        assert_eq!(side.common(&side.reverse()), 0);
    }

    #[test]
    fn what_hangs_on_a_switch_is_a_cut() {
        let sizes = |topology: &str| -> Vec<usize> {
            let network = spec::parse(topology).unwrap();
            let mut sizes: Vec<_> = pendants(&network).map(|s| s.vertices().count()).collect();
            sizes.sort_unstable();
            sizes
        };
        assert!(sizes("ring:6").is_empty());
        // The subtrees with their roots; the two halves around the root, once each.
        assert_eq!(sizes("full-binary-tree:15")[..4], [3, 3, 3, 3]);
        let leaves = sizes("fat-tree:8");
        assert!(!leaves.is_empty() && leaves.iter().all(|&size| size == 3), "{leaves:?}");
    }
}
