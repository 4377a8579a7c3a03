//! The messages of a line or a ring among its own vertices, in circuits: closed walks that use no
//! channel twice, and on which every vertex sends one message and receives one.
//!
//! *Line.* Let u* be the mirror image of vertex u. For two vertices u and v of the left half, the
//! circuit u, v, u*, v*, u is one, the same backwards another; together they carry the messages
//! between the pairs {u, u*} and {v, v*}. If v is the centre of an odd line, the circuits are u, v,
//! u*, u and its reverse, and these carry the messages between u and u*, too. Otherwise the circuit
//! u, u*, u carries them.
//!
//! *Ring of 2m vertices.* For two vertices u and v below m, the walk once round the ring over u, v,
//! u + m, v + m is a circuit, the same backwards another. The circuit u, u + m, u runs round the
//! ring in either direction.
//!
//! *Ring of 2m + 1 vertices.* For two vertices u and v from 1 to m, the walk once round the ring over u,
//! v, u + m, v + m is a circuit as well, and with the centre 0 that over 0, v, v + m.
//!
//! A factor is a division of the vertices into blocks; in a block, each vertex sends the messages
//! of two circuits, or keeps its own message instead of one. A round-robin tournament of the pairs
//! has one factor a round, so every message is in one factor. One circuit takes one step. Every
//! circuit of a line crosses its middle once in each direction, and every circuit of a ring uses
//! all channels of a direction: no step is wasted.

use super::Dice;
use ccsched_network::grid::Side;

/// A message along a line or ring: from, to, and the channels between, negative if backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub from: usize,
    pub to: usize,
    pub hops: isize,
}

impl Move {
    /// A vertex to itself.
    pub fn stay(at: usize) -> Self {
        Move { from: at, to: at, hops: 0 }
    }
}

/// What the vertices of a block send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Two circuits, the second on the same vertices backwards.
    Pair([Vec<Move>; 2]),
    /// Each vertex to itself; then the circuit of two opposite vertices, which on a ring runs
    /// forward here.
    Single(Vec<Move>, Option<[Move; 2]>),
}

/// The factors of a side: none of a ring of odd length, where some vertices would stay twice.
pub fn factors(side: Side) -> Option<Vec<Vec<Block>>> {
    (!side.is_ring || side.length.is_multiple_of(2)).then(|| all_factors(side))
}

/// The factors of a side. On a ring of odd length a single vertex or pair may stay in several.
pub fn all_factors(side: Side) -> Vec<Vec<Block>> {
    let Side { length, .. } = side;
    let blocks = |round: Vec<[usize; 2]>| round.into_iter().map(|p| block(side, p)).collect();
    let points = length.div_ceil(2);
    let mut factors: Vec<Vec<Block>> = rounds(points).into_iter().map(blocks).collect();
    if points % 2 == 0 {
        factors.push(blocks((0..points).map(|u| [u, u]).collect()));
    }
    factors
}

/// A round-robin tournament: every pair in one round, and, if the number is odd, every point alone
/// in one round.
fn rounds(points: usize) -> Vec<Vec<[usize; 2]>> {
    let odd = points - usize::from(points.is_multiple_of(2));
    let round = |i: usize| {
        let hub = if odd < points { odd } else { i };
        let rest = (1..=odd / 2).map(|j| [(i + j) % odd, (i + odd - j) % odd]);
        rest.chain([[i, hub]]).collect()
    };
    (0..odd).map(round).collect()
}

/// The block of two points, or of one if they are equal.
fn block(side: Side, [u, v]: [usize; 2]) -> Block {
    let Side { length, is_ring } = side;
    let (u, v) = (u.min(v), u.max(v));
    let other = |u: usize| match is_ring {
        true if length % 2 == 1 && u == 0 => u,
        true => u + length / 2,
        false => length - 1 - u,
    };
    let circuit = |stops: &[usize], forward: bool| -> Vec<Move> {
        let next = stops.iter().cycle().skip(1);
        stops.iter().zip(next).map(|(&from, &to)| go(side, from, to, forward)).collect()
    };
    if u == v {
        let mut stops = vec![u, other(u)];
        stops.dedup();
        let stay = stops.iter().map(|&u| Move::stay(u)).collect();
        // An odd line or ring carries these messages with those to its centre.
        let has_circuit = stops.len() == 2 && length % 2 == 0;
        let back = [go(side, stops[0], other(u), true), go(side, other(u), stops[0], true)];
        return Block::Single(stay, has_circuit.then_some(back));
    }
    let mut stops = vec![u, v, other(u), other(v)];
    if stops[1] == stops[3] {
        stops.pop();
    } else if stops[0] == stops[2] {
        stops.remove(2);
    }
    let first = circuit(&stops, true);
    stops.reverse();
    Block::Pair([first, circuit(&stops, false)])
}

