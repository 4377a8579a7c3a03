//! All-to-all scatter of a square mesh of n = 4k + 1 vertices a side, k at least 3, from near factors
//! of rows and columns (factors.rs).
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
//!   and B, or the other class of its matching. The first block of a class has the centre.
//!   In a step without the first block of B, the centre line along x is free for a block of A with the
//!   centre that stays, and this happens k times; the same for A.
//!
//! All lines are used in all steps, and every circuit crosses the middle of its line, so the number
//! of steps is the bound.

use super::factors::NearFactors;
use super::moves::Writer;
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

// Steps that choices of classes share on a square mesh of 4k + 1 vertices a side: a
// class and the mirror, the mirror and a class, and some extra choices of two classes.
//
// In either dimension, a class has k blocks, the mirror 2k points; a block uses two points, those of
// its number. A *product* is a block or point of each dimension, and in a step every point of either
// dimension is in one product. A block meets every point, a point every block, a block every
// block once for each extra choice.
//
// A *cell* (i, j) is four products: block i + 1 with the first point of block j, block i + 2 with the
// second, and the same with the dimensions exchanged. It uses blocks i to i + 2 of one dimension and
// j to j + 2 of the other. A step has cells, and pairs of blocks for all that remain. Its k
// translates, modulo k, in both dimensions at once, are steps as well. So 3 kinds of steps, and one
// more with each extra choice, are enough if they have a cell with every distance j - i once, and
// pairs of blocks with every distance as often as there are extra choices. Cell c of a step is at i =
// 3c, and cells take the distances in turn. The pairs are found by backtracking.
//
// What is found for k holds for mk: with m blocks for each, numbered a in one dimension and b in the
// other, products of one step divide into m steps by a + b modulo m.

/// The most choices of two classes that share the steps of the mirrors.
const EXTRA: usize = 2;
/// The largest number of blocks of which pairs are matched up at once.
const LARGEST: usize = 23;

/// A product of what moves along x and what moves along y.
#[derive(Clone, Copy, Debug)]
enum Product {
    /// A block, and a point of the mirror.
    Across(usize, usize),
    /// A point of the mirror, and a block.
    Down(usize, usize),
    /// Two blocks; the second is of the other class of its matching for the second choice.
    Both(usize, usize, usize),
}

/// The steps that choices with one mirror share.
struct Shared {
    steps: usize,
    /// The number of choices of two classes.
    extra: usize,
    /// With its step.
    products: Vec<(Product, usize)>,
}

impl Shared {
    /// For k blocks; none if the search would take too long.
    fn new(k: usize) -> Option<Self> {
        let small = (3..=LARGEST).find(|d| k.is_multiple_of(*d))?;
        Some(Self::cyclic(small)?.inflated(k / small))
    }

    fn cyclic(k: usize) -> Option<Self> {
        // Cells of a step take three blocks a dimension, and their first blocks along y lie 4 apart.
        let most = (k + 1) / 4;
        let extra = (0..=EXTRA).find(|extra| (3 + extra) * most >= k)?;
        let kinds = 3 + extra;
        let mut products = Vec::new();
        let mut free = vec![[vec![true; k], vec![true; k]]; kinds];
        let mut distance = 0;
        for (kind, free) in free.iter_mut().enumerate() {
            for cell in 0..k / kinds + usize::from(kind < k % kinds) {
                let (i, j) = (3 * cell, (3 * cell + distance) % k);
                for part in 0..3 {
                    free[0][(i + part) % k] = false;
                    free[1][(j + part) % k] = false;
                }
                for side in 0..2 {
                    let across = Product::Across((i + 1 + side) % k, 2 * j + side);
                    let down = Product::Down(2 * i + side, (j + 1 + side) % k);
                    products.extend([(across, kind), (down, kind)]);
                }
                distance += 1;
            }
        }
        let mut pairs = Pairs { extra, uses: vec![0; k], found: Vec::new() };
        let columns: Vec<(usize, usize)> = (0..kinds)
            .flat_map(|kind| (0..k).map(move |i| (kind, i)))
            .filter(|&(kind, i)| free[kind][0][i])
            .collect();
        let mut rows: Vec<Vec<bool>> = free.into_iter().map(|[_, rows]| rows).collect();
        if !pairs.match_up(&columns, &mut rows) {
            return None;
        }
        products.extend(pairs.found);
        let turned = |&(product, kind): &(Product, usize)| {
            (0..k).map(move |turn| {
                let (block, point) = (|i| (i + turn) % k, |u| (u + 2 * turn) % (2 * k));
                let product = match product {
                    Product::Across(i, u) => Product::Across(block(i), point(u)),
                    Product::Down(u, j) => Product::Down(point(u), block(j)),
                    Product::Both(i, j, other) => Product::Both(block(i), block(j), other),
                };
                (product, kind * k + turn)
            })
        };
        let products = products.iter().flat_map(turned).collect();
        Some(Shared { steps: kinds * k, extra, products })
    }

