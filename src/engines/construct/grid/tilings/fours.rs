//! A division of displacements into fours that have a tiling each, by swaps between the fours.
//!
//! One four in ten or twenty has a tiling, and it is enough to know some hundredth of these. Two
//! displacements of two fours change places if no fewer of the two have a tiling that is known. As long as
//! that leaves fours without one, more tilings are generated.

use super::kinds::Kinds;
use super::tiler::{Hops, Recipe, Tiler, Tiling};
use crate::construct::grid::Dice;
use std::collections::HashMap;

/// The displacements in most tilings.
pub const FOUR: usize = 4;
/// Recipes whose tilings are generated before swaps are tried.
const RECIPES: usize = 1000;
/// How often they are at most.
const ROUNDS: usize = 50;
/// Swaps tried in a round, for every four.
const SWAPS: usize = 4000;

type Four = [usize; FOUR];

/// The tilings of a division of these kinds, if it is found.
pub fn divide(kinds: &Kinds, left: &[usize], dice: &mut Dice<'_>) -> Option<Vec<Tiling>> {
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
