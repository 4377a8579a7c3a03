//! Steps of a torus with d sides of odd length n that translations carry into one another.
//!
//! Let the class of vertex x be the sum of c_i x_i modulo n, each c_i a unit. In a step, all vertices
//! of a class send the same message, along one dimension after the other. A hop of dimension i
//! changes the class by c_i or -c_i. So the channels of one direction, by the class in which they
//! start, form a ring of n, and a message takes an arc of it; messages fit into a step if the arcs
//! on each of the 2d rings are disjoint. A step and its n translates, by one class
//! each, carry the messages of all vertices with these displacements. A step in which the arcs fill
//! all rings wastes nothing: such a step is a tiling.
//!
//! A tiling here is its own mirror image: with displacement D that starts in class w it has -D that
//! starts in class q - w, whose arcs are the mirror images in the opposite directions. So one ring
//! a dimension is enough, where each pair D, -D has one arc. Along the first dimension the arcs of
//! k pairs have any lengths that add up to n, one after the other. The next dimension starts where
//! they end, or at the mirror image of this, by the direction of each: each arc extends to the start
//! of the next one. So the first lengths, the directions and q determine all displacements.

/// The most pairs in a tiling.
pub const MOST: usize = 5;
/// The most dimensions.
pub const DIMENSIONS: usize = 3;

/// Displacements, by dimension.
pub type Hops = [isize; DIMENSIONS];

/// What is common to many tilings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recipe {
    /// The dimensions in the order in which messages go along them.
    pub order: [usize; DIMENSIONS],
    /// By dimension, the change of the class with the coordinate: units, 1 of the first in the
    /// order; and their inverses.
    pub weights: [usize; DIMENSIONS],
    pub inverses: [usize; DIMENSIONS],
    /// The number of pairs.
    pub pairs: usize,
    /// Of several arcs that start at one place, all but one are empty: that of the pair whose number has
    /// the largest exclusive or with this, below 2^[`MOST`], is not.
    pub preference: usize,
}

/// Pairs of opposite displacements that fill all channels of a step and its translates.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tiling {
    /// How it is made.
    pub recipe: Recipe,
    /// The class q: the mirror image of class w is q - w.
    pub mirror: usize,
    /// By pair, the class where its first displacement starts, and the displacement.
    pub starts: [usize; MOST],
    pub hops: [Hops; MOST],
}

/// A generator of tilings.
pub struct Tiler {
    /// The length of the sides.
    pub length: usize,
}

/// Where the messages of every pair are.
type Places = [usize; MOST];

impl Tiler {
    /// Shows all tilings of a recipe that contain a displacement, always in the same order.
    pub fn each(&self, wanted: Hops, recipe: Recipe, show: &mut dyn FnMut(&Tiling)) {
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
