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

use super::draft::{Draft, is_of_all_vertices};
use crate::network::{Network, VertexId};
use crate::problem::Problem;
use crate::schedule::Plan;

/// The schedule, if the network is such a torus.
pub fn plan(problem: &Problem) -> Option<Plan> {
    if !is_of_all_vertices(problem) {
        return None;
    }
    let grid = Grid::find(&problem.network)?;
    let (m, n) = (grid.width / 2, grid.height / 2);
    if grid.width % 2 != 0 || grid.height % 2 != 0 || m % n != 0 {
        return None;
    }
    let mut draft = Draft::new(problem, m * m * n);
    for a in 0..m {
        for b in 0..n {
            for (offset, message) in messages(a, b, m, n) {
                for turn in 0..m {
                    let class = (offset + turn) % m;
                    for y in 0..grid.height {
                        let first = (class + m / n * y) % m;
                        for x in [first, first + m] {
                            draft.walk((a * n + b) * m + turn, &grid.walk((x, y), message))?;
                        }
                    }
                }
            }
        }
    }
    draft.finish()
}

/// The messages of a step, each with the class of its source.
fn messages(a: usize, b: usize, m: usize, n: usize) -> Vec<(usize, (isize, isize))> {
    let after = (m - m / n * b) % m;
    let (a_, b_, m_, n_) = (a as isize, b as isize, m as isize, n as isize);
    match (a, b) {
        (0, 0) => vec![(0, (m_, n_)), (0, (-m_, 0)), (0, (0, -n_))],
        _ => vec![
            (0, (a_, b_)),
            (a, (m_ - a_, b_ - n_)),
            (after, (a_ - m_, n_ - b_)),
            ((a + after) % m, (-a_, -b_)),
        ],
    }
}

/// The vertices of a torus by row and column. Rows are no shorter than columns.
struct Grid {
    width: usize,
    height: usize,
    /// Vertex (x, y) is `at[y * width + x]`.
    at: Vec<VertexId>,
}

impl Grid {
    /// None unless the network is a torus with rows and columns of more than four vertices: the
    /// common neighbours do not identify shorter ones.
    fn find(network: &Network) -> Option<Self> {
        let vertices = network.vertices().len();
        let row = circle(network, 0, network.heads(0).next()?)?;
        let side = network.heads(0).find(|v| !row.contains(v))?;
        let column = circle(network, 0, side)?;
        let (row, column) = if row.len() < column.len() { (column, row) } else { (row, column) };
        let (width, height) = (row.len(), column.len());
        if width * height != vertices {
            return None;
        }
        let mut at = row;
        for y in 1..height {
            at.push(column[y]);
            for x in 1..width {
                let (left, below) = (at[y * width + x - 1], at[(y - 1) * width + x]);
                let before = at[(y - 1) * width + x - 1];
                at.push(common(network, left, below).find(|&v| v != before)?);
            }
        }
        Some(Grid { width, height, at })
    }

    /// The vertices of the walk along a row, then along a column.
    fn walk(&self, (x, y): (usize, usize), (dx, dy): (isize, isize)) -> Vec<VertexId> {
        let along_row = (0..=dx.abs()).map(|i| (i * dx.signum(), 0));
        let along_column = (1..=dy.abs()).map(|i| (dx, i * dy.signum()));
        let vertex = |(dx, dy): (isize, isize)| {
            let x = (x as isize + dx).rem_euclid(self.width as isize) as usize;
            let y = (y as isize + dy).rem_euclid(self.height as isize) as usize;
            self.at[y * self.width + x]
        };
        along_row.chain(along_column).map(vertex).collect()
    }
}

/// The vertices on the straight walk from a vertex over its neighbour back to itself.
fn circle(network: &Network, first: VertexId, second: VertexId) -> Option<Vec<VertexId>> {
    let mut all = vec![first, second];
    loop {
        let (before, last) = (all[all.len() - 2], all[all.len() - 1]);
        // Straight on there is one path of two hops; round a corner there are two.
        let is_straight = |&v: &VertexId| v != before && common(network, before, v).count() == 1;
        let next = network.heads(last).find(is_straight)?;
        if next == first {
            return Some(all);
        }
        if all.len() == network.vertices().len() {
            return None;
        }
        all.push(next);
    }
}

/// The common neighbours of two vertices.
fn common(network: &Network, a: VertexId, b: VertexId) -> impl Iterator<Item = VertexId> + '_ {
    network.heads(a).filter(move |&v| network.heads(v).any(|w| w == b))
}
