//! The messages of a ring of n vertices in n one-way classes: all moves of a class run forward, or all
//! backward, and every vertex sends one message, or stays. They come in twos of opposite directions.
//!
//! The factors of the ring (factors.rs) yield the twos: the circuits of the blocks, one a phase, forward in
//! the first class, backward in the second. A point alone runs its circuit in one of the classes and stays in
//! the other, by turns; of many points alone, half of them run in either.
//!
//! On a ring of odd length points have no circuits of their own. If n = 4k + 3, the factors are perfect, and all
//! vertices stay in one more class. If n = 4k + 1, every factor leaves a point out, a different one,
//! which cannot stay each time. So the factor that leaves out the centre is dissolved: if point u is
//! left out in another class, its two vertices send there what they sent in the circuit that is dissolved. These
//! are every other move of a circuit, so they take one phase more.

use super::factors::{Block, Move, all_factors, go};
use ccsched_network::grid::Side;

/// Moves with their phases.
pub type OneWay = Vec<(Move, usize)>;

/// The classes of a ring.
pub struct Classes {
    /// Opposite classes, the forward one first.
    pub twos: Vec<[OneWay; 2]>,
    /// On a ring of odd length, the class in which all stay.
    pub still: Option<OneWay>,
    /// The most phases of a class.
    pub phases: usize,
}

impl Classes {
    /// The classes of a ring.
    pub fn new(ring: Side) -> Self {
        let is_odd = ring.length % 2 == 1;
        let mut factors = all_factors(ring);
        if is_odd {
            // Where all points are alone, all stay.
            factors.retain(|factor| factor.iter().any(|block| matches!(block, Block::Pair(_))));
        }
        let centre = |block: &Block| matches!(block, Block::Single(stay, _) if stay.len() == 1);
        let dissolved = factors.iter().position(|factor| is_odd && factor.iter().any(centre));
        let dissolved = dissolved.map(|place| two(ring, &factors.remove(place), [&[], &[]], 0));
        let lost =
            dissolved.unwrap_or_default().map(|moves| moves.into_iter().map(|(m, _)| m).collect());
        let [ahead, back]: [Vec<Move>; 2] = lost;
        let twos: Vec<[OneWay; 2]> = (0..)
            .zip(&factors)
            .map(|(i, factor)| two(ring, factor, [&ahead, &back], i % 2))
            .collect();
        let phases = twos.iter().flatten().flatten().map(|&(_, phase)| phase + 1).max();
        let stay = |u| (Move::stay(u), 0);
        let still = is_odd.then(|| (0..ring.length).map(stay).collect());
        Classes { twos, still, phases: phases.unwrap_or(1) }
    }
}

/// The two classes of a factor, with what its points alone have lost. The circuit of a point alone runs
/// backward if `alone` is 0, else forward.
fn two(ring: Side, factor: &[Block], lost: [&[Move]; 2], alone: usize) -> [OneWay; 2] {
    let mut two: [OneWay; 2] = Default::default();
    let mut phases = [0; 2];
    let mut put = |way: usize, moves: Vec<Move>| {
        if !moves.is_empty() {
            two[way].extend(moves.into_iter().map(|m| (m, phases[way])));
            phases[way] += 1;
        }
    };
    let singles = factor.iter().filter(|block| matches!(block, Block::Single(..))).count();
    let mut seen = 0;
    let mut stays = Vec::new();
    for block in factor {
        match block {
            Block::Pair(both) => (0..).zip(both).for_each(|(way, moves)| put(way, moves.clone())),
            Block::Single(stay, None) => {
                let own = |m: &&Move| stay.iter().any(|s| s.from == m.from);
                let own = |moves: &[Move]| moves.iter().filter(own).copied().collect();
                (0..).zip(lost).for_each(|(way, moves)| put(way, own(moves)));
            }
            Block::Single(stay, Some(circuit)) => {
                let way = (alone + usize::from(2 * seen < singles)) % 2;
                seen += 1;
                put(way, circuit.iter().map(|m| go(ring, m.from, m.to, way == 0)).collect());
                stays.push((1 - way, stay));
            }
        }
    }
    for (way, stay) in stays {
        two[way].extend(stay.iter().map(|&m| (m, 0)));
    }
    two
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_carry_every_message_once_in_one_direction_a_phase() {
        for length in 3..40 {
            let Classes { twos, still, phases } = Classes::new(Side { length, is_ring: true });
            let half = length / 2;
            let fewest = if length % 2 == 0 { half.div_ceil(2) } else { half / 2 + 1 };
            assert_eq!(phases, fewest, "{length}");
            let mut sent = vec![0; length * length];
            for class in twos.iter().flatten().chain(&still) {
                let mut from = vec![0; length];
                let mut used = std::collections::HashSet::new();
                for &(m, phase) in class {
                    from[m.from] += 1;
                    sent[m.from * length + m.to] += 1;
                    assert!(m.hops.unsigned_abs() <= length / 2);
                    for i in 0..m.hops.abs() {
                        let at =
                            (m.from as isize + i * m.hops.signum()).rem_euclid(length as isize);
                        assert!(used.insert((at, phase)), "{length}");
                    }
                }
                assert_eq!(from, vec![1; length], "{length}");
                let is_one_way =
                    |ahead: bool| class.iter().all(|(m, _)| m.hops == 0 || (m.hops > 0) == ahead);
                assert!(is_one_way(true) || is_one_way(false));
            }
            assert_eq!(sent, vec![1; length * length], "{length}");
        }
    }
}
