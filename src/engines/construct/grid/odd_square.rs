//! All-to-all scatter of a square mesh of n = 4k + 1 vertices a side, k at least 3, from near factors
//! of rows and columns (near_factors.rs).
//!
//! Choose a class of the rows and one of the columns. A message goes along a circuit of the first,
//! or stays, and from there along a circuit of the second, or stays. The messages of a block of rows
//! X and one of columns Y use all lines along x at Y, all lines along y at X.
//!
//! - *Both classes of a matching*: k blocks each. With block i and block j in step i + j modulo k,
//!   all lines are in use in all k steps.
//! - *Both mirrors*: 2k points and the centre each. Points u and v in step u + v modulo 2k, and in
//!   each step one point with the centre that stays, in either dimension.
//! - *One mirror*: 2k points and k blocks of two points each take 2k steps, in which half of the
//!   lines of one dimension are idle. So two such choices share steps: a class A and the mirror with
//!   the mirror and a class B, and with these some choices of A, or the other class of its matching,
//!   and B, or the other class of its matching (shared.rs). The first block of a class has the centre.
//!   In a step without the first block of B, the centre line along x is free for a block of A with the
//!   centre that stays, and this happens k times; the same for A.
//!
//! All lines are used in all steps, and every circuit crosses the middle of its line, so the number
//! of steps is the bound.

use super::draft::Draft;
use super::factors::Move;
use super::moves::product;
use super::near_factors::NearFactors;
use super::product::least;
use super::shared::{Product, Shared};
use crate::network::grid::Grid;
use crate::problem::Problem;
use crate::rng::Rng;
use crate::schedule::Plan;
use rand::RngExt;

/// The schedule, if the searches succeed.
pub fn plan(problem: &Problem, grid: &Grid, rng: &mut Rng) -> Option<Plan> {
    let rows = grid.sides[0];
    let dice = &mut |limit| rng.random_range(0..limit);
    let near = NearFactors::new(rows, dice)?;
    let k = rows.length / 4;
    let shared = Shared::new(k)?;
    let draft = Draft::new(problem, least(&grid.sides));
    let mut writer = Writer { draft, grid, near: &near, step: 0 };
    for (t, u) in (0..2 * k).flat_map(|t| (0..2 * k).map(move |u| (t, u))) {
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            // The classes that share steps with the mirrors are of matchings of one number.
            if t == u && (a + b) % 2 < shared.extra {
                continue;
            }
            writer.classes([t, u], [a, b])?;
        }
    }
    for (t, class) in near.classes() {
        writer.shared(&shared, t, class)?;
    }
    writer.mirrors()?;
    writer.draft.finish()
}

/// Writes choices of classes, one after the other.
struct Writer<'p, 'g> {
    draft: Draft<'p>,
    grid: &'g Grid,
    near: &'g NearFactors,
    step: usize,
}

impl Writer<'_, '_> {
    fn product(&mut self, step: usize, x: Vec<Move>, y: Vec<Move>) -> Option<()> {
        product(&mut self.draft, self.grid, &[&x, &y], self.step + step)
    }

    /// The classes of two matchings.
    fn classes(&mut self, [t, u]: [usize; 2], [a, b]: [usize; 2]) -> Option<()> {
        let k = self.near.len() / 2;
        for (i, j) in (0..k).flat_map(|i| (0..k).map(move |j| (i, j))) {
            let (x, y) = (self.near.moves(t, a, i), self.near.moves(u, b, j));
            self.product((i + j) % k, x, y)?;
        }
        self.step += k;
        Some(())
    }

    /// A class and the mirror, the mirror and a class, and what shares their steps.
    fn shared(&mut self, shared: &Shared, t: usize, class: usize) -> Option<()> {
        let near = self.near;
        let point = |u: usize| near.mirror(near.points(t)[u / 2][u % 2]);
        // By dimension, the steps in which the centre is not on a circuit.
        let mut idle = [0, 1].map(|_| vec![true; shared.steps]);
        for &(product, step) in &shared.products {
            let (x, y) = match product {
                Product::Across(i, u) => (near.moves(t, class, i), point(u)),
                Product::Down(u, j) => (point(u), near.moves(t, class, j)),
                Product::Both(i, j, other) => {
                    (near.moves(t, class, i), near.moves(t, class ^ other, j))
                }
            };
            if let Product::Across(0, _) | Product::Both(0, ..) = product {
                idle[0][step] = false;
            }
            if let Product::Down(_, 0) | Product::Both(_, 0, _) = product {
                idle[1][step] = false;
            }
            self.product(step, x, y)?;
        }
        let steps = |idle: &[bool]| (0..shared.steps).filter(|&s| idle[s]).collect::<Vec<_>>();
        // Blocks along y at the centre of x, and the other way round.
        for (block, step) in steps(&idle[0]).into_iter().enumerate() {
            self.product(step, vec![near.centre()], near.moves(t, class, block))?;
        }
        for (block, step) in steps(&idle[1]).into_iter().enumerate() {
            self.product(step, near.moves(t, class, block), vec![near.centre()])?;
        }
        self.step += shared.steps;
        Some(())
    }

    /// Both mirrors.
    fn mirrors(&mut self) -> Option<()> {
        let (near, points) = (self.near, self.near.len());
        for u in 0..points {
            for v in 0..points {
                self.product((u + v) % points, near.mirror(u), near.mirror(v))?;
            }
            self.product(u, near.mirror(u), vec![near.centre()])?;
            self.product(u, vec![near.centre()], near.mirror(u))?;
        }
        Some(())
    }
}
