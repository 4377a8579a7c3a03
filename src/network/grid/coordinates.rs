//! Coordinates of routers, from the directions of their links. Where the coordinates lead back to a
//! router with others, a dimension is a ring. Links beside missing routers may have several
//! directions left; then the place decides to which each leads. Several attempts are made, and the one
//! with the fewest missing routers and links is taken. The numbers of routers have no influence but on
//! the order of the dimensions and on their ends.

use super::{Routers, Side};
use std::cmp::Reverse;

/// A grid has at most as many places for each router.
const MOST_PLACES: usize = 2;
/// No router.
const NONE: u32 = u32::MAX;

/// The dimensions of a grid, each with the coordinates of all routers, the longest first.
pub type Coordinates = Vec<(Side, Vec<usize>)>;

/// By router, its coordinates, if they are known.
type KnownPlaces = Vec<Option<Box<[isize]>>>;

/// Why routers have no coordinates.
#[derive(Debug)]
pub enum NoGrid {
    /// Their links are not those of a grid.
    Other,
    /// A router may have several places.
    Open(u32),
}

impl From<Contradiction> for NoGrid {
    fn from(_: Contradiction) -> Self {
        NoGrid::Other
    }
}

/// What the place of a router must be to decide between its possible ones: linked to all its
/// neighbours, and between other routers in every dimension.
type Wanted = (bool, bool);

/// What decides, one after the other. Which order leads to the fewest missing routers and links
/// depends on what is missing.
const ORDERS: [[Wanted; 4]; 3] = [
    [(true, true), (true, false), (false, true), (false, false)],
    [(true, true), (false, true), (true, false), (false, false)],
    [(true, false), (true, true), (false, true), (false, false)],
];

/// The coordinates of all routers, of several ones those with the fewest missing routers and links.
pub fn find(routers: &Routers) -> Result<Coordinates, NoGrid> {
    let squares = Squares::of(routers).ok_or(NoGrid::Other)?;
    let (mut least, mut found, mut open) = (usize::MAX, Err(NoGrid::Other), None);
    for seed in seeds(&squares) {
        for order in &ORDERS {
            match attempt(routers, &squares, &seed, order) {
                Ok((0, coordinates)) => return Ok(coordinates),
                Ok((missing, coordinates)) if missing < least => {
                    (least, found) = (missing, Ok(coordinates));
                }
                Ok((missing, other)) if missing == least => {
                    if let Ok(one) = &found
                        && let Some(v) = first_apart(one, &other)
                    {
                        found = Err(NoGrid::Open(v));
                    }
                }
                Err(NoGrid::Open(v)) => open = open.or(Some(v)),
                _ => {}
            }
        }
    }
    match (found, open) {
        (Err(NoGrid::Other), Some(v)) => Err(NoGrid::Open(v)),
        (found, _) => found,
    }
}

/// The first router with other coordinates.
fn first_apart(one: &Coordinates, other: &Coordinates) -> Option<u32> {
    let apart = one.iter().zip(other).map(|((side, of), (other_side, other))| {
        if side != other_side { Some(0) } else { of.iter().zip(other).position(|(a, b)| a != b) }
    });
    apart.flatten().min().map(|v| v as u32)
}

/// The coordinates that follow from one seed, and how many routers and links are missing.
fn attempt(
    routers: &Routers,
    squares: &Squares,
    seed: &Seed,
    order: &[Wanted],
) -> Result<(usize, Coordinates), NoGrid> {
    let mut directions = Directions::spread(routers, squares, seed)?;
    loop {
        let known = Known::of(routers, &directions)?;
        if known.at.iter().all(Option::is_some) {
            return Ok((known.missing().ok_or(NoGrid::Other)?, known.coordinates()));
        }
        let (v, slot, direction) = known.decide(order)?;
        directions.set(v, slot, direction)?;
    }
}

/// The routers whose coordinates follow from known directions.
struct Known<'k> {
    routers: &'k Routers,
    directions: &'k Directions<'k>,
    /// By router, relative to those of the first one that was known.
    at: KnownPlaces,
    /// By dimension, its least coordinate and its side.
    sides: Vec<(isize, Side)>,
    /// By place, its router.
    places: Vec<u32>,
}

