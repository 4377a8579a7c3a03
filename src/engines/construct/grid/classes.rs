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
//!   (factors.rs), which have every vertex.
//! - *Both circuits* of every block in one class: on a ring of n = 8k + 4 vertices, a factor has
//!   2k + 1 blocks; block j runs forward in phase j and backward in phase j + k. So n/2 classes
//!   have 2k + 1 phases and a gap of k.
//! - *Rotations* of a line: vertex x sends to x + c modulo n. Both directions need min(c, n - c)
//!   phases. Also these sum up to the bound of the line, n^2/4 rounded down, for every n, and there is
//!   a class in which all stay, which may share the steps of others.
//! - *Translates* of a map of a ring of odd length, in n/8 phases, rounded up.
//! - *All circuits* of a ring of odd length in one class with a gap of 1, or in classes of n/8 phases,
//!   rounded down.

use super::Dice;
use super::factors::{Block, Move, NearFactors, colours, factors, go};
use ccsched_network::grid::Side;

/// The ways to divide the messages of a side into classes.
pub fn divisions(side: Side, dice: &mut Dice<'_>) -> Vec<Vec<Class>> {
    let Side { length, is_ring } = side;
    let Some(factors) = factors(side) else {
        let whole = whole_of_odd_ring(side, dice).map(|class| vec![class]);
        let map = class(side, dice).map(|class| translates(side, &class));
        let parted = parted(side, dice);
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

// A class of messages of a line or a ring: moves in phases, which use no channel twice in a phase.

/// By side of a grid, the ways to divide its messages into classes.
pub type Divisions = Vec<Vec<Vec<Class>>>;

/// A class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Every move with its phase.
    pub moves: Vec<(Move, usize)>,
    pub phases: usize,
    /// The distance of the phases of a vertex, taken cyclically; none if every vertex has but one.
    pub gap: Option<usize>,
}

impl Class {
    /// Whether all stay where they are.
    pub fn is_still(&self) -> bool {
        self.moves.iter().all(|(m, _)| m.hops == 0)
    }
}

// A map of a ring of odd length n = 2m + 1 whose n translates carry every message once, in the
// fewest phases: n/8, rounded up, or in one more if the search does not find that.
//
// Vertex x sends over d(x), and no two vertices have one distance or one destination (in algebra,
// an orthomorphism). Vertex 0 stays; if x sends over d, then -x sends over -d. So a start for each
// d from 1 to m is enough; the starts and their opposites differ, as do the ends. Arcs of a phase
// are disjoint; opposites run in the other direction. The starts are found by backtracking, the
// longest arcs first, begun anew after some attempts.

/// Arcs placed before the search begins anew, and how often it begins.
const ARCS: usize = 2_000;
const ATTEMPTS: usize = 60;

/// The class of a ring of odd length; none if the search fails.
pub fn class(side: Side, dice: &mut Dice<'_>) -> Option<Class> {
    let n = side.length;
    let few = n.div_ceil(8);
    let mut attempts = [few, few + 1].into_iter().flat_map(|phases| [phases; ATTEMPTS]);
    let (phases, search) = attempts.find_map(|phases| {
        let mut search = ClassSearch::new(n, phases);
        search.place(n / 2, dice).then_some((phases, search))
    })?;
    let mut moves = vec![(Move::stay(0), 0)];
    for (hops, start, phase) in search.placed {
        let end = (start + hops) % n;
        let hops = hops as isize;
        moves.push((Move { from: start, to: end, hops }, phase));
        moves.push((Move { from: n - start, to: n - end, hops: -hops }, phase));
    }
    Some(Class { moves, phases, gap: None })
}

struct ClassSearch {
    length: usize,
    /// By phase, then vertex: whether the channel forward is in use.
    used: Vec<Vec<bool>>,
    /// By vertex.
    is_start: Vec<bool>,
    is_end: Vec<bool>,
    /// Hops, start and phase.
    placed: Vec<(usize, usize, usize)>,
    /// The arcs that may still be tried.
    effort: usize,
}

impl ClassSearch {
    fn new(length: usize, phases: usize) -> Self {
        let mut at_zero = vec![false; length];
        at_zero[0] = true;
        ClassSearch {
            length,
            used: vec![vec![false; length]; phases],
            is_start: at_zero.clone(),
            is_end: at_zero,
            placed: Vec::new(),
            effort: ARCS,
        }
    }

    /// Places the arcs of this length and all shorter ones.
    fn place(&mut self, hops: usize, dice: &mut Dice<'_>) -> bool {
        if hops == 0 {
            return true;
        }
        let n = self.length;
        let mut ways: Vec<(usize, usize)> = (0..self.used.len())
            .flat_map(|phase| (1..n).map(move |start| (phase, start)))
            .filter(|&(phase, start)| self.fits(hops, start, phase))
            .collect();
        while !ways.is_empty() {
            let Some(effort) = self.effort.checked_sub(1) else { return false };
            self.effort = effort;
            let (phase, start) = ways.swap_remove(dice(ways.len()));
            self.set(hops, start, phase, true);
            self.placed.push((hops, start, phase));
            if self.place(hops - 1, dice) {
                return true;
            }
            self.placed.pop();
            self.set(hops, start, phase, false);
        }
        false
    }

    fn fits(&self, hops: usize, start: usize, phase: usize) -> bool {
        let n = self.length;
        let end = (start + hops) % n;
        end != 0
            && !self.is_start[start]
            && !self.is_end[end]
            && (0..hops).all(|i| !self.used[phase][(start + i) % n])
    }

    fn set(&mut self, hops: usize, start: usize, phase: usize, value: bool) {
        let n = self.length;
        let end = (start + hops) % n;
        for (marks, at) in [(&mut self.is_start, start), (&mut self.is_end, end)] {
            marks[at] = value;
            marks[n - at] = value;
        }
        (0..hops).for_each(|i| self.used[phase][(start + i) % n] = value);
    }
}

// The messages of a ring of odd length in classes of as many phases as its bound, all together; in
// a phase one circuit runs forward and one backward, so no channel is idle.
//
// The circuits are those of ring.rs: on 2m + 1 vertices, for every t up to m and every s below t,
// the walk once round the ring over t, s + m + 1, t + m and s (the second and the third are one
// vertex if s + 1 = t), and its mirror image. Circuits of a phase have different vertices, and each
// vertex stays in one phase; which circuits share a phase a search finds out.
//
// - *One class*: from 11 vertices on a search finds it at once; 7 vertices have more messages than
//   phases, 9 too few pairs of circuits.
// - *Many classes* of n/8 phases, rounded down, for rings of whose circuits
//   these classes hold all, such as that of 23 vertices.

/// The shortest ring with enough phases.
const SHORTEST: usize = 11;
/// The fewest phases of one of many classes.
const FEWEST: usize = 2;

/// The one class; none if the ring is too short, or the search fails.
fn whole_of_odd_ring(side: Side, dice: &mut Dice<'_>) -> Option<Class> {
    let n = side.length;
    if n < SHORTEST {
        return None;
    }
    let mut circuits = circuits(side);
    let phases = circuits.len() / 2;
    circuits.extend(stays(n));
    // Resources: vertices, then the two directions.
    let uses = |circuit: &Vec<Move>| {
        let direction = is_back(circuit).map(|is_back| n + usize::from(is_back));
        circuit.iter().map(|m| m.from).chain(direction).collect()
    };
    let uses: Vec<Vec<usize>> = circuits.iter().map(uses).collect();
    let colours = colours(&uses, phases, dice)?;
    let with_phase =
        |(circuit, phase): (Vec<Move>, usize)| circuit.into_iter().map(move |m| (m, phase));
    let moves = circuits.into_iter().zip(colours).flat_map(with_phase).collect();
    Some(Class { moves, phases, gap: Some(1) })
}

/// The many classes; none if the ring is too short, or the search fails.
fn parted(side: Side, dice: &mut Dice<'_>) -> Option<Vec<Class>> {
    let n = side.length;
    let phases = n / 8;
    // With 8k + 1 vertices, the circuits leave hardly any vertex to stay; nor do they in a class with
    // a phase more.
    if phases < FEWEST || n % 8 == 1 || !(n * n / 8).is_multiple_of(phases) {
        return None;
    }
    let (forward, backward): (Vec<_>, Vec<_>) =
        circuits(side).into_iter().partition(|c| is_back(c) == Some(false));
    let class = |part: ClassPart| {
        let rest = part.rest.into_iter().map(|m| (m, 0));
        let moves = part.circuits.into_iter().flatten().chain(rest).collect();
        Class { moves, phases: part.phases, gap: None }
    };
    let parts = parts(n, [forward, backward], stays(n).collect(), phases, dice)?;
    Some(parts.into_iter().map(class).collect())
}

/// Every circuit, followed by its mirror image.
fn circuits(side: Side) -> Vec<Vec<Move>> {
    let n = side.length;
    let m = n / 2;
    let mut circuits: Vec<Vec<Move>> = Vec::new();
    for (t, s) in (1..=m).flat_map(|t| (0..t).map(move |s| (t, s))) {
        let mut stops = vec![t, s + m + 1, t + m, s];
        stops.dedup();
        let walk = |place: fn(usize, usize) -> usize, forward: bool| -> Vec<Move> {
            let next = stops.iter().cycle().skip(1);
            let ends = stops.iter().zip(next).map(|(&a, &b)| (place(a, n), place(b, n)));
            ends.map(|(from, to)| go(side, from, to, forward)).collect()
        };
        circuits.push(walk(|v, _| v, true));
        circuits.push(walk(|v, n| (n - v) % n, false));
    }
    circuits
}

/// Whether a circuit runs backward; none of a vertex that stays.
fn is_back(circuit: &[Move]) -> Option<bool> {
    let hops = circuit[0].hops;
    (hops != 0).then_some(hops < 0)
}

// Circuits of a ring in classes of q phases: in a phase, one circuit runs forward and one backward,
// and all circuits of a class have different vertices. Which circuits share a class a search finds
// out. If the number of circuits is no multiple of q, some classes have one phase more.

/// Moves along a ring that use each channel at most once.
type Circuit = Vec<Move>;

/// Circuits that share a class, with their directions; and their phase, if they have any.
type Item = (Vec<(usize, Circuit)>, Option<usize>);

/// A class: its moves with their phases.
#[derive(Clone, Debug, Default)]
pub struct ClassPart {
    /// By direction.
    pub circuits: [Vec<(Move, usize)>; 2],
    /// What uses no phase.
    pub rest: Vec<Move>,
    pub phases: usize,
}

/// The classes of circuits that run forward and as many that run backward; `rest` are moves that
/// have a class but no phase. None if the search fails.
pub fn parts(
    length: usize,
    mut circuits: [Vec<Circuit>; 2],
    rest: Vec<Circuit>,
    phases: usize,
    dice: &mut Dice<'_>,
) -> Option<Vec<ClassPart>> {
    let count = circuits[0].len() / phases;
    // The shortest come last: they share a class with more than others.
    circuits.iter_mut().for_each(|all| all.sort_by_key(|c| std::cmp::Reverse(c.len())));
    let mut items: Vec<Item> = Vec::new();
    let [forward, backward] = &mut circuits;
    for first in forward.split_off(count * phases) {
        let is_apart = |c: &Circuit| c.iter().all(|m| first.iter().all(|f| f.from != m.from));
        let second = backward.remove(backward.iter().rposition(is_apart)?);
        items.push((vec![(0, first), (1, second)], Some(phases)));
    }
    for (direction, all) in circuits.into_iter().enumerate() {
        let item = |(i, c): (usize, Circuit)| (vec![(direction, c)], Some(i / count));
        items.extend(all.into_iter().enumerate().map(item));
    }
    items.extend(rest.into_iter().map(|c| (vec![(0, c)], None)));
    // Resources: vertices, then the directions of every phase.
    let uses = |(circuits, phase): &Item| {
        let vertices = circuits.iter().flat_map(|(_, c)| c.iter().map(|m| m.from));
        let direction = phase.map(|phase| length + 2 * phase + circuits[0].0);
        vertices.chain(direction).collect()
    };
    let uses: Vec<Vec<usize>> = items.iter().map(uses).collect();
    let colours = colours(&uses, count, dice)?;
    let mut parts = vec![ClassPart::default(); count];
    for ((circuits, phase), colour) in items.into_iter().zip(colours) {
        let part = &mut parts[colour];
        for (direction, circuit) in circuits {
            match phase {
                None => part.rest.extend(circuit),
                Some(phase) => {
                    part.phases = part.phases.max(phase + 1);
                    part.circuits[direction].extend(circuit.into_iter().map(|m| (m, phase)));
                }
            }
        }
    }
    Some(parts)
}

/// Every vertex to itself.
pub fn stays(length: usize) -> impl Iterator<Item = Circuit> {
    (0..length).map(|v| vec![Move::stay(v)])
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

    #[test]
    fn it_is_found_for_rings_of_every_odd_length() {
        let mut rng = ccsched_base::rng::rng_of(1, 0, 0);
        let dice = &mut |limit| rng.random_range(0..limit);
        for length in (3..48).step_by(2) {
            let class = class(Side { length, is_ring: true }, dice).unwrap();
            let few = length.div_ceil(8);
            assert!(class.phases == few || length > 31 && class.phases == few + 1, "{length}");
            let mut distances: Vec<isize> = class.moves.iter().map(|(m, _)| m.hops).collect();
            distances.sort_unstable();
            let far = length as isize / 2;
            assert_eq!(distances, (-far..=far).collect::<Vec<_>>());
        }
    }
}
