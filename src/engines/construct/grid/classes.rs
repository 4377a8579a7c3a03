//! The messages of a line or a ring among its own vertices (each sends one to itself, too) in
//! classes. A class takes a number of phases. The moves of a phase use no channel twice, and in a
//! class every vertex sends at most one message and receives at most one, or the phases of those it
//! sends, and of those it receives, lie apart by a gap.
//!
//! - *Circuits*: of a factor, one class takes one circuit of every block, another class the rest.
//!   A line of n = 4k vertices has n classes of k phases, a ring of n = 8k vertices as well. A line
//!   of n = 4k + 2 has n/2 classes of k, n/2 of k + 1 phases; one of n = 4k + 3 has n - 1 of k + 1
//!   and one of none, where all stay. All of these sum up to the bound of the line. One of n = 4k +
//!   1 needs n + 1 classes of k phases.
//! - *Near factors* of a line of n = 4k + 1 vertices, k at least 3: n classes of at most k + 1 phases
//!   (near_factors.rs), which have every vertex.
//! - *Both circuits* of every block in one class: on a ring of n = 8k + 4 vertices, a factor has
//!   2k + 1 blocks; block j runs forward in phase j and backward in phase j + k. So n/2 classes
//!   have 2k + 1 phases and a gap of k.
//! - *Rotations* of a line: vertex x sends to x + c modulo n. Both directions need min(c, n - c)
//!   phases. Also these sum up to the bound of the line, n^2/4 rounded down, for every n, and there is
//!   a class in which all stay, which may share the steps of others.
//! - *Translates* of a map of a ring of odd length, in n/8 phases, rounded up (orthomorphism.rs).
//! - *All circuits* of a ring of odd length in one class with a gap of 1, or in classes of n/8 phases,
//!   rounded down (odd_ring.rs).

use super::Dice;
use super::class::Class;
use super::factors::{Block, Move, factors, go};
use super::near_factors::NearFactors;
use super::odd_ring;
use super::orthomorphism;
use ccsched_network::grid::Side;

/// The ways to divide the messages of a side into classes.
pub fn divisions(side: Side, dice: &mut Dice<'_>) -> Vec<Vec<Class>> {
    let Side { length, is_ring } = side;
    let Some(factors) = factors(side) else {
        let whole = odd_ring::whole(side, dice).map(|class| vec![class]);
        let map = orthomorphism::class(side, dice).map(|class| translates(side, &class));
        let parted = odd_ring::parted(side, dice);
        return map.into_iter().chain(whole).chain(parted).collect();
    };
    let halves = |factor: &Vec<Block>| [half(side, factor, 0), half(side, factor, 1)];
    let mut all = vec![factors.iter().flat_map(halves).collect::<Vec<Class>>()];
    all[0].retain(|class| !class.moves.is_empty());
    if !is_ring && length > 2 {
        all.push((0..length).map(|c| rotation(side, c)).collect());
    } else if is_ring && length % 8 == 4 && length > 4 {
        all.push(factors.iter().map(|factor| whole(side, factor)).collect());
    }
    let near = NearFactors::new(side, dice).and_then(|near| near.balanced());
    all.extend(near.map(|classes| classes.into_iter().map(in_turn).collect()));
    all
}

/// One block a phase.
fn in_turn(blocks: Vec<Vec<Move>>) -> Class {
    let phases = blocks.len();
    let moves = (0..).zip(blocks).flat_map(|(i, block)| block.into_iter().map(move |m| (m, i)));
    Class { moves: moves.collect(), phases, gap: None }
}

/// One circuit of every block, or the stay in place of it.
fn half(side: Side, factor: &[Block], part: usize) -> Class {
    let mut class = Class::default();
    // The number of phases in use, forward and backward. A circuit of a line uses both.
    let mut used = [0; 2];
    let is_single = |block: &&Block| matches!(block, Block::Single(..));
    // Of four neighbouring single blocks, two have their circuits in the same phase, forth and back.
    let together = if factor.iter().filter(is_single).count() % 4 == 0 { 2 } else { 1 };
    let mut singles = 0;
    for (i, block) in factor.iter().enumerate() {
        let (circuit, backward): (&[Move], bool) = match block {
            Block::Pair(both) => (&both[(i + part) % 2], (i + part) % 2 == 1),
            Block::Single(stay, None) if part == 0 => (stay, false),
            Block::Single(_, None) => (&[], false),
            Block::Single(stay, _) if (singles / together + part).is_multiple_of(2) => {
                (stay, false)
            }
            Block::Single(_, Some(back)) if used[1] < used[0] && side.is_ring => {
                (&back.map(|m| go(side, m.from, m.to, false)), true)
            }
            Block::Single(_, Some(back)) => (back, false),
        };
        singles += usize::from(matches!(block, Block::Single(..)));
        let phase = &mut used[usize::from(backward && side.is_ring)];
        class.moves.extend(circuit.iter().map(|&m| (m, *phase)));
        *phase += usize::from(circuit.iter().any(|m| m.hops != 0));
    }
    class.phases = used[0].max(used[1]);
    // All that stay may do so in any phase.
    let phases = class.phases.max(1);
    class.moves.iter_mut().for_each(|(_, phase)| *phase %= phases);
    class
}

