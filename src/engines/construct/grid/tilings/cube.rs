//! Tilings of a torus with three equal sides of odd length n that together contain every
//! displacement once.
//!
//! For n = 2m + 1 these are m(m + 1)n/2 tilings, most of four pairs, some of five. From sides of 7 on,
//! tilings come in threes that rotations of the dimensions carry into one another, so that only every
//! third is to be found. The diagonals (a, a, a) are their own rotations. They are in tilings of one or
//! two diagonals and the three rotations of another displacement, which are their own rotations as well.
//! The number of all tilings is a multiple of 3, and so must be the number of these.

use super::{DIMENSIONS, Hops, MOST, Recipe, Tiler, Tiling};
use crate::construct::grid::Dice;
use std::collections::HashMap;

/// From sides of this length on, tilings are rotated; shorter sides have too few of them.
const ROTATED: usize = 7;
/// The longest side for which tilings are found within seconds.
pub const LONGEST: usize = 15;
/// The most diagonals in a tiling.
const DIAGONALS: usize = MOST - DIMENSIONS;
/// Recipes that are tried for a tiling with a special property.
const ATTEMPTS: usize = 100_000;

/// The tilings, if the search finds them.
pub fn tilings(length: usize, dice: &mut Dice<'_>) -> Option<Vec<Tiling>> {
    let is_rotated = length >= ROTATED;
    let kinds = Kinds::new(length, is_rotated);
    let mut search = CubeTilings { is_left: vec![true; kinds.samples.len()], kinds };
    let count = length * (length * length - 1) / 8;
    if !is_rotated {
        return search.rest(count, dice);
    }
    let mut tilings = search.diagonals(dice)?;
    let rest = search.rest((count - tilings.len()) / DIMENSIONS, dice)?;
    tilings
        .extend(rest.iter().flat_map(|tiling| (0..DIMENSIONS).map(|turns| turned(tiling, turns))));
    Some(tilings)
}

/// A tiling after rotations of the dimensions.
fn turned(tiling: &Tiling, turns: usize) -> Tiling {
    let mut turned = *tiling;
    turned.hops = tiling.hops.map(|hops| rotated(hops, turns));
    turned.recipe.weights = rotated(tiling.recipe.weights, turns);
    turned.recipe.inverses = rotated(tiling.recipe.inverses, turns);
    turned.recipe.order = tiling.recipe.order.map(|i| (i + DIMENSIONS - turns) % DIMENSIONS);
    turned
}

/// Which kinds of displacements are in no tiling yet.
struct CubeTilings {
    kinds: Kinds,
    is_left: Vec<bool>,
}

impl CubeTilings {
    /// Tilings with all diagonals.
    fn diagonals(&mut self, dice: &mut Dice<'_>) -> Option<Vec<Tiling>> {
        let longest = self.kinds.length / 2;
        let count = longest.div_ceil(DIMENSIONS * DIAGONALS) * DIMENSIONS;
        let mut tilings = Vec::with_capacity(count);
        for first in 1..=count {
            let diagonals: Vec<usize> = (first..=longest).step_by(count).collect();
            let wanted = [*diagonals.first()? as isize; DIMENSIONS];
            let pairs = diagonals.len() + DIMENSIONS;
            let is_fit =
                |search: &CubeTilings, tiling: &Tiling| search.is_rotated(tiling, &diagonals);
            tilings.push(self.special(pairs, |_, _| wanted, is_fit, dice)?);
        }
        Some(tilings)
    }

    /// Whether a tiling has these diagonals and all rotations of another displacement.
    fn is_rotated(&self, tiling: &Tiling, diagonals: &[usize]) -> bool {
        let hops = tiling.hops[..tiling.recipe.pairs].iter();
        let is_diagonal = |hops: &&Hops| hops.iter().all(|&hop| hop == hops[0]);
        let (own, others): (Vec<&Hops>, Vec<&Hops>) = hops.partition(is_diagonal);
        let mut lengths: Vec<usize> = own.iter().map(|hops| hops[0].unsigned_abs()).collect();
        lengths.sort_unstable();
        let kind = others.first().and_then(|hops| self.kinds.of(hops));
        let is_other = |i: usize, hops: &Hops| {
            others[..i].iter().all(|&&before| before != *hops && before != hops.map(|hop| -hop))
        };
        lengths == diagonals
            && kind.is_some_and(|kind| self.is_left[kind])
            && others.iter().all(|hops| self.kinds.of(hops) == kind)
            && others.iter().enumerate().all(|(i, hops)| is_other(i, hops))
    }

