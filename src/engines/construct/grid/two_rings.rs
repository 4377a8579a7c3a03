//! All-to-all scatter of a torus with two sides of different lengths: circuits of the longer ring
//! (factors.rs), one-way classes of the shorter one.
//!
//! A factor of the long ring, of n vertices, has q circuits of different vertices in each direction; the
//! classes of the short ring come in twos of opposite directions, of at most q phases. In q steps the
//! circuits that run forward meet one class of two and those that run backward the other, in q further
//! steps the other way round: circuit i and phase j in step i + j modulo q. So each vertex of the short ring has all
//! channels of its long ring in use, and on those of the short rings in one direction there is but
//! one of the circuits, which have different vertices, in a phase.
//!
//! *Opposite vertices.* If n = 2m, their m circuits run in either direction. They take m steps with two
//! classes: forward with one, backward with the other.
//!
//! *The class in which all stay* meets circuits of both directions in one step.
//!
//! So all steps use all channels of the long rings, and their number is the bound. The messages along
//! the short ring alone go in steps in which it is idle. There are enough of them: a short ring of b
//! vertices is in use as much as is left of bn^2/8 steps after the others have had (n - 1)b^2/8.

use super::draft::Draft;
use super::factors::{Block, Move, all_factors, go};
use super::moves::{combine, least};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::{Grid, Side};

/// The schedule, if the circuits are enough for the phases.
pub fn plan(problem: &Problem, grid: &Grid, _: &mut Rng) -> Option<Plan> {
    let &[long, short] = &grid.sides[..] else { return None };
    let classes = Classes::new(short);
    let steps = least(&grid.sides);
    let idle = vec![[true; 2]; steps * long.length];
    let mut writer = Writer { draft: Draft::new(problem, steps), grid, steps, idle, step: 0 };
    for circuits in circuits(long) {
        if circuits[0].is_empty() {
            continue;
        }
        if circuits[0].len() < classes.phases {
            return None;
        }
        writer.circuits(&circuits, &classes)?;
    }
    if long.length.is_multiple_of(2) {
        writer.opposites(long, &classes)?;
    }
    writer.short(short)?;
    writer.draft.finish()
}

/// By factor of a ring, its circuits forward and backward.
fn circuits(ring: Side) -> Vec<[Vec<Vec<Move>>; 2]> {
    let pairs = |factor: Vec<Block>| {
        let mut circuits: [Vec<Vec<Move>>; 2] = Default::default();
        for block in factor {
            if let Block::Pair([ahead, back]) = block {
                circuits[0].push(ahead);
                circuits[1].push(back);
            }
        }
        circuits
    };
    all_factors(ring).into_iter().map(pairs).collect()
}

/// The circuits of opposite vertices of an even ring, forward or backward.
fn opposites(ring: Side, ahead: bool) -> Vec<Vec<Move>> {
    let m = ring.length / 2;
    let circuit = |u| [(u, u + m), (u + m, u)].map(|(from, to)| go(ring, from, to, ahead)).to_vec();
    (0..m).map(circuit).collect()
}

/// Circuits, one a phase.
fn in_turn(circuits: &[Vec<Move>]) -> OneWay {
    let phased = |(i, moves): (usize, &Vec<Move>)| moves.iter().map(move |&m| (m, i)).collect();
    (0..).zip(circuits).flat_map(|c| -> OneWay { phased(c) }).collect()
}

/// Writes circuits with classes, one factor after the other.
struct Writer<'p, 'g> {
    draft: Draft<'p>,
    grid: &'g Grid,
    /// Steps in all.
    steps: usize,
    /// By short ring and step, whether its channels forward and backward are idle.
    idle: Vec<[bool; 2]>,
    /// The first step that has no circuits yet.
    step: usize,
}

impl Writer<'_, '_> {
    /// The circuits of a factor with all classes.
    fn circuits(&mut self, circuits: &[Vec<Vec<Move>>; 2], classes: &Classes) -> Option<()> {
        let [ahead, back] = [in_turn(&circuits[0]), in_turn(&circuits[1])];
        let count = circuits[0].len();
        for [one, other] in &classes.twos {
            for [with_ahead, with_back] in [[one, other], [other, one]] {
                self.put(&ahead, with_ahead, (0, count))?;
                self.put(&back, with_back, (turn(with_ahead, with_back, count), count))?;
                self.step += count;
            }
        }
        if let Some(still) = &classes.still {
            self.put(&ahead, still, (0, count))?;
            self.put(&back, still, (turn(still, still, count), count))?;
            self.step += count;
        }
        Some(())
    }

