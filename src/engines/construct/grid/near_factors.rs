//! The messages of a line of n = 4k + 1 vertices in n classes, each of which has every vertex once:
//! it moves along a circuit (factors.rs) or stays.
//!
//! Let u* be the mirror image of vertex u, c the centre. The 2k points are the pairs {u, u*}. All
//! points are in k couples. A matching of the points is one couple {w, v} and k - 1 pairs from
//! different couples; 2k matchings have every pair from different couples once, and every couple
//! twice (they are found by a search: k = 2 has none). Once the couple stands for w, once for v.
//!
//! A matching with the couple {w, v}, which stands for w, yields two classes:
//!
//! | class | stays | circuits                                                             |
//! |-------|-------|----------------------------------------------------------------------|
//! | near  | w     | v, w*, v*, c, v; the first circuit of all other pairs of the matching |
//! | far   | w*    | v*, w, v, c, v*; the second circuit of these                          |
//!
//! The two classes have v, w*, v*, w, v, one of both circuits of the points v and w, and the messages
//! between v or v* and c. The other matching with this couple has the reverse of this circuit, and
//! the messages between w or w* and c. The last class, the *mirror*, has u, u*, u of every point, and
//! c stays. Every circuit crosses both channels beside the centre once in each direction, so a
//! channel carries one circuit at a time, and no step is wasted: there are 2k(2k + 1) circuits.

use super::Dice;
use super::colouring;
use super::factors::{Block, Move, block, go};
use ccsched_network::grid::Side;

/// The least k that has matchings, except 1.
const LEAST: usize = 3;

/// Couples first; then in the order of the blocks, which have two points each.
type Matching = Vec<[usize; 2]>;

/// The classes of a line.
pub struct NearFactors {
    side: Side,
    matchings: Vec<Matching>,
}

impl NearFactors {
    /// None unless the side is a line of 4k + 1 vertices, k at least 3, or if the search fails.
    pub fn new(side: Side, dice: &mut Dice<'_>) -> Option<Self> {
        let k = side.length / 4;
        if side.is_ring || side.length % 4 != 1 || k < LEAST {
            return None;
        }
        Some(NearFactors { side, matchings: matchings(k, dice)? })
    }

    /// The number of matchings, 2k.
    pub fn len(&self) -> usize {
        self.matchings.len()
    }

    /// All classes but the mirror: the matching, and 0 for its near class, 1 for its far class.
    pub fn classes(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        (0..self.len()).flat_map(|t| [(t, 0), (t, 1)])
    }

    /// The points of the blocks of a matching.
    pub fn points(&self, matching: usize) -> &[[usize; 2]] {
        &self.matchings[matching]
    }

    /// The moves of a block of a class: near is 0, far 1. The first block has the vertex that stays.
    pub fn moves(&self, matching: usize, class: usize, block: usize) -> Vec<Move> {
        let [w, v] = self.matchings[matching][block];
        if block > 0 {
            return self.circuit([w, v], class);
        }
        let (last, c) = (self.side.length - 1, self.side.length / 2);
        let turn = |u: usize| if class == 0 { u } else { last - u };
        let stops = [v, last - w, last - v, c].map(turn);
        let mut moves = self.walk(&stops);
        moves.push(self.go(turn(w), turn(w)));
        moves
    }

    /// The circuit of a point in the mirror.
    pub fn mirror(&self, point: usize) -> Vec<Move> {
        self.walk(&[point, self.side.length - 1 - point])
    }

    /// The centre, which stays in the mirror.
    pub fn centre(&self) -> Move {
        self.go(self.side.length / 2, self.side.length / 2)
    }

    /// All classes by their blocks, at most k + 1 each: the mirror exchanges one block with each of k
    /// near classes, which get the mirror circuits of two points in its place.
    pub fn balanced(&self) -> Option<Vec<Vec<Vec<Move>>>> {
        let k = self.len() / 2;
        let mut exchanged = vec![None; self.len()];
        if !self.exchange(&mut vec![false; self.len()], &mut exchanged) {
            return None;
        }
        let mut mirror = vec![vec![self.centre()]];
        let mut classes = Vec::with_capacity(self.side.length);
        for (t, class) in self.classes() {
            let mut blocks: Vec<Vec<Move>> =
                (0..k).map(|block| self.moves(t, class, block)).collect();
            if let Some(block) = exchanged[t].filter(|_| class == 0) {
                let [u, v] = self.matchings[t][block];
                mirror.push(std::mem::replace(&mut blocks[block], self.mirror(u)));
                blocks.push(self.mirror(v));
            }
            classes.push(blocks);
        }
        // The centre stays, in a step of any circuit.
        let centre = mirror.swap_remove(0);
        mirror[0].extend(centre);
        classes.push(mirror);
        Some(classes)
    }