    /// Tilings with all kinds that are left, once each.
    fn rest(&mut self, count: usize, dice: &mut Dice<'_>) -> Option<Vec<Tiling>> {
        let mut tilings = Vec::with_capacity(count);
        let left = self.is_left.iter().filter(|&&is_left| is_left).count();
        for _ in 0..left.checked_sub(FOUR * count)? {
            let wanted = |search: &CubeTilings, dice: &mut Dice<'_>| {
                search.kinds.samples[dice(search.kinds.samples.len())]
            };
            let is_fit = |search: &CubeTilings, tiling: &Tiling| {
                search.kinds.of_tiling(tiling).is_some_and(|kinds| {
                    let is_first = |i: usize| !kinds[..i].contains(&kinds[i]);
                    (0..kinds.len()).all(|i| search.is_left[kinds[i]] && is_first(i))
                })
            };
            tilings.push(self.special(MOST, wanted, is_fit, dice)?);
        }
        let left: Vec<usize> = (0..self.is_left.len()).filter(|&kind| self.is_left[kind]).collect();
        tilings.extend(divide(&self.kinds, &left, dice)?);
        Some(tilings)
    }

    /// A tiling with a displacement that is wanted and something more. Its kinds are no longer left.
    fn special(
        &mut self,
        pairs: usize,
        wanted: impl Fn(&CubeTilings, &mut Dice<'_>) -> Hops,
        is_fit: impl Fn(&CubeTilings, &Tiling) -> bool,
        dice: &mut Dice<'_>,
    ) -> Option<Tiling> {
        let tiler = Tiler { length: self.kinds.length };
        let mut found = None;
        for _ in 0..ATTEMPTS {
            let (recipe, wanted) = (self.kinds.recipe(pairs, dice), wanted(self, dice));
            tiler.each(wanted, recipe, &mut |tiling| {
                if found.is_none() && is_fit(self, tiling) {
                    found = Some(*tiling);
                }
            });
            if let Some(tiling) = found {
                for kind in self.kinds.of_tiling(&tiling)? {
                    self.is_left[kind] = false;
                }
                return found;
            }
        }
        None
    }
}

// A division of displacements into fours that have a tiling each, by swaps between the fours.
//
// One four in ten or twenty has a tiling, and it is enough to know some hundredth of these. Two
// displacements of two fours change places if no fewer of the two have a tiling that is known. As long as
// that leaves fours without one, more tilings are generated.

/// The displacements in most tilings.
const FOUR: usize = 4;
/// Recipes whose tilings are generated before swaps are tried.
const RECIPES: usize = 1000;
/// How often they are at most.
const ROUNDS: usize = 50;
/// Swaps tried in a round, for every four.
const SWAPS: usize = 4000;

type Four = [usize; FOUR];

/// The tilings of a division of these kinds, if it is found.
fn divide(kinds: &Kinds, left: &[usize], dice: &mut Dice<'_>) -> Option<Vec<Tiling>> {
    let mut known = Known::new(kinds, left);
    let mut fours: Vec<Four> = left.chunks(FOUR).map_while(|four| four.try_into().ok()).collect();
    for _ in 0..ROUNDS {
        known.add(dice);
        if known.swap(&mut fours, dice) {
            return fours.iter().map(|four| known.tiling(*four)).collect();
        }
    }
    None
}

/// Fours that have a tiling.
struct Known<'k> {
    kinds: &'k Kinds,
    left: &'k [usize],
    is_left: Vec<bool>,
    /// Each with a kind that its tilings have.
    recipes: Vec<(usize, Recipe)>,
    /// By four in ascending order, the recipe of a tiling.
    recipe_of: HashMap<Four, usize>,
}

impl<'k> Known<'k> {
    fn new(kinds: &'k Kinds, left: &'k [usize]) -> Self {
        let mut is_left = vec![false; kinds.samples.len()];
        left.iter().for_each(|&kind| is_left[kind] = true);
        Known { kinds, left, is_left, recipes: Vec::new(), recipe_of: HashMap::new() }
    }

    /// Adds the fours of some random recipes.
    fn add(&mut self, dice: &mut Dice<'_>) {
        let Known { kinds, left, is_left, recipes, recipe_of } = self;
        for _ in 0..RECIPES {
            let (kind, recipe) = (left[dice(left.len())], kinds.recipe(FOUR, dice));
            each_four(kinds, kind, recipe, &mut |four, _| {
                let is_fit = |i: usize| is_left[four[i]] && (i == 0 || four[i - 1] != four[i]);
                if (0..FOUR).all(is_fit) {
                    recipe_of.entry(four).or_insert(recipes.len());
                }
            });
            recipes.push((kind, recipe));
        }
    }

    fn has(&self, four: &Four) -> bool {
        self.recipe_of.contains_key(&ascending(*four))
    }

    /// Swaps until all have a tiling, which it returns, or the attempts are used up.
    fn swap(&self, fours: &mut [Four], dice: &mut Dice<'_>) -> bool {
        let mut is_tiled: Vec<bool> = fours.iter().map(|four| self.has(four)).collect();
        let mut untiled: Vec<usize> = (0..fours.len()).filter(|&i| !is_tiled[i]).collect();
        for _ in 0..SWAPS * fours.len() {
            if untiled.is_empty() {
                break;
            }
            let (a, b) = (untiled[dice(untiled.len())], dice(fours.len()));
            let (mut one, mut other) = (fours[a], fours[b]);
            std::mem::swap(&mut one[dice(FOUR)], &mut other[dice(FOUR)]);
            let tiled = [self.has(&one), self.has(&other)];
            let before = usize::from(is_tiled[a]) + usize::from(is_tiled[b]);
            if a == b || tiled.iter().filter(|&&is| is).count() < before {
                continue;
            }
            (fours[a], fours[b]) = (one, other);
            [is_tiled[a], is_tiled[b]] = tiled;
            untiled.retain(|&i| i != a && i != b);
            untiled.extend([a, b].into_iter().filter(|&i| !is_tiled[i]));
        }
        untiled.is_empty()
    }