/// The move between two vertices; the direction matters on a ring.
pub fn go(side: Side, from: usize, to: usize, forward: bool) -> Move {
    let hops = match (side.is_ring, forward) {
        (false, _) => to as isize - from as isize,
        (true, true) => ((to + side.length - from) % side.length) as isize,
        (true, false) => -(((from + side.length - to) % side.length) as isize),
    };
    Move { from, to, hops }
}

// The messages of a line of n = 4k + 1 vertices in n classes, each of which has every vertex once:
// it moves along a circuit or stays.
//
// Let u* be the mirror image of vertex u, c the centre. The 2k points are the pairs {u, u*}. All
// points are in k couples. A matching of the points is one couple {w, v} and k - 1 pairs from
// different couples; 2k matchings have every pair from different couples once, and every couple
// twice (they are found by a search: k = 2 has none). Once the couple stands for w, once for v.
//
// A matching with the couple {w, v}, which stands for w, yields two classes:
//
// | class | stays | circuits                                                             |
// |-------|-------|----------------------------------------------------------------------|
// | near  | w     | v, w*, v*, c, v; the first circuit of all other pairs of the matching |
// | far   | w*    | v*, w, v, c, v*; the second circuit of these                          |
//
// The two classes have v, w*, v*, w, v, one of both circuits of the points v and w, and the messages
// between v or v* and c. The other matching with this couple has the reverse of this circuit, and
// the messages between w or w* and c. The last class, the *mirror*, has u, u*, u of every point, and
// c stays. Every circuit crosses both channels beside the centre once in each direction, so a
// channel carries one circuit at a time, and no step is wasted: there are 2k(2k + 1) circuits.

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
    let colours = colours(&uses, 2 * k, dice)?;
    let mut matchings = vec![Vec::with_capacity(k); 2 * k];
    pairs.iter().zip(colours).for_each(|(&pair, colour)| matchings[colour].push(pair));
    Some(matchings)
}

// Colours of items such that no resource has two items of one colour, by ejection: a waiting item
// takes the colour whose owners are cheapest, they wait again, and the price of an item is the
// number of times that it displaced others. Between, random items move to free colours.

/// Items moved at random after each placement.
const MOVES: usize = 4;
/// Placements per item before the search gives up.
const EFFORT: usize = 4000;
/// No colour, or no owner.
const NONE: usize = usize::MAX;

/// The colours of items, each given by the resources that it uses; none if the search fails.
pub fn colours(items: &[Vec<usize>], colours: usize, dice: &mut Dice<'_>) -> Option<Vec<usize>> {
    let resources = items.iter().flatten().max().map_or(0, |r| r + 1);
    let mut colouring = Colouring {
        items,
        owner: vec![vec![NONE; colours]; resources],
        colour: vec![NONE; items.len()],
        waiting: (0..items.len()).collect(),
        price: vec![1; items.len()],
    };
    for _ in 0..EFFORT * items.len() {
        if colouring.waiting.is_empty() {
            return Some(colouring.colour);
        }
        colouring.place(dice);
        for _ in 0..MOVES {
            colouring.relocate(dice(items.len()), dice(colours));
        }
    }
    None
}

struct Colouring<'i> {
    items: &'i [Vec<usize>],
    /// By resource and colour.
    owner: Vec<Vec<usize>>,
    colour: Vec<usize>,
    waiting: Vec<usize>,
    price: Vec<u64>,
}