impl<'k> Known<'k> {
    fn of(routers: &'k Routers, directions: &'k Directions<'k>) -> Result<Self, NoGrid> {
        let (at, around) = follow(routers, directions);
        let side = |(dimension, &around): (usize, &usize)| {
            let all = at.iter().flatten().map(|at| at[dimension]);
            let (least, most) = (all.clone().min()?, all.max()?);
            let is_ring = around > 0;
            let length = if is_ring { around } else { most.abs_diff(least) + 1 };
            // Shorter rings are double links.
            (!is_ring || length > 2).then_some((least, Side { length, is_ring }))
        };
        let sides: Option<Vec<_>> = around.iter().enumerate().map(side).collect();
        let sides = sides.ok_or(NoGrid::Other)?;
        let room = sides.iter().try_fold(1usize, |room, (_, side)| room.checked_mul(side.length));
        let room = room.filter(|room| *room <= MOST_PLACES * at.len()).ok_or(NoGrid::Other)?;
        let mut known = Known { routers, directions, at, sides, places: vec![NONE; room] };
        for (v, at) in (0..).zip(&known.at) {
            let Some(place) = at.as_ref().and_then(|at| known.place(at)) else { continue };
            if std::mem::replace(&mut known.places[place], v) != NONE {
                return Err(NoGrid::Other);
            }
        }
        Ok(known)
    }

    /// A coordinate from the least on; none outside.
    fn coordinate(&self, dimension: usize, at: isize) -> Option<usize> {
        let (least, side) = self.sides[dimension];
        let c = match side.is_ring {
            true => (at - least).rem_euclid(side.length as isize),
            false => at - least,
        };
        usize::try_from(c).ok().filter(|&c| c < side.length)
    }

    /// The place of some coordinates; none outside.
    fn place(&self, at: &[isize]) -> Option<usize> {
        (0..at.len()).try_fold(0, |place, d| {
            Some(place * self.sides[d].1.length + self.coordinate(d, at[d])?)
        })
    }

    /// A link of a router and its direction, the only one that leads to a free place as wanted.
    fn decide(&self, order: &[Wanted]) -> Result<(u32, usize, Direction), NoGrid> {
        let mut open = Vec::new();
        for (v, at) in (0..).zip(&self.at) {
            let Some(at) = at else { continue };
            for (slot, &(to, _)) in self.routers.near[v as usize].iter().enumerate() {
                if self.directions.get(v, slot).is_none() {
                    let fits = |direction| Some((self.fits(to, &next(at, direction))?, direction));
                    let left: Vec<_> = self.directions.left(v, slot).filter_map(fits).collect();
                    open.push((v, slot, to, left));
                }
            }
        }
        for wanted in order {
            for (v, slot, _, left) in &open {
                let is_fit = |(is, _): &&(Wanted, Direction)| is.0 >= wanted.0 && is.1 >= wanted.1;
                let mut fit = left.iter().filter(is_fit);
                if let (Some((_, only)), None) = (fit.next(), fit.next()) {
                    return Ok((*v, *slot, *only));
                }
            }
        }
        Err(open.first().map_or(NoGrid::Other, |(_, _, to, _)| NoGrid::Open(*to)))
    }

    /// Whether a router at these coordinates is linked to all its neighbours, and is between other
    /// routers; none if it cannot be there.
    fn fits(&self, router: u32, at: &[isize]) -> Option<Wanted> {
        let place = self.place(at);
        let there = place.map_or(NONE, |place| self.places[place]);
        if there != NONE || self.at[router as usize].is_some() {
            return (there == router).then_some((true, true));
        }
        let beside: Vec<u32> = self.beside(at).collect();
        let linked = self.routers.near[router as usize].iter().map(|&(to, _)| to);
        let mut linked = linked.filter(|&to| self.at[to as usize].is_some());
        let count = linked.clone().count();
        let is_beside = linked.all(|to| beside.contains(&to));
        is_beside.then_some((beside.len() == count, place.is_some()))
    }

    /// The routers at the places next to these coordinates.
    fn beside(&self, at: &[isize]) -> impl Iterator<Item = u32> {
        let directions = (0..self.sides.len()).flat_map(|d| [(d, false), (d, true)]);
        directions
            .filter_map(|direction| self.place(&next(at, direction)))
            .map(|place| self.places[place])
            .filter(|&v| v != NONE)
    }