    /// The tiling of a four that has one.
    fn tiling(&self, four: Four) -> Option<Tiling> {
        let four = ascending(four);
        let (kind, recipe) = self.recipes[*self.recipe_of.get(&four)?];
        let mut found = None;
        each_four(self.kinds, kind, recipe, &mut |other, tiling| {
            if other == four {
                found = Some(*tiling);
            }
        });
        found
    }
}

/// Shows the kinds of all tilings of a recipe with a kind, in ascending order.
fn each_four(kinds: &Kinds, kind: usize, recipe: Recipe, show: &mut dyn FnMut(Four, &Tiling)) {
    let tiler = Tiler { length: kinds.length };
    tiler.each(kinds.samples[kind], recipe, &mut |tiling| {
        let four: Option<&[Hops; FOUR]> = tiling.hops.first_chunk();
        if let Some([Some(a), Some(b), Some(c), Some(d)]) =
            four.map(|four| four.map(|hops| kinds.of(&hops)))
        {
            show(ascending([a, b, c, d]), tiling);
        }
    });
}

fn ascending(mut four: Four) -> Four {
    four.sort_unstable();
    four
}

// The displacements of a torus with three equal sides, in kinds: a displacement and its opposite
// are of one kind. If the sides are interchangeable, so are its rotations: (x, y, z), (y, z, x)
// and (z, x, y).

/// All displacements but 0.
struct Kinds {
    /// The length of the sides.
    length: usize,
    /// By kind, one of its displacements.
    samples: Vec<Hops>,
    /// By number of a displacement, its kind; none of the first, which is 0.
    of: Vec<Option<usize>>,
    /// The units modulo the length, each with its inverse, 1 first.
    units: Vec<(usize, usize)>,
}

impl Kinds {
    /// The kinds, with rotations or without.
    fn new(length: usize, is_rotated: bool) -> Self {
        let turns = if is_rotated { DIMENSIONS } else { 1 };
        let mut samples = Vec::new();
        let mut of = vec![None; length.pow(DIMENSIONS as u32)];
        for number in 1..of.len() {
            if of[number].is_none() {
                let hops = digits(number, length);
                for turned in (0..turns).map(|turn| rotated(hops, turn)) {
                    for like in [turned, turned.map(|hop| -hop)] {
                        of[number_of(&like, length)] = Some(samples.len());
                    }
                }
                samples.push(hops);
            }
        }
        let inverse = |a| (1..length).find(|b| a * b % length == 1);
        let units = (1..length).filter_map(|a| Some((a, inverse(a)?))).collect();
        Kinds { length, samples, of, units }
    }

    /// The kind of a displacement; none of 0.
    fn of(&self, hops: &Hops) -> Option<usize> {
        self.of[number_of(hops, self.length)]
    }

    /// The kinds of a tiling's pairs, in their order; none if one is 0.
    fn of_tiling(&self, tiling: &Tiling) -> Option<Vec<usize>> {
        tiling.hops[..tiling.recipe.pairs].iter().map(|hops| self.of(hops)).collect()
    }

    /// A random recipe for tilings with this number of pairs.
    fn recipe(&self, pairs: usize, dice: &mut Dice<'_>) -> Recipe {
        let mut recipe = Recipe { pairs, preference: dice(1 << MOST), ..Recipe::default() };
        let (first, is_backward) = (dice(DIMENSIONS), dice(2) == 1);
        for turn in 0..DIMENSIONS {
            let along = if is_backward { DIMENSIONS - turn } else { turn };
            let dimension = (first + along) % DIMENSIONS;
            let unit = if turn == 0 { 0 } else { dice(self.units.len()) };
            recipe.order[turn] = dimension;
            (recipe.weights[dimension], recipe.inverses[dimension]) = self.units[unit];
        }
        recipe
    }
}

/// A displacement or other numbers by dimension, after the dimensions have changed places in turn.
fn rotated<T: Copy>(by_dimension: [T; DIMENSIONS], turns: usize) -> [T; DIMENSIONS] {
    std::array::from_fn(|i| by_dimension[(i + turns) % DIMENSIONS])
}

/// The displacement of a number, at most half a side along each dimension.
fn digits(mut number: usize, length: usize) -> Hops {
    let mut hops = [0; DIMENSIONS];
    for hop in &mut hops {
        let digit = number % length;
        *hop = if digit > length / 2 { digit as isize - length as isize } else { digit as isize };
        number /= length;
    }
    hops
}

/// The number of a displacement.
fn number_of(hops: &Hops, length: usize) -> usize {
    let digit = |hop: isize| (if hop < 0 { hop + length as isize } else { hop }) as usize;
    hops.iter().rev().fold(0, |number, &hop| number * length + digit(hop))
}
