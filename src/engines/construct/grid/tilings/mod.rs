//! All-to-all scatter of tori with two or three equal sides of odd length n, from tilings
//! that contain every displacement once, each with its n translates: in closed form for two sides,
//! by a search for three (cube.rs). As the steps use all channels, their number is the
//! bound.
//!
//! For n = 2m + 1 there are m(m + 1)/2 tilings in two dimensions, n times as many in three.

mod cube;

use super::draft::Draft;
use super::moves::send;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::{Grid, Side};
use rand::RngExt;

/// The schedule, if the search finds tilings.
pub fn plan(problem: &Problem, grid: &Grid, rng: &mut Rng) -> Option<Plan> {
    let length = grid.sides[0].length;
    let tilings = match grid.sides.len() {
        2 => tilings(length),
        _ => cube::tilings(length, &mut |limit| rng.random_range(0..limit))?,
    };
    let steps = length * tilings.len();
    let mut writer = Writer { draft: Draft::new(problem, steps), grid, length };
    for (i, tiling) in tilings.iter().enumerate() {
        writer.tiling(i * length, tiling)?;
    }
    writer.draft.finish()
}

/// Whether these are sides of such a torus, for which tilings are found.
pub fn has(sides: &[Side]) -> bool {
    let is_fit = match sides.len() {
        2 => true,
        3 => sides[0].length <= cube::LONGEST,
        _ => false,
    };
    is_fit && sides[0].is_ring && sides[0].length % 2 == 1 && sides.iter().all(|s| *s == sides[0])
}

/// Writes messages of classes of vertices.
struct Writer<'p, 'g> {
    draft: Draft<'p>,
    grid: &'g Grid,
    length: usize,
}

impl Writer<'_, '_> {
    /// A tiling and its translates, from a step on.
    fn tiling(&mut self, step: usize, tiling: &Tiling) -> Option<()> {
        for (start, hops) in tiling.starts.iter().zip(&tiling.hops).take(tiling.recipe.pairs) {
            let mirrored = tiling.mirror + self.length - start % self.length;
            self.message(step, tiling, *start, *hops)?;
            self.message(step, tiling, mirrored, hops.map(|h| -h))?;
        }
        Some(())
    }

    /// The message of a displacement from every vertex: in step t those of class start + t send it.
    fn message(&mut self, step: usize, tiling: &Tiling, start: usize, hops: Hops) -> Option<()> {
        let (n, dimensions) = (self.length, self.grid.sides.len());
        let order = &tiling.recipe.order[..dimensions];
        for from in 0..self.grid.at.len() {
            let weigh = |&i: &usize| self.grid.coordinate(from, i) * tiling.recipe.weights[i];
            let class: usize = order.iter().map(weigh).sum();
            let turn = (class + n - start % n) % n;
            if order.is_sorted() {
                send(&mut self.draft, self.grid, step + turn, from, &hops[..dimensions])?;
                continue;
            }
            let mut route = Vec::new();
            let walk = |place, &i: &usize| self.grid.walk(place, i, hops[i], &mut route);
            let to = order.iter().try_fold(from, walk)?;
            self.draft.route(step + turn, (self.grid.at[from], self.grid.at[to]), route);
        }
        Some(())
    }
}

// Steps of a torus with d sides of odd length n that translations carry into one another.
//
// Let the class of vertex x be the sum of c_i x_i modulo n, each c_i a unit. In a step, all vertices
// of a class send the same message, along one dimension after the other. A hop of dimension i
// changes the class by c_i or -c_i. So the channels of one direction, by the class in which they
// start, form a ring of n, and a message takes an arc of it; messages fit into a step if the arcs
// on each of the 2d rings are disjoint. A step and its n translates, by one class
// each, carry the messages of all vertices with these displacements. A step in which the arcs fill
// all rings wastes nothing: such a step is a tiling.
//
// A tiling here is its own mirror image: with displacement D that starts in class w it has -D that
// starts in class q - w, whose arcs are the mirror images in the opposite directions. So one ring
// a dimension is enough, where each pair D, -D has one arc. Along the first dimension the arcs of
// k pairs have any lengths that add up to n, one after the other. The next dimension starts where
// they end, or at the mirror image of this, by the direction of each: each arc extends to the start
// of the next one. So the first lengths, the directions and q determine all displacements.

/// The most pairs in a tiling.
const MOST: usize = 5;
/// The most dimensions.
const DIMENSIONS: usize = 3;

/// Displacements, by dimension.
pub type Hops = [isize; DIMENSIONS];

/// What is common to many tilings.
#[derive(Clone, Copy, Debug, Default)]
struct Recipe {
    /// The dimensions in the order in which messages go along them.
    order: [usize; DIMENSIONS],
    /// By dimension, the change of the class with the coordinate: units, 1 of the first in the
    /// order; and their inverses.
    weights: [usize; DIMENSIONS],
    inverses: [usize; DIMENSIONS],
    /// The number of pairs.
    pairs: usize,
    /// Of several arcs that start at one place, all but one are empty: that of the pair whose number has
    /// the largest exclusive or with this, below 2^[`MOST`], is not.
    preference: usize,
}

