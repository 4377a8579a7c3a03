//! All-to-all scatter of a torus of kx times ky vertices with full-duplex links, kx = 2m, ky = 2n,
//! n a divisor of m, in kx kx ky / 8 steps. By the congestion bound, no schedule is shorter.
//!
//! Vertex (x, y) has class x - (m/n) y modulo m. In a step all vertices of one class send the same
//! message (dx, dy), first along their row, then along their column. Along a row, each class recurs
//! every m vertices. So messages fit into one step if in each direction (right, left, up, down)
//! they pass through distinct classes, of which there are m. These four messages do:
//!
//! | message            | starts at            | turns at  |
//! |--------------------|----------------------|-----------|
//! | (a, b)             | 0                    | a         |
//! | (m - a, b - n)     | a                    | 0         |
//! | (a - m, n - b)     | -(m/n) b             | a - (m/n) b |
//! | (-a, -b)           | a - (m/n) b          | -(m/n) b  |
//!
//! All a from 0 to m - 1 and b from 0 to n - 1 give all messages, with one exception: a = b = 0
//! would give (0, 0), (m, -n), (-m, n) and (0, 0); (m, n), (-m, 0) and (0, -n) replace these and
//! also fill the step. Each (a, b) takes m steps, and each step shifts the classes by one.
//!
//! Where a or b is 0, messages go half of the way round a ring, one forth, the other back. The
//! messages of two rows of the table may be shifted against the two others: by 1 if the classes of
//! these two messages have the same parity. Routes that choose the direction by the parity of a
//! place, as dimension-order does (sides that are multiples of 4, m/n odd), then have equally many
//! of both directions on every ring in each step.

use super::draft::Draft;
use super::moves::send;
use crate::network::grid::Grid;
use crate::problem::Problem;
use crate::rng::Rng;
use crate::schedule::Plan;

/// The schedule of such a torus.
pub fn plan(problem: &Problem, grid: &Grid, _: &mut Rng) -> Option<Plan> {
    let &[rows, columns] = &grid.sides[..] else { return None };
    let (m, n) = (rows.length / 2, columns.length / 2);
    let mut draft = Draft::new(problem, m * m * n);
    for (a, b) in (0..m).flat_map(|a| (0..n).map(move |b| (a, b))) {
        for (offset, hops) in messages(a, b, m, n) {
            for (turn, y) in (0..m).flat_map(|turn| (0..columns.length).map(move |y| (turn, y))) {
                let step = (a * n + b) * m + turn;
                let first = (offset + turn + m / n * y) % m;
                for x in [first, first + m] {
                    send(&mut draft, grid, step, grid.place(&[x, y]), &hops)?;
                }
            }
        }
    }
    draft.finish()
}

/// The messages of a step, each with the class of its source.
fn messages(a: usize, b: usize, m: usize, n: usize) -> Vec<(usize, [isize; 2])> {
    let after = (m - m / n * b) % m;
    let (a_, b_, m_, n_) = (a as isize, b as isize, m as isize, n as isize);
    // In the order of the table.
    let all = |shifts: [usize; 4]| {
        vec![
            (shifts[0], [a_, b_]),
            (a + shifts[1], [m_ - a_, b_ - n_]),
            (after + shifts[2], [a_ - m_, n_ - b_]),
            (a + after + shifts[3], [-a_, -b_]),
        ]
    };
    match (a, b) {
        (0, 0) => vec![(0, [m_, n_]), (1, [-m_, 0]), (1, [0, -n_])],
        (0, _) => all([0, (after + 1) % 2, 0, (after + 1) % 2]),
        (_, 0) => all([0, 0, (a + 1) % 2, (a + 1) % 2]),
        _ => all([0; 4]),
    }
}
