//! All-to-all scatter of tori with two or three equal sides of odd length n, from tilings (tiler.rs)
//! that contain every displacement once, each with its n translates: in closed form for two sides
//! (square.rs), by a search for three (cube.rs). As the steps use all channels, their number is the
//! bound.
//!
//! For n = 2m + 1 there are m(m + 1)/2 tilings in two dimensions, n times as many in three.

mod cube;
mod fours;
mod kinds;
mod square;
mod tiler;

use super::draft::Draft;
use super::moves::send;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::{Grid, Side};
use rand::RngExt;
use tiler::{Hops, Tiling};

/// The schedule, if the search finds tilings.
pub fn plan(problem: &Problem, grid: &Grid, rng: &mut Rng) -> Option<Plan> {
    let length = grid.sides[0].length;
    let tilings = match grid.sides.len() {
        2 => square::tilings(length),
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
                2 => square::tilings(length),
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