/// Pairs of opposite displacements that fill all channels of a step and its translates.
#[derive(Clone, Copy, Debug, Default)]
struct Tiling {
    /// How it is made.
    recipe: Recipe,
    /// The class q: the mirror image of class w is q - w.
    mirror: usize,
    /// By pair, the class where its first displacement starts, and the displacement.
    starts: [usize; MOST],
    hops: [Hops; MOST],
}

/// A generator of tilings.
struct Tiler {
    /// The length of the sides.
    length: usize,
}

/// Where the messages of every pair are.
type Places = [usize; MOST];

impl Tiler {
    /// Shows all tilings of a recipe that contain a displacement, always in the same order.
    fn each(&self, wanted: Hops, recipe: Recipe, show: &mut dyn FnMut(&Tiling)) {
        let first = recipe.order[0];
        let sign = if wanted[first] < 0 { -1 } else { 1 };
        let wanted = wanted.map(|hops| hops * sign);
        let mut tiling = Tiling { recipe, ..Tiling::default() };
        tiling.hops[0][first] = wanted[first];
        let mut places = [0; MOST];
        places[0] = wanted[first] as usize;
        self.divide(1, &mut tiling, &mut places, &mut |tiling, places| {
            self.extend(1, tiling, places, wanted, show);
        });
    }

    /// Chooses the lengths of the arcs along the first dimension.
    fn divide(
        &self,
        pair: usize,
        tiling: &mut Tiling,
        places: &mut Places,
        next: &mut dyn FnMut(&mut Tiling, &Places),
    ) {
        let (n, most) = (self.length, self.length / 2);
        let at = places[pair - 1];
        let is_last = pair + 1 == tiling.recipe.pairs;
        let (least, most) = if is_last { (n - at, most) } else { (0, most.min(n - at)) };
        for hops in least..=most {
            tiling.starts[pair] = at;
            tiling.hops[pair][tiling.recipe.order[0]] = hops as isize;
            places[pair] = at + hops;
            if is_last {
                return next(tiling, places);
            }
            self.divide(pair + 1, tiling, places, next);
        }
    }

    /// Chooses the directions along the other dimensions, and with the second the mirror.
    fn extend(
        &self,
        turn: usize,
        tiling: &mut Tiling,
        places: &Places,
        wanted: Hops,
        show: &mut dyn FnMut(&Tiling),
    ) {
        if turn == DIMENSIONS {
            return show(tiling);
        }
        let n = self.length;
        let dimension = tiling.recipe.order[turn];
        let (want, weight) = (wanted[dimension], tiling.recipe.weights[dimension]);
        for signs in 0..1usize << tiling.recipe.pairs {
            let is_back = |pair: usize| signs >> pair & 1 == 1;
            if want != 0 && is_back(0) != (want < 0) {
                continue;
            }
            let mut attempt = |tiling: &mut Tiling| {
                if let Some(places) = self.fill(turn, tiling, places, want, signs) {
                    self.extend(turn + 1, tiling, &places, wanted, show);
                }
            };
            if turn > 1 {
                attempt(tiling);
                continue;
            }
            // The arc of the first pair must end where another starts, at its place or the mirror
            // image of this.
            let length = want.abs() * weight as isize;
            for other in 1..tiling.recipe.pairs {
                let between = places[0] as isize - places[other] as isize;
                let between = if is_back(0) { -between } else { between };
                if is_back(other) != is_back(0) {
                    let sum = (places[0] + places[other]) as isize;
                    let mirror = if is_back(0) { sum - length } else { sum + length };
                    tiling.mirror = mirror.rem_euclid(n as isize) as usize;
                    attempt(tiling);
                } else if (between + length).rem_euclid(n as isize) == 0 {
                    for mirror in 0..n {
                        tiling.mirror = mirror;
                        attempt(tiling);
                    }
                }
            }
        }
    }

    /// Extends the arcs along a dimension; none if one is longer than the half, or that of the first
    /// pair is not as wanted.
    fn fill(
        &self,
        turn: usize,
        tiling: &mut Tiling,
        places: &Places,
        want: isize,
        signs: usize,
    ) -> Option<Places> {
        let n = self.length;
        let dimension = tiling.recipe.order[turn];
        let is_back = |pair: usize| signs >> pair & 1 == 1;
        let Recipe { weights, inverses, preference, .. } = tiling.recipe;
        let (weight, inverse) = (weights[dimension], inverses[dimension]);
        let mut starts = [0; MOST];
        for (pair, start) in starts.iter_mut().enumerate().take(tiling.recipe.pairs) {
            let at = below(places[pair], n);
            let at = if is_back(pair) { below(tiling.mirror + n - at, n) } else { at };
            *start = at * inverse % n;
        }
        let mut ends = *places;
        for pair in 0..tiling.recipe.pairs {
            let mut gap = n;
            for other in (0..tiling.recipe.pairs).filter(|&other| other != pair) {
                let distance = below(starts[other] + n - starts[pair], n);
                if distance > 0 || (other ^ preference) < (pair ^ preference) {
                    gap = gap.min(distance);
                }
            }
            if gap > n / 2 || (pair == 0 && gap != want.unsigned_abs()) {
                return None;
            }
            let change = if is_back(pair) { n - gap } else { gap };
            ends[pair] = (places[pair] + change * weight) % n;
            let hops = gap as isize;
            tiling.hops[pair][dimension] = if is_back(pair) { -hops } else { hops };
        }
        Some(ends)
    }
}