impl Colouring<'_> {
    /// Gives a waiting item the colour that displaces the cheapest others.
    fn place(&mut self, dice: &mut Dice<'_>) {
        let item = self.waiting.swap_remove(dice(self.waiting.len()));
        let (mut least, mut ties, mut best) = (u64::MAX, 0, 0);
        for colour in 0..self.owner.first().map_or(0, Vec::len) {
            let cost = self.cost(item, colour);
            if cost < least {
                (least, ties) = (cost, 0);
            }
            ties += usize::from(cost == least);
            if cost == least && dice(ties) == 0 {
                best = colour;
            }
        }
        self.price[item] += u64::from(least > 0);
        for i in 0..self.items[item].len() {
            let other = self.owner[self.items[item][i]][best];
            if other != NONE {
                self.set(other, NONE);
                self.waiting.push(other);
            }
        }
        self.set(item, best);
    }

    /// The prices of the items in the way.
    fn cost(&self, item: usize, colour: usize) -> u64 {
        let owners = self.items[item].iter().map(|&resource| self.owner[resource][colour]);
        owners.filter(|&other| other != NONE).map(|other| self.price[other]).sum()
    }

    /// Moves an item to another colour if that is free.
    fn relocate(&mut self, item: usize, colour: usize) {
        if self.colour[item] != NONE && self.cost(item, colour) == 0 {
            self.set(item, colour);
        }
    }

    fn set(&mut self, item: usize, colour: usize) {
        let old = std::mem::replace(&mut self.colour[item], colour);
        for &resource in &self.items[item] {
            if old != NONE {
                self.owner[resource][old] = NONE;
            }
            if colour != NONE {
                self.owner[resource][colour] = item;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// All circuits of a factor, by block.
    fn circuits(block: &Block) -> Vec<Vec<Move>> {
        match block {
            Block::Pair(both) => both.to_vec(),
            Block::Single(_, back) => back.iter().map(|b| b.to_vec()).collect(),
        }
    }

    #[test]
    fn factors_carry_every_message_once_on_shortest_circuits() {
        for length in 2..40 {
            for is_ring in [false, true] {
                let side = Side { length, is_ring };
                if is_ring && length < 3 {
                    continue;
                }
                let is_odd_ring = is_ring && length % 2 == 1;
                assert_eq!(factors(side).is_none(), is_odd_ring);
                let factors = all_factors(side);
                let mut sent = vec![0; length * length];
                let mut count = 0;
                for block in factors.iter().flatten() {
                    if let Block::Single(stay, _) = block {
                        stay.iter().for_each(|m| sent[m.from * length + m.to] += 1);
                    }
                    for circuit in circuits(block) {
                        count += 1;
                        // By channel: forward from a vertex, then backward from it.
                        let mut used = vec![false; 2 * length];
                        for m in circuit {
                            sent[m.from * length + m.to] += 1;
                            let far = if is_ring { length / 2 } else { length };
                            assert!(m.hops.unsigned_abs() <= far);
                            for i in 0..m.hops.abs() {
                                let at = m.from as isize + i * m.hops.signum();
                                let at = at.rem_euclid(length as isize) as usize;
                                let channel = 2 * at + usize::from(m.hops < 0);
                                assert!(!std::mem::replace(&mut used[channel], true));
                            }
                        }
                    }
                }
                let is_stay = |i: usize| i / length == i % length;
                let is_once = |i: usize| sent[i] == 1 || is_odd_ring && is_stay(i);
                assert!((0..sent.len()).all(is_once), "{side:?}");
                // A step holds one circuit of a line, two of a ring.
                assert_eq!(count, length * length / 4, "{side:?}");
            }
        }
    }

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

    #[test]
    fn items_of_one_resource_differ() {
        let mut rng = ccsched_base::rng::rng_of(1, 0, 0);
        // The cells of a Latin square: by row, column, and the two diagonals' sum.
        for size in 2..9 {
            let cells = (0..size).flat_map(|x| (0..size).map(move |y| (x, y)));
            let items: Vec<Vec<usize>> = cells.map(|(x, y)| vec![x, size + y]).collect();
            let found = colours(&items, size, &mut |k| rng.random_range(0..k)).unwrap();
            for (i, item) in items.iter().enumerate() {
                assert!(found[i] < size);
                for j in (0..i).filter(|&j| found[j] == found[i]) {
                    assert!(item.iter().all(|resource| !items[j].contains(resource)));
                }
            }
        }
        let items = vec![vec![0], vec![0], vec![0]];
        assert_eq!(colours(&items, 2, &mut |k| rng.random_range(0..k)), None);
    }
}
