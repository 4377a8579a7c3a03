//! The displacements of a torus with three equal sides, in kinds: a displacement and its opposite
//! are of one kind. If the sides are interchangeable, so are its rotations: (x, y, z), (y, z, x)
//! and (z, x, y).

use super::tiler::{DIMENSIONS, Hops, MOST, Recipe, Tiling};
use crate::construct::grid::Dice;

/// All displacements but 0.
pub struct Kinds {
    /// The length of the sides.
    pub length: usize,
    /// By kind, one of its displacements.
    pub samples: Vec<Hops>,
    /// By number of a displacement, its kind; none of the first, which is 0.
    of: Vec<Option<usize>>,
    /// The units modulo the length, each with its inverse, 1 first.
    units: Vec<(usize, usize)>,
}

impl Kinds {
    /// The kinds, with rotations or without.
    pub fn new(length: usize, is_rotated: bool) -> Self {
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
    pub fn of(&self, hops: &Hops) -> Option<usize> {
        self.of[number_of(hops, self.length)]
    }

    /// The kinds of a tiling's pairs, in their order; none if one is 0.
    pub fn of_tiling(&self, tiling: &Tiling) -> Option<Vec<usize>> {
        tiling.hops[..tiling.recipe.pairs].iter().map(|hops| self.of(hops)).collect()
    }

    /// A random recipe for tilings with this number of pairs.
    pub fn recipe(&self, pairs: usize, dice: &mut Dice<'_>) -> Recipe {
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
pub fn rotated<T: Copy>(by_dimension: [T; DIMENSIONS], turns: usize) -> [T; DIMENSIONS] {
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
