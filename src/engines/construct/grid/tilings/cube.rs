//! Tilings (tiler.rs) of a torus with three equal sides of odd length n that together contain every
//! displacement once.
//!
//! For n = 2m + 1 these are m(m + 1)n/2 tilings, most of four pairs, some of five. From sides of 7 on,
//! tilings come in threes that rotations of the dimensions carry into one another, so that only every
//! third is to be found. The diagonals (a, a, a) are their own rotations. They are in tilings of one or
//! two diagonals and the three rotations of another displacement, which are their own rotations as well.
//! The number of all tilings is a multiple of 3, and so must be the number of these.

use super::fours::{self, FOUR};
use super::kinds::{Kinds, rotated};
use super::tiler::{DIMENSIONS, Hops, MOST, Tiler, Tiling};
use crate::construct::grid::Dice;

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
    let mut search = Search { is_left: vec![true; kinds.samples.len()], kinds };
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
struct Search {
    kinds: Kinds,
    is_left: Vec<bool>,
}

impl Search {
    /// Tilings with all diagonals.
    fn diagonals(&mut self, dice: &mut Dice<'_>) -> Option<Vec<Tiling>> {
        let longest = self.kinds.length / 2;
        let count = longest.div_ceil(DIMENSIONS * DIAGONALS) * DIMENSIONS;
        let mut tilings = Vec::with_capacity(count);
        for first in 1..=count {
            let diagonals: Vec<usize> = (first..=longest).step_by(count).collect();
            let wanted = [*diagonals.first()? as isize; DIMENSIONS];
            let pairs = diagonals.len() + DIMENSIONS;
            let is_fit = |search: &Search, tiling: &Tiling| search.is_rotated(tiling, &diagonals);
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
            let wanted = |search: &Search, dice: &mut Dice<'_>| {
                search.kinds.samples[dice(search.kinds.samples.len())]
            };
            let is_fit = |search: &Search, tiling: &Tiling| {
                search.kinds.of_tiling(tiling).is_some_and(|kinds| {
                    let is_first = |i: usize| !kinds[..i].contains(&kinds[i]);
                    (0..kinds.len()).all(|i| search.is_left[kinds[i]] && is_first(i))
                })
            };
            tilings.push(self.special(MOST, wanted, is_fit, dice)?);
        }
        let left: Vec<usize> = (0..self.is_left.len()).filter(|&kind| self.is_left[kind]).collect();
        tilings.extend(fours::divide(&self.kinds, &left, dice)?);
        Some(tilings)
    }

    /// A tiling with a displacement that is wanted and something more. Its kinds are no longer left.
    fn special(
        &mut self,
        pairs: usize,
        wanted: impl Fn(&Search, &mut Dice<'_>) -> Hops,
        is_fit: impl Fn(&Search, &Tiling) -> bool,
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
