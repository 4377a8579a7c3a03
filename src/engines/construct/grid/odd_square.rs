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

use super::moves::Writer;
use super::near_factors::NearFactors;
use super::shared::{Product, Shared};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::Grid;
use rand::RngExt;

/// The schedule, if the searches succeed.
pub fn plan(problem: &Problem, grid: &Grid, rng: &mut Rng) -> Option<Plan> {
    let rows = grid.sides[0];
    let dice = &mut |limit| rng.random_range(0..limit);
    let near = NearFactors::new(rows, dice)?;
    let k = rows.length / 4;
    let shared = Shared::new(k)?;
    let mut writer = Writer::new(problem, grid);
    for (t, u) in (0..2 * k).flat_map(|t| (0..2 * k).map(move |u| (t, u))) {
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            // The classes that share steps with the mirrors are of matchings of one number.
            if t == u && (a + b) % 2 < shared.extra {
                continue;
            }
            for (i, j) in (0..k).flat_map(|i| (0..k).map(move |j| (i, j))) {
                writer.product((i + j) % k, &[&near.moves(t, a, i), &near.moves(u, b, j)])?;
            }
            writer.skip(k);
        }
    }
    for class in near.classes() {
        one_mirror(&mut writer, &near, &shared, class)?;
    }
    both_mirrors(&mut writer, &near)?;
    writer.finish()
}

/// Writes a class and the mirror, the mirror and a class, and what shares their steps.
fn one_mirror(
    writer: &mut Writer<'_, '_>,
    near: &NearFactors,
    shared: &Shared,
    (t, class): (usize, usize),
) -> Option<()> {
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
        writer.product(step, &[&x, &y])?;
    }
    // Blocks along y at the centre of x, and the other way round.
    let centre = [near.centre()];
    for (dimension, idle) in idle.iter().enumerate() {
        let steps = (0..shared.steps).filter(|&step| idle[step]);
        for (block, step) in steps.enumerate() {
            let moves = near.moves(t, class, block);
            let both: [&[_]; 2] =
                if dimension == 0 { [&centre, &moves] } else { [&moves, &centre] };
            writer.product(step, &both)?;
        }
    }
    writer.skip(shared.steps);
    Some(())
}

/// Writes both mirrors.
fn both_mirrors(writer: &mut Writer<'_, '_>, near: &NearFactors) -> Option<()> {
    let (points, centre) = (near.len(), [near.centre()]);
    for u in 0..points {
        for v in 0..points {
            writer.product((u + v) % points, &[&near.mirror(u), &near.mirror(v)])?;
        }
        writer.product(u, &[&near.mirror(u), &centre])?;
        writer.product(u, &[&centre, &near.mirror(u)])?;
    }
    Some(())
}
