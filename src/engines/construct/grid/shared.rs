//! Steps that choices of classes share on a square mesh of 4k + 1 vertices a side (odd_square.rs): a
//! class and the mirror, the mirror and a class, and some extra choices of two classes.
//!
//! In either dimension, a class has k blocks, the mirror 2k points; a block uses two points, those of
//! its number. A *product* is a block or point of each dimension, and in a step every point of either
//! dimension is in one product. A block meets every point, a point every block, a block every
//! block once for each extra choice.
//!
//! A *cell* (i, j) is four products: block i + 1 with the first point of block j, block i + 2 with the
//! second, and the same with the dimensions exchanged. It uses blocks i to i + 2 of one dimension and
//! j to j + 2 of the other. A step has cells, and pairs of blocks for all that remain. Its k
//! translates, modulo k, in both dimensions at once, are steps as well. So 3 kinds of steps, and one
//! more with each extra choice, are enough if they have a cell with every distance j - i once, and
//! pairs of blocks with every distance as often as there are extra choices. Cell c of a step is at i =
//! 3c, and cells take the distances in turn. The pairs are found by backtracking.
//!
//! What is found for k holds for mk: with m blocks for each, numbered a in one dimension and b in the
//! other, products of one step divide into m steps by a + b modulo m.

/// The most choices of two classes that share the steps of the mirrors.
const EXTRA: usize = 2;
/// The largest number of blocks of which pairs are matched up at once.
const LARGEST: usize = 23;

/// A product of what moves along x and what moves along y.
#[derive(Clone, Copy, Debug)]
pub enum Product {
    /// A block, and a point of the mirror.
    Across(usize, usize),
    /// A point of the mirror, and a block.
    Down(usize, usize),
    /// Two blocks; the second is of the other class of its matching for the second choice.
    Both(usize, usize, usize),
}

/// The steps that choices with one mirror share.
pub struct Shared {
    pub steps: usize,
    /// The number of choices of two classes.
    pub extra: usize,
    /// With its step.
    pub products: Vec<(Product, usize)>,
}

impl Shared {
    /// For k blocks; none if the search would take too long.
    pub fn new(k: usize) -> Option<Self> {
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
