//! Directions of links: a dimension, forward or backward. A band of links has one direction. They
//! spread from one router: links of a router have different directions, and two links that span a
//! square have different dimensions. A link for which one direction is left has that one.

use super::routers::Routers;
use super::squares::Squares;
use std::cmp::Reverse;

/// Attempts to spread directions over a grid of which much is missing begin at at most this many routers.
const MOST_SEEDS: usize = 8;

/// No set of coordinates fits the links.
pub struct Contradiction;

/// A dimension, and whether forward.
pub type Direction = (usize, bool);

/// A router from which directions spread, and by link its dimension.
pub struct Seed {
    router: u32,
    dimensions: Vec<usize>,
}

/// Some routers that show the most dimensions; the first one has the most links of these.
pub fn seeds(squares: &Squares) -> Vec<Seed> {
    let shown = (0..).zip(&squares.with).filter_map(|(router, with)| {
        Some(Seed { router, dimensions: dimensions(with).filter(|of| !of.is_empty())? })
    });
    let mut seeds: Vec<Seed> = shown.collect();
    let rank = |seed: &Seed| (seed.dimensions.iter().max().copied(), seed.dimensions.len());
    let most = seeds.iter().map(rank).max().unwrap_or_default();
    seeds.retain(|seed| rank(seed).0 == most.0);
    seeds.sort_by_key(|seed| Reverse(rank(seed)));
    let apart = seeds.len().div_ceil(MOST_SEEDS).max(1);
    seeds.into_iter().step_by(apart).collect()
}

/// The directions that are known.
pub struct Directions<'r> {
    routers: &'r Routers,
    squares: &'r Squares,
    pub dimensions: usize,
    /// The router from which they spread.
    pub seed: u32,
    /// By band.
    of: Vec<Option<Direction>>,
}

impl<'r> Directions<'r> {
    /// Those that follow from the links of one router.
    pub fn spread(
        routers: &'r Routers,
        squares: &'r Squares,
        seed: &Seed,
    ) -> Result<Self, Contradiction> {
        let dimensions = seed.dimensions.iter().max().map_or(0, |last| last + 1);
        let of = vec![None; squares.links.len()];
        let mut directions = Directions { routers, squares, dimensions, seed: seed.router, of };
        for (slot, &dimension) in seed.dimensions.iter().enumerate() {
            let is_first = !seed.dimensions[..slot].contains(&dimension);
            directions.set(seed.router, slot, (dimension, is_first))?;
        }
        Ok(directions)
    }

    /// The direction of the link at this place among those of a router.
    pub fn get(&self, v: u32, slot: usize) -> Option<Direction> {
        let (band, is_turned) =
            self.squares.band(self.routers, self.routers.near[v as usize][slot].1, v);
        self.of[band].map(|(dimension, forward)| (dimension, forward != is_turned))
    }

    /// Sets a direction, and those that follow.
    pub fn set(&mut self, v: u32, slot: usize, direction: Direction) -> Result<(), Contradiction> {
        let mut known = vec![(v, slot, direction)];
        while let Some((v, slot, direction)) = known.pop() {
            match self.get(v, slot) {
                Some(other) if other == direction => continue,
                Some(_) => return Err(Contradiction),
                None => {}
            }
            let link = self.routers.near[v as usize][slot].1;
            let (band, is_turned) = self.squares.band(self.routers, link, v);
            self.of[band] = Some((direction.0, direction.1 != is_turned));
            for &link in &self.squares.links[band] {
                for v in self.routers.links[link].ends {
                    self.follow(v, &mut known)?;
                }
            }
        }
        Ok(())
    }

    /// Finds the links of a router for which one direction is left.
    fn follow(
        &self,
        v: u32,
        known: &mut Vec<(u32, usize, Direction)>,
    ) -> Result<(), Contradiction> {
        let (mut used, mut twice) = (0, 0);
        for slot in 0..self.routers.near[v as usize].len() {
            let bit = self.get(v, slot).map_or(0, bit);
            twice |= used & bit;
            used |= bit;
        }
        if twice > 0 {
            return Err(Contradiction);
        }
        for slot in 0..self.routers.near[v as usize].len() {
            if self.get(v, slot).is_some() {
                continue;
            }
            let mut left = self.left(v, slot);
            match (left.next(), left.next()) {
                (None, _) => return Err(Contradiction),
                (Some(only), None) => known.push((v, slot, only)),
                _ => {}
            }
        }
        Ok(())
    }

    /// The directions that are left for a link of a router.
    pub fn left(&self, v: u32, slot: usize) -> impl Iterator<Item = Direction> + use<> {
        let (mut gone, with) = (0u64, self.squares.with[v as usize][slot]);
        for other in 0..self.routers.near[v as usize].len() {
            if let Some(direction) = self.get(v, other) {
                gone |= bit(direction);
                if with >> other & 1 == 1 {
                    gone |= bit((direction.0, !direction.1));
                }
            }
        }
        let all = (0..self.dimensions).flat_map(|d| [(d, true), (d, false)]);
        all.filter(move |&direction| gone & bit(direction) == 0)
    }
}

fn bit((dimension, forward): Direction) -> u64 {
    1 << (2 * dimension + usize::from(forward))
}

/// By link of a router, its dimension, where each spans squares with all others but at most one,
/// which is the other one of its dimension.
fn dimensions(with: &[u32]) -> Option<Vec<usize>> {
    let mut of = vec![usize::MAX; with.len()];
    let mut count = 0;
    for (i, squares) in with.iter().enumerate() {
        let mut others = (0..with.len()).filter(|&j| j != i && squares >> j & 1 == 0);
        let (other, None) = (others.next(), others.next()) else { return None };
        of[i] = match other {
            Some(j) if j < i => of[j],
            _ => {
                count += 1;
                count - 1
            }
        };
    }
    Some(of)
}