    /// The circuits of opposite vertices with all classes.
    fn opposites(&mut self, ring: Side, classes: &Classes) -> Option<()> {
        let [ahead, back] = [opposites(ring, true), opposites(ring, false)];
        let count = ahead.len();
        for [one, other] in &classes.twos {
            self.put(&in_turn(&ahead), one, (0, count))?;
            self.put(&in_turn(&back), other, (turn(one, other, count), count))?;
            self.step += count;
        }
        if let Some(still) = &classes.still {
            let half = count.div_ceil(2);
            self.put(&in_turn(&ahead[..half]), still, (0, half))?;
            self.put(&in_turn(&back[half..]), still, (0, half))?;
            self.step += half;
        }
        Some(())
    }

    /// Circuits with a class, in the next `count` steps, from one of them on.
    fn put(&mut self, circuits: &OneWay, class: &OneWay, at: (usize, usize)) -> Option<()> {
        let (begin, count) = at;
        let step = |phases: usize| self.step + (begin + phases) % count;
        for (x, i) in circuits {
            for (y, j) in class.iter().filter(|(y, _)| y.hops != 0) {
                *self.idle.get_mut(x.to * self.steps + step(i + j))?.get_mut(way(y))? = false;
            }
        }
        combine(&mut self.draft, self.grid, &[circuits, class], step)
    }

    /// The messages along the short rings alone, a circuit in each idle step.
    fn short(&mut self, ring: Side) -> Option<()> {
        let mut circuits: [Vec<Vec<Move>>; 2] = Default::default();
        for factor in self::circuits(ring) {
            (0..).zip(factor).for_each(|(way, more): (usize, _)| circuits[way].extend(more));
        }
        if ring.length.is_multiple_of(2) {
            let half = ring.length / 4;
            circuits[0].extend_from_slice(&opposites(ring, true)[..half]);
            circuits[1].extend_from_slice(&opposites(ring, false)[half..]);
        }
        for x in 0..self.grid.sides[0].length {
            let stay = [(Move::stay(x), 0)];
            for (way, circuits) in circuits.iter().enumerate() {
                let idle = &self.idle[x * self.steps..][..self.steps];
                let mut free = (0..self.steps).filter(|&step| idle[step][way]);
                for circuit in circuits {
                    let step = free.next()?;
                    let moves: OneWay = circuit.iter().map(|&m| (m, 0)).collect();
                    combine(&mut self.draft, self.grid, &[&stay, &moves], |_| step)?;
                }
            }
        }
        Some(())
    }
}

/// Offset of the backward circuits, chosen to minimise vertices that send or receive twice in a
/// step.
fn turn(ahead: &OneWay, back: &OneWay, count: usize) -> usize {
    let mut meet = vec![0; count];
    for (a, i) in ahead {
        let same = back.iter().filter(|(b, _)| a.from == b.from || a.to == b.to);
        same.for_each(|(_, j)| meet[(i + count - j % count) % count] += 1);
    }
    (0..count).min_by_key(|&turn| meet[turn]).unwrap_or(0)
}

/// The direction of a move: 0 if forward, 1 if backward.
fn way(m: &Move) -> usize {
    usize::from(m.hops < 0)
}

// The messages of a ring of n vertices in n one-way classes: all moves of a class run forward, or all
// backward, and every vertex sends one message, or stays. They come in twos of opposite directions.
//
// The factors of the ring (factors.rs) yield the twos: the circuits of the blocks, one a phase, forward in
// the first class, backward in the second. A point alone runs its circuit in one of the classes and stays in
// the other, by turns; of many points alone, half of them run in either.
//
// On a ring of odd length points have no circuits of their own. If n = 4k + 3, the factors are perfect, and all
// vertices stay in one more class. If n = 4k + 1, every factor leaves a point out, a different one,
// which cannot stay each time. So the factor that leaves out the centre is dissolved: if point u is
// left out in another class, its two vertices send there what they sent in the circuit that is dissolved. These
// are every other move of a circuit, so they take one phase more.

/// Moves with their phases.
type OneWay = Vec<(Move, usize)>;

/// The classes of a ring.
struct Classes {
    /// Opposite classes, the forward one first.
    twos: Vec<[OneWay; 2]>,
    /// On a ring of odd length, the class in which all stay.
    still: Option<OneWay>,
    /// The most phases of a class.
    phases: usize,
}

impl Classes {
    /// The classes of a ring.
    fn new(ring: Side) -> Self {
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
    use crate::construct::grid::tests::steps;

    /// All rings but those of 4, which are two lines of 2. A draft is finished only if it is complete and
    /// without conflicts.
    #[test]
    fn rings_of_any_lengths_are_at_the_bound_where_phases_suffice() {
        for (long, short) in (5..20).flat_map(|long| (3..long).map(move |short| (long, short))) {
            if short == 4 {
                continue;
            }
            let is_tight = long % 4 == 2 && short == long - 1;
            let side = |length| Side { length, is_ring: true };
            let steps = steps("two rings", &format!("torus:{long}x{short}"));
            let bound = least(&[side(long), side(short)]);
            assert_eq!(steps, (!is_tight).then_some(bound), "{long}x{short}");
        }
    }

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