    /// Chooses the blocks to exchange, at most one a matching: they have every point once. The first
    /// blocks, which have the centre, remain.
    fn exchange(&self, taken: &mut [bool], chosen: &mut [Option<usize>]) -> bool {
        let Some(u) = taken.iter().position(|taken| !taken) else { return true };
        for t in 0..self.len() {
            let block = self.matchings[t].iter().position(|pair| pair.contains(&u));
            let Some(block) = block.filter(|&block| block > 0 && chosen[t].is_none()) else {
                continue;
            };
            let pair = self.matchings[t][block];
            if pair.iter().any(|&v| taken[v]) {
                continue;
            }
            pair.iter().for_each(|&v| taken[v] = true);
            chosen[t] = Some(block);
            if self.exchange(taken, chosen) {
                return true;
            }
            chosen[t] = None;
            pair.iter().for_each(|&v| taken[v] = false);
        }
        false
    }

    fn circuit(&self, points: [usize; 2], which: usize) -> Vec<Move> {
        match block(self.side, points) {
            Block::Pair(both) => both[which].clone(),
            Block::Single(..) => Vec::new(),
        }
    }

    fn walk(&self, stops: &[usize]) -> Vec<Move> {
        let next = stops.iter().cycle().skip(1);
        stops.iter().zip(next).map(|(&from, &to)| self.go(from, to)).collect()
    }

    fn go(&self, from: usize, to: usize) -> Move {
        go(self.side, from, to, true)
    }
}

/// The matchings. Couples are the points 2i and 2i + 1.
fn matchings(k: usize, dice: &mut Dice<'_>) -> Option<Vec<Matching>> {
    let mut pairs: Vec<[usize; 2]> =
        (0..k).flat_map(|i| [[2 * i, 2 * i + 1], [2 * i + 1, 2 * i]]).collect();
    let couples = pairs.len();
    for v in 0..2 * k {
        pairs.extend((0..v).filter(|u| u / 2 != v / 2).map(|u| [u, v]));
    }
    // One resource beyond the points keeps the couples apart.
    let uses = |(i, pair): (usize, &[usize; 2])| {
        pair.iter().copied().chain((i < couples).then_some(2 * k)).collect()
    };
    let uses: Vec<Vec<usize>> = pairs.iter().enumerate().map(uses).collect();
    let colours = colouring::colours(&uses, 2 * k, dice)?;
    let mut matchings = vec![Vec::with_capacity(k); 2 * k];
    pairs.iter().zip(colours).for_each(|(&pair, colour)| matchings[colour].push(pair));
    Some(matchings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// Every vertex is once in a class, every message in one; circuits cross the centre.
    fn check(n: usize, classes: &[Vec<Vec<Move>>]) {
        let mut sent = vec![0; n * n];
        let mut circuits = 0;
        for class in classes {
            let mut seen = vec![0; n];
            for block in class {
                let mut used = vec![0; 2 * n];
                for m in block {
                    seen[m.from] += 1;
                    sent[m.from * n + m.to] += 1;
                    let (low, high) = (m.from.min(m.to), m.from.max(m.to));
                    let back = usize::from(m.to < m.from);
                    (low..high).for_each(|at| used[2 * at + back] += 1);
                }
                assert!(used.iter().all(|&uses| uses <= 1));
                if block.iter().any(|m| m.hops != 0) {
                    assert_eq!(used[n - 3..n + 1], [1; 4]);
                    circuits += 1;
                }
            }
            assert_eq!(seen, vec![1; n]);
        }
        assert_eq!(sent, vec![1; n * n]);
        assert_eq!(circuits, n * n / 4);
    }

    #[test]
    fn classes_have_every_vertex_and_message_once_on_circuits_across_the_centre() {
        let mut rng = ccsched_base::rng::rng_of(1, 0, 0);
        let dice = &mut |limit| rng.random_range(0..limit);
        for k in 3..12 {
            let side = Side { length: 4 * k + 1, is_ring: false };
            let near = NearFactors::new(side, dice).unwrap();
            let mut classes: Vec<Vec<Vec<Move>>> = near
                .classes()
                .map(|(t, class)| (0..k).map(|block| near.moves(t, class, block)).collect())
                .collect();
            let mirror = (0..2 * k).map(|u| near.mirror(u));
            classes.push(mirror.chain([vec![near.centre()]]).collect());
            check(4 * k + 1, &classes);
            let balanced = near.balanced().unwrap();
            check(4 * k + 1, &balanced);
            assert!(balanced.iter().all(|class| class.len() <= k + 1));
        }
    }

    #[test]
    fn other_sides_have_none() {
        let dice = &mut |_| 0;
        for (length, is_ring) in [(5, false), (9, false), (12, false), (15, false), (13, true)] {
            assert!(NearFactors::new(Side { length, is_ring }, dice).is_none());
        }
    }
}