    /// How many routers are missing, and links between others; none if a link joins no neighbours.
    fn missing(&self) -> Option<usize> {
        let mut ends = 0;
        for (at, near) in self.at.iter().flatten().zip(&self.routers.near) {
            let beside: Vec<u32> = self.beside(at).collect();
            if !near.iter().all(|(to, _)| beside.contains(to)) {
                return None;
            }
            ends += beside.len() - near.len();
        }
        Some(self.places.len() - self.at.len() + ends / 2)
    }

    /// The coordinates of all routers.
    fn coordinates(&self) -> Coordinates {
        // By dimension, its first link.
        let mut first = vec![usize::MAX; self.sides.len()];
        for (v, near) in (0..).zip(&self.routers.near) {
            for (slot, &(_, link)) in near.iter().enumerate() {
                if let Some((d, _)) = self.directions.get(v, slot) {
                    first[d] = first[d].min(link);
                }
            }
        }
        let mut order: Vec<usize> = (0..self.sides.len()).collect();
        order.sort_by_key(|&d| (Reverse(self.sides[d].1), first[d]));
        order.into_iter().map(|d| (self.sides[d].1, self.along(d))).collect()
    }

    /// The coordinates of routers in a dimension. A line begins at the end to which the first router
    /// is nearer, a ring at the first router; the first router that is not in the middle decides.
    fn along(&self, dimension: usize) -> Vec<usize> {
        let Side { length, is_ring } = self.sides[dimension].1;
        let all = self.at.iter().flatten();
        let mut of: Vec<usize> =
            all.filter_map(|at| self.coordinate(dimension, at[dimension])).collect();
        if is_ring {
            let start = of[0];
            of.iter_mut().for_each(|c| *c = (*c + length - start) % length);
        }
        // Where a coordinate and its mirror image have the same sum.
        let sum = if is_ring { length } else { length - 1 };
        let off = of.iter().find(|&&c| 2 * c != sum && !(is_ring && c == 0));
        if off.is_some_and(|c| 2 * c > sum) {
            of.iter_mut().for_each(|c| *c = (sum - *c) % length);
        }
        of
    }
}

/// The coordinates of the routers to which known directions lead, and by dimension how far round a
/// ring they lead back to a router; 0 along a line.
fn follow(routers: &Routers, directions: &Directions) -> (KnownPlaces, Vec<usize>) {
    let mut around = vec![0; directions.dimensions];
    let mut at = vec![None; routers.near.len()];
    at[directions.seed as usize] = Some(vec![0; directions.dimensions].into_boxed_slice());
    let mut reached = vec![directions.seed];
    while let Some(v) = reached.pop() {
        for (slot, &(to, _)) in routers.near[v as usize].iter().enumerate() {
            let (Some(here), Some(direction)) = (&at[v as usize], directions.get(v, slot)) else {
                continue;
            };
            let there = next(here, direction);
            if let Some(known) = &at[to as usize] {
                let differ = known.iter().zip(&there).map(|(a, b)| a.abs_diff(*b));
                around.iter_mut().zip(differ).for_each(|(a, b)| *a = gcd(*a, b));
            } else {
                at[to as usize] = Some(there);
                reached.push(to);
            }
        }
    }
    (at, around)
}

