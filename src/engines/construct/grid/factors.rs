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
pub fn block(side: Side, [u, v]: [usize; 2]) -> Block {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
