//! Tilings (tiler.rs) of a torus with two equal sides of odd length n = 2m + 1, in closed form.
//!
//! For d, e >= 1 with d + e <= m + 1, let p = m + 1 - d and q = m + 1 - e. There is one tiling for
//! each d and e, with these displacements and their opposites; s is 1 if d + e is even, else -1:
//!
//! | displacement  | starts in class | turns in class |
//! |---------------|-----------------|----------------|
//! | (p, s(e - 1)) | 0               | p              |
//! | (d - 1, -sq)  | p               | m              |
//! | (p, se)       | m               | m + p          |
//! | (d, -sq)      | m + p           | 0              |
//!
//! The class of (x, y) is x + sy. The arcs along x follow one another: p + (d - 1) + p + d = n. With
//! mirror p + e - 1, the opposites of the second and the fourth displacement turn in classes p + e +
//! m and p + e - 1. So along y, in direction s, the arcs are e - 1 from p, q from p + e - 1, e from p +
//! m, q from p + m + e: they follow one another as well. The mirror images fill the other directions.
//!
//! Every displacement is in one tiling: (X, Y) with 0 <= Y < X is the first one of d = m + 1 - X, e =
//! Y + 1; with 0 < Y <= X the third one of d = m + 1 - X, e = Y. So there are two tilings of different
//! signs s for 0 < Y < X, and one for Y = 0. Likewise with the second and fourth displacements for
//! X <= Y. For X = Y there are the third of d = m + 1 - X, e = X with sign s, and the fourth of d = X, e =
//! m + 1 - X with -s for the same s.

use super::tiler::{Recipe, Tiling};

/// All tilings for sides of an odd length.
pub fn tilings(length: usize) -> Vec<Tiling> {
    let m = length / 2;
    let pairs = (1..=m).flat_map(|d| (1..=m + 1 - d).map(move |e| (d, e)));
    pairs.map(|(d, e)| tiling(length, d, e)).collect()
}

fn tiling(length: usize, d: usize, e: usize) -> Tiling {
    let m = length / 2;
    let (p, q) = (m + 1 - d, m + 1 - e);
    let is_even = (d + e).is_multiple_of(2);
    let sign = if is_even { 1 } else { -1 };
    let unit = if is_even { 1 } else { length - 1 };
    let hops = |x: usize, y: isize| [x as isize, sign * y, 0];
    let (up, down) = (e as isize, -(q as isize));
    let recipe = Recipe {
        order: [0, 1, 2],
        weights: [1, unit, 0],
        inverses: [1, unit, 0],
        pairs: 4,
        preference: 0,
    };
    Tiling {
        recipe,
        mirror: p + e - 1,
        starts: [0, p, m, m + p, 0],
        hops: [hops(p, up - 1), hops(d - 1, down), hops(p, up), hops(d, down), [0; 3]],
    }
}
