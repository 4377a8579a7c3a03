//! All-to-all scatter of a grid with two sides: a ring of n = 2m vertices, m odd, and a shorter side.
//!
//! The ring has (m^2 - 1)/2 circuits in each direction (factors.rs), and one of two opposite vertices
//! that may run in either: its *odd circuit*. They are in classes of q = n/8 phases, rounded down, or
//! one more (ring_parts.rs). The other side, of b vertices, has b classes of at most q phases in which
//! every vertex sends one message and receives one (classes.rs). As in product.rs, a class of each
//! takes q steps, in which all channels of the ring are in use: the message of phases i and j goes in
//! step i + j modulo q.
//!
//! The class with the odd circuit takes 2q + 1 steps with two classes F and G of the other side:
//!
//! | steps       | forward                      | steps    | backward                      |
//! |-------------|------------------------------|----------|-------------------------------|
//! | 0 to q      | with F, and the odd circuit  | 0 to q-1 | with F                        |
//! | q + 1 to 2q | with G                       | q to 2q  | with G, and the odd circuit   |
//!
//! Here the sums of phases are taken modulo the number of these steps. At a vertex of the ring, F and
//! G take different steps: this is plain for all circuits but the odd one, which has phase 0 in both
//! directions. As F has at most q phases, the odd circuit takes steps 0 to q - 1 with F, and steps q to
//! 2q - 1 with G. One class that remains if b is odd takes q + 1 steps. All this makes m^2 b/2 steps,
//! rounded up, which is the bound.

use super::Dice;
use super::classes::{Class, divisions};
use super::draft::Draft;
use super::factors::{Block, Move, block, go};
use super::moves::combine;
use super::product::least;
use super::ring_parts::{Circuit, Part, parts, stays};
use super::shape::{Grid, Side};
use crate::problem::Problem;
use crate::rng::Rng;
use crate::schedule::Plan;
use rand::RngExt;

/// The schedule, if the network has such sides, and the searches succeed.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let grid = Grid::of(problem)?;
    let &[ring, other] = &grid.sides[..] else { return None };
    let steps = (ring.length * ring.length / 4 * other.length).div_ceil(2);
    let phases = ring.length / 8;
    let is_fit = ring.is_ring && ring.length % 4 == 2 && phases > 0;
    if !is_fit || steps != least(&grid.sides) {
        return None;
    }
    let dice = &mut |limit| rng.random_range(0..limit);
    let is_complete = |class: &Class| {
        class.gap.is_none() && class.moves.len() == other.length && class.phases <= phases
    };
    let fits =
        |classes: &Vec<Class>| classes.len() == other.length && classes.iter().all(is_complete);
    let classes = divisions(other, dice).into_iter().find(fits)?;
    let mut writer = Writer { draft: Draft::new(problem, steps), grid: &grid, step: 0 };
    for part in ring_parts(ring, phases, dice)? {
        if part.rest.iter().any(|m| m.hops != 0) {
            writer.odd(&part, &classes)?;
        } else {
            writer.even(&part, &classes)?;
        }
    }
    writer.draft.finish()
}

/// The classes of the ring.
fn ring_parts(side: Side, phases: usize, dice: &mut Dice<'_>) -> Option<Vec<Part>> {
    let m = side.length / 2;
    let mut circuits: [Vec<Circuit>; 2] = Default::default();
    for (u, v) in (0..m).flat_map(|v| (0..v).map(move |u| (u, v))) {
        if let Block::Pair([forward, backward]) = block(side, [u, v]) {
            circuits[0].push(forward);
            circuits[1].push(backward);
        }
    }
    let opposite = |u: usize, ahead: bool| {
        [(u, u + m), (u + m, u)].map(|(from, to)| go(side, from, to, ahead)).to_vec()
    };
    (0..m - 1).for_each(|u| circuits[u % 2].push(opposite(u, u % 2 == 0)));
    let rest = stays(side.length).chain([opposite(m - 1, true)]).collect();
    parts(side.length, circuits, rest, phases, dice)
}

/// Writes classes, one after the other.
struct Writer<'p, 'g> {
    draft: Draft<'p>,
    grid: &'g Grid,
    step: usize,
}

impl Writer<'_, '_> {
    /// Some moves with a class, in a number of steps from one on.
    fn put(
        &mut self,
        moves: &[(Move, usize)],
        class: &Class,
        first: usize,
        steps: usize,
    ) -> Option<()> {
        let first = self.step + first;
        combine(&mut self.draft, self.grid, &[moves, &class.moves], |sum| first + sum % steps)
    }

    /// A class of the ring without the odd circuit.
    fn even(&mut self, part: &Part, classes: &[Class]) -> Option<()> {
        let rest: Vec<_> = part.rest.iter().map(|&m| (m, 0)).collect();
        for class in classes {
            for moves in [&part.circuits[0], &part.circuits[1], &rest] {
                self.put(moves, class, 0, part.phases)?;
            }
            self.step += part.phases;
        }
        Some(())
    }

    /// The class of the ring with the odd circuit.
    fn odd(&mut self, part: &Part, classes: &[Class]) -> Option<()> {
        let q = part.phases;
        let (odd, stay): (Vec<Move>, Vec<Move>) = part.rest.iter().partition(|m| m.hops != 0);
        let stay: Vec<_> = stay.into_iter().map(|m| (m, 0)).collect();
        // The other circuits have phases 1 to q beside the odd one, which has phase 0.
        let with_odd = |direction: usize| -> Vec<(Move, usize)> {
            let later = part.circuits[direction].iter().map(|&(m, phase)| (m, phase + 1));
            let turn =
                |m: &Move| Move { hops: if direction == 0 { m.hops } else { -m.hops }, ..*m };
            later.chain(odd.iter().map(|m| (turn(m), 0))).collect()
        };
        let [ahead, back] = [with_odd(0), with_odd(1)];
        for two in classes.chunks(2) {
            self.put(&ahead, &two[0], 0, q + 1)?;
            self.put(&part.circuits[1], &two[0], 0, q)?;
            self.put(&stay, &two[0], 0, q)?;
            if let Some(second) = two.get(1) {
                self.put(&part.circuits[0], second, q + 1, q)?;
                self.put(&back, second, q, q + 1)?;
                self.put(&stay, second, q + 1, q)?;
                self.step += q;
            }
            self.step += q + 1;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_carry_every_message_once_and_use_a_vertex_once() {
        let mut rng = crate::rng::rng_of(1, 0, 0);
        let dice = &mut |limit| rng.random_range(0..limit);
        for n in (10..34).step_by(4) {
            let parts = ring_parts(Side { length: n, is_ring: true }, n / 8, dice).unwrap();
            let mut sent = vec![0; n * n];
            for part in &parts {
                let mut seen = vec![0; n];
                let circuits = part.circuits.iter().flatten().map(|(m, _)| m);
                for m in circuits.chain(&part.rest) {
                    seen[m.from] += 1;
                    sent[m.from * n + m.to] += 1;
                }
                assert!(seen.iter().all(|&uses| uses <= 1));
                for all in &part.circuits {
                    let mut hops = vec![0; part.phases];
                    all.iter().for_each(|(m, phase)| hops[*phase] += m.hops.unsigned_abs());
                    assert_eq!(hops, vec![n; part.phases]);
                }
            }
            assert_eq!(sent, vec![1; n * n]);
            let is_odd = |part: &&Part| part.rest.iter().any(|m| m.hops != 0);
            assert_eq!(parts.iter().filter(is_odd).count(), 1);
            assert_eq!(parts.iter().map(|p| p.phases).sum::<usize>(), (n * n / 4 - 1) / 2);
        }
    }
}