fn next(at: &[isize], (dimension, forward): Direction) -> Box<[isize]> {
    let mut next: Box<[isize]> = at.into();
    next[dimension] += if forward { 1 } else { -1 };
    next
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

// Directions of links: a dimension, forward or backward. A band of links has one direction. They
// spread from one router: links of a router have different directions, and two links that span a
// square have different dimensions. A link for which one direction is left has that one.

/// Attempts to spread directions over a grid of which much is missing begin at at most this many routers.
const MOST_SEEDS: usize = 8;

/// No set of coordinates fits the links.
struct Contradiction;

/// A dimension, and whether forward.
type Direction = (usize, bool);

/// A router from which directions spread, and by link its dimension.
struct Seed {
    router: u32,
    dimensions: Vec<usize>,
}

/// Some routers that show the most dimensions; the first one has the most links of these.
fn seeds(squares: &Squares) -> Vec<Seed> {
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
struct Directions<'r> {
    routers: &'r Routers,
    squares: &'r Squares,
    dimensions: usize,
    /// The router from which they spread.
    seed: u32,
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
    fn get(&self, v: u32, slot: usize) -> Option<Direction> {
        let (band, is_turned) =
            self.squares.band(self.routers, self.routers.near[v as usize][slot].1, v);
        self.of[band].map(|(dimension, forward)| (dimension, forward != is_turned))
    }

    /// Sets a direction, and those that follow.
    fn set(&mut self, v: u32, slot: usize, direction: Direction) -> Result<(), Contradiction> {
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
    fn left(&self, v: u32, slot: usize) -> impl Iterator<Item = Direction> + use<> {
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

// Squares of links. In a product of lines and rings, opposite links of a square have the same
// direction, and neighbouring ones belong to different dimensions. A band is a set of links that
// squares show to have one direction.

/// A grid has fewer dimensions, so that its directions are bits.
const MOST_LINKS: usize = 32;

/// The squares of routers.
struct Squares {
    /// By router and place among its links: bits of those that span a square with it.
    with: Vec<Vec<u32>>,
    /// By link, its band, and whether its ends are in the order against the one of the band.
    band: Vec<(usize, bool)>,
    /// By band.
    links: Vec<Vec<usize>>,
}

impl Squares {
    /// None if the squares are not those of a grid.
    fn of(routers: &Routers) -> Option<Self> {
        let near = &routers.near;
        if near.iter().any(|links| links.len() > MOST_LINKS) {
            return None;
        }
        let mut bands = Bands { joined: (0..routers.links.len()).map(|l| (l, false)).collect() };
        let mut with: Vec<Vec<u32>> = near.iter().map(|links| vec![0; links.len()]).collect();
        // By router, the link that leads there from the neighbour at hand.
        let mut leads: Vec<Option<usize>> = vec![None; near.len()];
        let turned = |link: usize, from: u32| routers.links[link].ends[0] != from;
        for (v, links) in (0..).zip(near) {
            for (i, &(a, to_a)) in links.iter().enumerate() {
                near[a as usize].iter().for_each(|&(w, link)| leads[w as usize] = Some(link));
                for (j, &(b, to_b)) in (i + 1..).zip(&links[i + 1..]) {
                    let corners = near[b as usize].iter().filter(|(w, _)| *w != v);
                    let mut corners =
                        corners.filter_map(|&(w, link)| Some((leads[w as usize]?, link)));
                    let Some((from_a, from_b)) = corners.next() else { continue };
                    if corners.next().is_some()
                        || !bands.join(to_a, from_b, turned(to_a, v) != turned(from_b, b))
                        || !bands.join(to_b, from_a, turned(to_b, v) != turned(from_a, a))
                    {
                        return None;
                    }
                    with[v as usize][i] |= 1 << j;
                    with[v as usize][j] |= 1 << i;
                }
                near[a as usize].iter().for_each(|&(w, _)| leads[w as usize] = None);
            }
        }
        let mut numbers = vec![usize::MAX; routers.links.len()];
        let (mut band, mut links) = (Vec::new(), Vec::<Vec<usize>>::new());
        for link in 0..routers.links.len() {
            let (root, is_turned) = bands.root(link);
            if numbers[root] == usize::MAX {
                numbers[root] = links.len();
                links.push(Vec::new());
            }
            links[numbers[root]].push(link);
            band.push((numbers[root], is_turned));
        }
        Some(Squares { with, band, links })
    }

    /// The band of a link, and whether it runs backwards along the link that leaves a router.
    fn band(&self, routers: &Routers, link: usize, from: u32) -> (usize, bool) {
        let (band, is_turned) = self.band[link];
        (band, is_turned != (routers.links[link].ends[0] != from))
    }
}

/// Links that are joined to bands: by link another one, and whether its ends are in the other order.
struct Bands {
    joined: Vec<(usize, bool)>,
}

impl Bands {
    fn root(&mut self, link: usize) -> (usize, bool) {
        let (mut at, mut is_turned) = (link, false);
        while self.joined[at].0 != at {
            // Halves the way of the next look-up.
            let (next, turn) = self.joined[at];
            let (beyond, more) = self.joined[next];
            self.joined[at] = (beyond, turn ^ more);
            is_turned ^= turn;
            at = next;
        }
        (at, is_turned)
    }

    /// Joins the bands of two links; false if they are one already, in the other order.
    fn join(&mut self, a: usize, b: usize, is_turned: bool) -> bool {
        let ((a, turn), (b, other)) = (self.root(a), self.root(b));
        let is_turned = is_turned ^ turn ^ other;
        if a == b {
            return !is_turned;
        }
        self.joined[a.max(b)] = (a.min(b), is_turned);
        true
    }
}
