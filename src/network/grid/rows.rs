//! The order of dimensions that the numbers of routers show: those of families are in rows, with the
//! last coordinate fastest. In rows, two lines of two whose routers are numbered round each square
//! are a ring of four.

use super::coordinates::Coordinates;
use super::routers::Routers;
use super::{Side, places};
use std::cmp::Reverse;

/// Round a square of two lines: the coordinates in both.
const ROUND: [[usize; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];

/// The dimensions in another order, in which the numbers of routers are in rows; none if there is no
/// such order.
pub fn ordered(routers: &Routers, coordinates: &Coordinates) -> Option<Coordinates> {
    let routers_count = routers.vertices.len();
    let mut found = with_rings_of_four(coordinates, routers_count);
    // How far the numbers of neighbours are apart, at least.
    let apart = |of: &[usize]| {
        let ends = routers.links.iter().map(|link| link.ends);
        let along = ends.filter(|[a, b]| of[*a as usize] != of[*b as usize]);
        along.map(|[a, b]| a.abs_diff(b)).min()
    };
    found.sort_by_cached_key(|(_, of)| Reverse(apart(of)));
    places(&found, routers_count).is_sorted().then_some(found)
}

/// The dimensions, with rings of four in place of pairs of lines of two.
fn with_rings_of_four(coordinates: &Coordinates, routers: usize) -> Coordinates {
    let mut found = coordinates.clone();
    let is_short = |(side, _): &(Side, _)| side.length == 2;
    'next: loop {
        for a in 0..found.len() {
            for b in (0..found.len()).filter(|&b| b != a) {
                if is_short(&found[a]) && is_short(&found[b]) && goes_round(&found, [a, b], routers)
                {
                    let second = found[b].1.clone();
                    let number = |(a, b): (&usize, usize)| {
                        ROUND.iter().position(|c| *c == [*a, b]).unwrap_or_default()
                    };
                    found[a].1 = found[a].1.iter().zip(second).map(number).collect();
                    found[a].0 = Side { length: 4, is_ring: true };
                    found.remove(b);
                    continue 'next;
                }
            }
        }
        return found;
    }
}

/// Whether the numbers of routers increase round each square of two dimensions.
fn goes_round(coordinates: &Coordinates, [a, b]: [usize; 2], routers: usize) -> bool {
    let others = (0..coordinates.len()).filter(|&d| d != a && d != b);
    let order: Vec<usize> = others.collect();
    let square = |v: usize| order.iter().map(|&d| coordinates[d].1[v]).collect::<Vec<_>>();
    let round =
        |v: usize| ROUND.iter().position(|c| *c == [coordinates[a].1[v], coordinates[b].1[v]]);
    let mut all: Vec<(Vec<usize>, Option<usize>, usize)> =
        (0..routers).map(|v| (square(v), round(v), v)).collect();
    all.sort_unstable();
    let squares = all.chunk_by(|one, other| one.0 == other.0);
    squares.clone().all(|of| of.is_sorted_by_key(|(.., v)| *v))
        && squares.into_iter().any(|of| of.len() == 4)
}