    /// With m blocks for each.
    fn inflated(self, m: usize) -> Self {
        let mut products = Vec::with_capacity(self.products.len() * m * m);
        for (product, step) in self.products {
            for (a, b) in (0..m).flat_map(|a| (0..m).map(move |b| (a, b))) {
                let point = |u: usize, a: usize| 2 * (u / 2 * m + a) + u % 2;
                let product = match product {
                    Product::Across(i, u) => Product::Across(i * m + a, point(u, b)),
                    Product::Down(u, j) => Product::Down(point(u, a), j * m + b),
                    Product::Both(i, j, other) => Product::Both(i * m + a, j * m + b, other),
                };
                products.push((product, step * m + (a + b) % m));
            }
        }
        Shared { steps: self.steps * m, products, ..self }
    }
}

/// The pairs of blocks that meet in the steps, one step of each kind.
struct Pairs {
    extra: usize,
    /// By distance, the pairs found.
    uses: Vec<usize>,
    found: Vec<(Product, usize)>,
}

impl Pairs {
    /// Matches free blocks of columns, with the kind of their step, with free blocks of rows: every
    /// distance occurs once for each of its extra choices.
    fn match_up(&mut self, columns: &[(usize, usize)], free: &mut [Vec<bool>]) -> bool {
        let Some((&(kind, i), rest)) = columns.split_first() else { return true };
        let k = self.uses.len();
        for j in 0..k {
            let distance = (j + k - i) % k;
            if !free[kind][j] || self.uses[distance] == self.extra {
                continue;
            }
            self.found.push((Product::Both(i, j, self.uses[distance]), kind));
            self.uses[distance] += 1;
            free[kind][j] = false;
            if self.match_up(rest, free) {
                return true;
            }
            free[kind][j] = true;
            self.uses[distance] -= 1;
            self.found.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In every step, every point of either dimension is used.
    #[test]
    fn shared_steps_use_every_point() {
        for k in 3..24 {
            let shared = Shared::new(k).unwrap();
            let mut used = vec![0; 4 * k * shared.steps];
            for &(product, step) in &shared.products {
                let mut take = |dimension: usize, point: usize| {
                    used[(step * 2 + dimension) * 2 * k + point] += 1;
                };
                let block = |i: usize| [2 * i, 2 * i + 1];
                match product {
                    Product::Across(i, u) => {
                        block(i).into_iter().for_each(|p| take(0, p));
                        take(1, u);
                    }
                    Product::Down(u, j) => {
                        take(0, u);
                        block(j).into_iter().for_each(|p| take(1, p));
                    }
                    Product::Both(i, j, _) => {
                        block(i).into_iter().for_each(|p| take(0, p));
                        block(j).into_iter().for_each(|p| take(1, p));
                    }
                }
            }
            assert_eq!(used, vec![1; 4 * k * shared.steps], "{k}");
        }
        assert!(Shared::new(2).is_none());
    }
}