/// A number below 2n modulo n.
fn below(number: usize, n: usize) -> usize {
    if number < n { number } else { number - n }
}

// Tilings of a torus with two equal sides of odd length n = 2m + 1, in closed form.
//
// For d, e >= 1 with d + e <= m + 1, let p = m + 1 - d and q = m + 1 - e. There is one tiling for
// each d and e, with these displacements and their opposites; s is 1 if d + e is even, else -1:
//
// | displacement  | starts in class | turns in class |
// |---------------|-----------------|----------------|
// | (p, s(e - 1)) | 0               | p              |
// | (d - 1, -sq)  | p               | m              |
// | (p, se)       | m               | m + p          |
// | (d, -sq)      | m + p           | 0              |
//
// The class of (x, y) is x + sy. The arcs along x follow one another: p + (d - 1) + p + d = n. With
// mirror p + e - 1, the opposites of the second and the fourth displacement turn in classes p + e +
// m and p + e - 1. So along y, in direction s, the arcs are e - 1 from p, q from p + e - 1, e from p +
// m, q from p + m + e: they follow one another as well. The mirror images fill the other directions.
//
// Every displacement is in one tiling: (X, Y) with 0 <= Y < X is the first one of d = m + 1 - X, e =
// Y + 1; with 0 < Y <= X the third one of d = m + 1 - X, e = Y. So there are two tilings of different
// signs s for 0 < Y < X, and one for Y = 0. Likewise with the second and fourth displacements for
// X <= Y. For X = Y there are the third of d = m + 1 - X, e = X with sign s, and the fourth of d = X, e =
// m + 1 - X with -s for the same s.

/// All tilings for sides of an odd length.
fn tilings(length: usize) -> Vec<Tiling> {
    let m = length / 2;
    let pairs = (1..=m).flat_map(|d| (1..=m + 1 - d).map(move |e| (d, e)));
    pairs.map(|(d, e)| tiling(length, d, e)).collect()
}

fn tiling(length: usize, d: usize, e: usize) -> Tiling {
    let m = length / 2;
    let (p, q) = (m + 1 - d, m + 1 - e);
    let is_even = (d + e).is_multiple_of(2);
    let sign = if is_even { 1 } else { -1 };
    let unit = if is_even { 1 } else { length - 1 };
    let hops = |x: usize, y: isize| [x as isize, sign * y, 0];
    let (up, down) = (e as isize, -(q as isize));
    let recipe = Recipe {
        order: [0, 1, 2],
        weights: [1, unit, 0],
        inverses: [1, unit, 0],
        pairs: 4,
        preference: 0,
    };
    Tiling {
        recipe,
        mirror: p + e - 1,
        starts: [0, p, m, m + p, 0],
        hops: [hops(p, up - 1), hops(d - 1, down), hops(p, up), hops(d, down), [0; 3]],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Every tiling fills all channels, and every displacement is in one.
    #[test]
    fn covers_are_exact_and_leave_no_channel_idle() {
        let squares = (3..40).step_by(2).map(|length| (length, 2));
        for (length, dimensions) in squares.chain([(3, 3), (5, 3), (7, 3), (9, 3)]) {
            let mut rng = ccsched_base::rng::rng_of(1, 0, 0);
            let tilings = match dimensions {
                2 => tilings(length),
                _ => cube::tilings(length, &mut |k| rng.random_range(0..k)).unwrap(),
            };
            let mut seen = HashSet::new();
            for tiling in &tilings {
                let mut used = HashSet::new();
                for pair in 0..tiling.recipe.pairs {
                    let mirrored = tiling.mirror + length - tiling.starts[pair] % length;
                    for (start, sign) in [(tiling.starts[pair], 1), (mirrored, -1)] {
                        let mut class = start as isize;
                        let hops = tiling.hops[pair].map(|h| h * sign);
                        assert!(seen.insert(hops.map(|h| h.rem_euclid(length as isize))));
                        for &i in &tiling.recipe.order[..dimensions] {
                            for _ in 0..hops[i].abs() {
                                let at = class.rem_euclid(length as isize);
                                assert!(used.insert((i, hops[i] > 0, at)), "{length}: {tiling:?}");
                                class += hops[i].signum() * tiling.recipe.weights[i] as isize;
                            }
                        }
                    }
                }
                assert_eq!(used.len(), 2 * dimensions * length);
            }
            assert_eq!(seen.len(), length.pow(dimensions as u32) - 1);
        }
    }
}
