//! Routes of a grid, dimension after dimension, as parts of few walks. A message follows a line of
//! the first dimension to its corner, passes the dimensions between, and leaves along a line of the
//! last one. All messages that pass a corner in the same way are parts of one walk. With two
//! dimensions a vertex is the corner of four walks, and millions of messages need no memory for
//! their channels.

use super::Grid;
use crate::{ChannelId, Walk};
use std::ops::Range;

/// In place of a walk that would pass the end of a line.
const NONE: u32 = u32::MAX;

/// The walks around all corners.
pub struct Corners {
    /// One after the other.
    pub walk: Walk,
    /// By corner and way to pass it, its place on the walk.
    places: Vec<u32>,
    /// The ways to pass a corner: forward or backward in the first and in the last dimension, and a
    /// number of hops in each dimension between.
    ways: usize,
    /// By dimension, the most hops of a message.
    most: Vec<usize>,
}

impl Corners {
    /// None of a line or ring, or if the walks have more than a quarter of the channels of all messages.
    pub fn of(grid: &Grid) -> Option<Self> {
        let vertices = grid.at.len();
        let most: Vec<usize> = (0..grid.sides.len()).map(|d| grid.sides[d].most_hops()).collect();
        let [_, between @ .., _] = &most[..] else { return None };
        let ways = between.iter().try_fold(4, |ways: usize, m| ways.checked_mul(2 * m + 1))?;
        // A third of the most hops along a line, half of those around a ring, are about their mean.
        let all = vertices.checked_pow(2)?.checked_mul(most.iter().sum())? / 3;
        let room = (all / 4).min(NONE as usize);
        if ways > vertices {
            return None;
        }
        let (mut walk, mut places) = (Vec::new(), Vec::with_capacity(vertices * ways));
        for corner in 0..vertices {
            for hops in (0..ways).map(|way| hops(way, between)) {
                let begun = walk.len();
                let place = add(&mut walk, grid, corner, &hops);
                walk.truncate(if place.is_some() { walk.len() } else { begun });
                places.push(place.map_or(NONE, |place| place as u32));
            }
            if walk.len() > room {
                return None;
            }
        }
        Some(Corners { walk: walk.into(), places, ways, most })
    }

    /// The part of the walk of a message with these hops by dimension; none if it goes farther than
    /// half around a ring.
    pub fn part(&self, corner: usize, hops: &[isize]) -> Option<Range<usize>> {
        let is_near = |(hops, &most): (&isize, &usize)| hops.unsigned_abs() <= most;
        if !hops.iter().zip(&self.most).all(is_near) {
            return None;
        }
        let [first, beyond @ ..] = hops else { return None };
        let way = way(hops, &self.most);
        let at = self.places[corner * self.ways + way];
        let beyond: usize = beyond.iter().map(|hops| hops.unsigned_abs()).sum();
        (at != NONE).then(|| at as usize - first.unsigned_abs()..at as usize + beyond)
    }
}

/// The number of a way to pass a corner.
fn way(hops: &[isize], most: &[usize]) -> usize {
    let [first, between @ .., last] = hops else { return 0 };
    let add = |way, (&hops, &most): (&isize, &usize)| {
        way * (2 * most + 1) + hops.wrapping_add_unsigned(most) as usize
    };
    let way = between.iter().zip(&most[1..]).fold(usize::from(*first > 0), add);
    2 * way + usize::from(*last > 0)
}

/// The hops of a way; of the first and the last dimension the direction alone.
fn hops(mut way: usize, between: &[usize]) -> Vec<isize> {
    let direction = |forward: usize| if forward == 1 { 1 } else { -1 };
    let mut hops = vec![direction(way % 2)];
    way /= 2;
    for &most in between.iter().rev() {
        hops.push((way % (2 * most + 1)) as isize - most as isize);
        way /= 2 * most + 1;
    }
    hops.push(direction(way));
    hops.reverse();
    hops
}

/// Adds the walk that passes a corner in this way, and tells the place of the corner; none beyond the end of a line.
fn add(walk: &mut Vec<ChannelId>, grid: &Grid, corner: usize, hops: &[isize]) -> Option<usize> {
    let [first, between @ .., last] = hops else { return None };
    let comes = grid.most_hops(corner, 0, -first);
    let from = grid.moved(corner, 0, -first * comes as isize)?;
    let at = walk.len() + comes;
    let mut place = grid.walk(from, 0, first * comes as isize, walk)?;
    for (dimension, &hops) in (1..).zip(between) {
        place = grid.walk(place, dimension, hops, walk)?;
    }
    let dimension = hops.len() - 1;
    grid.walk(place, dimension, last * grid.most_hops(place, dimension, *last) as isize, walk)?;
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;
    use ccsched_base::rng::rng_of;
    use rand::RngExt;

    #[test]
    fn parts_are_the_routes_of_their_moves() {
        let rng = &mut rng_of(3, 0, 0);
        for topology in ["mesh:12x9", "torus:12x11", "mesh:8x6x5", "torus:9x8x7", "torus:40x4"] {
            let grid = Grid::find(&spec::parse(topology).unwrap()).unwrap();
            let corners = Corners::of(&grid).unwrap();
            let mut routes = 0;
            for _ in 0..20_000 {
                let from = rng.random_range(0..grid.at.len());
                let most = grid.sides.iter().map(|side| side.most_hops() as i64);
                let hops = most.map(|most| rng.random_range(-most..=most) as isize);
                let hops: Vec<isize> = hops.collect();
                let (mut place, mut route) = (Some(from), Vec::new());
                for (dimension, &hops) in hops.iter().enumerate() {
                    let moved = place.and_then(|place| grid.moved(place, dimension, hops));
                    place = place.and_then(|at| grid.walk(at, dimension, hops, &mut route));
                    assert_eq!(moved, place, "{topology} {from} {hops}");
                }
                if place.is_some() {
                    let part = corners.part(grid.moved(from, 0, hops[0]).unwrap(), &hops).unwrap();
                    assert_eq!(corners.walk[part], route, "{topology} {from} {hops:?}");
                    routes += 1;
                }
            }
            let too_far: Vec<isize> =
                grid.sides.iter().map(|side| side.most_hops() as isize + 1).collect();
            assert!(routes > 2000 && corners.part(0, &too_far).is_none(), "{topology}: {routes}");
        }
    }

    #[test]
    fn other_grids_list_their_routes() {
        for topology in ["ring:20", "mesh:20", "hypercube:6", "mesh:3x3x3x3x3"] {
            let grid = Grid::find(&spec::parse(topology).unwrap()).unwrap();
            assert!(Corners::of(&grid).is_none(), "{topology}");
        }
    }
}