/// Both circuits of every block, of which there is an odd number; of single blocks, the circuit and
/// the stay.
fn whole(side: Side, factor: &[Block]) -> Class {
    let (blocks, mut moves) = (factor.len(), Vec::with_capacity(2 * side.length));
    let (gap, mut singles) = (blocks / 2, 0);
    // A single block takes one direction of one phase, so two of them share a phase.
    let phases =
        if factor.iter().any(|b| matches!(b, Block::Pair(_))) { blocks } else { blocks / 2 };
    let gap = if phases == blocks { gap } else { phases / 2 };
    for (i, block) in factor.iter().enumerate() {
        match block {
            Block::Pair([forward, backward]) => {
                moves.extend(forward.iter().map(|&m| (m, i)));
                moves.extend(backward.iter().map(|&m| (m, (i + gap) % phases)));
            }
            Block::Single(stay, back) => {
                let turn = |m: &Move| go(side, m.from, m.to, singles % 2 == 0);
                moves.extend(back.iter().flatten().map(|m| (turn(m), singles / 2)));
                moves.extend(stay.iter().map(|&m| (m, (singles / 2 + gap) % phases)));
                singles += 1;
            }
        }
    }
    Class { moves, phases, gap: Some(gap) }
}

/// Vertex x sends to x + c modulo the length of a line.
fn rotation(side: Side, c: usize) -> Class {
    let (length, back) = (side.length, side.length - c);
    let phases = c.min(back);
    let to = |x: usize| (x + c) % length;
    // Moves in one direction start at least c apart, or in different phases, as they all overlap.
    let phase = |x: usize| match x < back {
        true => x % c.max(1),
        false => to(x) % back,
    };
    let moves = (0..length).map(|x| (go(side, x, to(x), true), phase(x))).collect();
    Class { moves, phases, gap: None }
}

/// All translates of a class of a ring.
fn translates(side: Side, class: &Class) -> Vec<Class> {
    let length = side.length;
    let shifted = |by: usize| {
        let place = |x: usize| (x + by) % length;
        let shift = |&(m, phase): &(Move, usize)| {
            (Move { from: place(m.from), to: place(m.to), ..m }, phase)
        };
        Class { moves: class.moves.iter().map(shift).collect(), ..*class }
    };
    (0..length).map(shifted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// The conflicts of a class, and the cyclic distance of two phases of a vertex.
    fn check(side: Side, class: &Class) {
        let length = side.length;
        let mut used = vec![false; 2 * length * class.phases];
        for &(m, phase) in &class.moves {
            assert!(phase < class.phases.max(1));
            for i in 0..m.hops.abs() {
                let at = (m.from as isize + i * m.hops.signum()).rem_euclid(length as isize);
                let channel = 2 * at as usize + usize::from(m.hops < 0);
                assert!(!std::mem::replace(&mut used[phase * 2 * length + channel], true));
            }
        }
        for ends in [|m: &Move| m.from, |m: &Move| m.to] {
            for (i, (m, phase)) in class.moves.iter().enumerate() {
                let same = class.moves[..i].iter().filter(|(other, _)| ends(other) == ends(m));
                for (_, other) in same {
                    let apart = phase.abs_diff(*other);
                    let apart = apart.min(class.phases - apart);
                    assert!(class.gap.is_some_and(|gap| gap <= apart), "{side:?} {m:?}");
                }
            }
        }
    }

    #[test]
    fn classes_carry_every_message_once_in_few_phases() {
        let mut rng = ccsched_base::rng::rng_of(1, 0, 0);
        let dice = &mut |limit| rng.random_range(0..limit);
        for length in 2..34 {
            for is_ring in [false, true] {
                let side = Side { length, is_ring };
                for division in divisions(side, dice) {
                    let mut sent = vec![0; length * length];
                    for class in &division {
                        check(side, class);
                        class.moves.iter().for_each(|(m, _)| sent[m.from * length + m.to] += 1);
                    }
                    assert_eq!(sent, vec![1; length * length], "{side:?}");
                    let sum: usize = division.iter().map(|c| c.phases).sum();
                    let bound = length * length / if is_ring { 8 } else { 4 };
                    let has_gap = division.iter().any(|c| c.gap.is_some());
                    let is_odd = length % 2 == 1 && division.len() != length;
                    if !is_ring || length % 8 == 0 || has_gap || is_odd {
                        assert_eq!(sum, bound, "{side:?}");
                    }
                }
            }
        }
    }
}
