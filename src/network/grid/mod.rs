//! Recognition of meshes, tori and cylinders of any dimension, hypercubes among them: the routers of
//! a network by their coordinates, whatever their numbers, and even if some routers and links are
//! missing.
//!
//! A grid is a product of lines and rings; a ring of four is the product of two lines of two.
//! `routers` tells the routers from terminals that hang at them, `squares` finds the links that
//! have one direction, `directions` spreads directions from one router, `coordinates` adds them up,
//! and `rows` prefers the dimensions that the numbers of routers show.

mod coordinates;

use crate::{ChannelId, Network, VertexId, Walk};
use coordinates::{Coordinates, NoGrid};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

/// No neighbour on this side.
const NONE: ChannelId = ChannelId::MAX;
/// A place whose router is missing.
pub const MISSING: VertexId = VertexId::MAX;

/// A dimension of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Side {
    /// The number of coordinates.
    pub length: usize,
    /// Whether the last coordinate is next to the first.
    pub is_ring: bool,
}

impl Side {
    /// The most hops of a message along it.
    pub fn most_hops(&self) -> usize {
        if self.is_ring { self.length / 2 } else { self.length - 1 }
    }
}

/// A grid. A place is the number of a vertex in the order of its coordinates, the last fastest.
pub struct Grid {
    /// The dimensions, the longest first.
    pub sides: Vec<Side>,
    /// By place, its router, or [`MISSING`].
    pub at: Vec<VertexId>,
    /// By place, dimension and direction (backward, forward), the channel.
    channels: Vec<[ChannelId; 2]>,
    strides: Vec<usize>,
    corners: OnceLock<Option<Corners>>,
}

impl Grid {
    /// The whole grid of full-duplex links, one between neighbours, whose vertices are all routers;
    /// the longest dimension first.
    pub fn find(network: &Network) -> Option<Self> {
        if network.channels().iter().any(|c| c.reverse.is_none() || c.exclusive) {
            return None;
        }
        let routers = Routers::of(network, false);
        let coordinates = coordinates::find(&routers).ok()?;
        let (grid, _) = Self::assemble(network, &routers, &coordinates);
        let links = |s: &Side| grid.at.len() / s.length * (s.length - usize::from(!s.is_ring));
        let channels = 2 * grid.sides.iter().map(links).sum::<usize>();
        let taken = grid.channels.iter().flatten().filter(|&&c| c != NONE).count();
        let is_whole = grid.at.len() == routers.vertices.len()
            && channels == network.channels().len()
            && channels == taken;
        is_whole.then_some(grid)
    }

    /// The grid of the routers of a network, of which some may be missing, and links of any kind; by
    /// vertex, the place of its router. The order of the dimensions is that of the routers' numbers
    /// if the last coordinate changes fastest; otherwise the longest is first.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of_routers(network: &Network) -> Result<(Self, Vec<usize>), String> {
        let routers = Routers::of(network, true);
        let coordinates = coordinates::find(&routers).map_err(|why| match why {
            NoGrid::Other => "its links do not join neighbours of a grid".to_string(),
            NoGrid::Open(router) => {
                let name = network.vertex_name(routers.vertices[router as usize]);
                format!("too much is missing of a grid to tell the place of '{name}'")
            }
        })?;
        let coordinates = ordered(&routers, &coordinates).unwrap_or(coordinates);
        let (grid, places) = Self::assemble(network, &routers, &coordinates);
        let place = |&router: &u32| places[router as usize];
        Ok((grid, routers.of.iter().map(place).collect()))
    }

    /// The grid, and by router its place.
    fn assemble(
        network: &Network,
        routers: &Routers,
        coordinates: &Coordinates,
    ) -> (Self, Vec<usize>) {
        let sides: Vec<Side> = coordinates.iter().map(|(side, _)| *side).collect();
        let strides = strides(&sides);
        let places = places(coordinates, routers.vertices.len());
        let room = sides.iter().map(|side| side.length).product();
        let mut at = vec![MISSING; room];
        places.iter().zip(&routers.vertices).for_each(|(&place, &v)| at[place] = v);
        let channels = vec![[NONE; 2]; room * sides.len()];
        let mut grid = Grid { channels, sides, at, strides, corners: OnceLock::new() };
        for (id, channel) in (0..).zip(network.channels()) {
            let [from, to] =
                [channel.from, channel.to].map(|v| places[routers.of[v as usize] as usize]);
            let directions = (0..grid.sides.len()).flat_map(|i| [(i, false), (i, true)]);
            let mut along =
                directions.filter(|&(i, forward)| grid.next(from, i, forward) == Some(to));
            if let Some((i, forward)) = along.next() {
                let slot = from * grid.sides.len() + i;
                grid.channels[slot][usize::from(forward)] = id;
            }
        }
        (grid, places)
    }

    /// The coordinate of a place in a dimension.
    pub fn coordinate(&self, place: usize, dimension: usize) -> usize {
        place / self.strides[dimension] % self.sides[dimension].length
    }

    /// The place of some coordinates.
    pub fn place(&self, coordinates: &[usize]) -> usize {
        coordinates.iter().zip(&self.strides).map(|(c, stride)| c * stride).sum()
    }

    /// How far two places are apart whose coordinates differ by one, in a dimension.
    pub fn stride(&self, dimension: usize) -> usize {
        self.strides[dimension]
    }

    /// The channel out of a place in a direction, if there is a place.
    pub fn channel(&self, place: usize, dimension: usize, forward: bool) -> ChannelId {
        self.channels[place * self.sides.len() + dimension][usize::from(forward)]
    }

    /// The walks that routes of this grid share, if that saves memory.
    pub fn corners(&self) -> Option<&Corners> {
        self.corners.get_or_init(|| Corners::of(self)).as_ref()
    }

    /// By channel, its dimension.
    pub fn dimensions_of_channels(&self) -> Vec<usize> {
        let mut dimensions = vec![0; 2 * self.channels.len()];
        for (slot, both) in self.channels.iter().enumerate() {
            for &c in both.iter().filter(|&&c| c != NONE) {
                dimensions[c as usize] = slot % self.sides.len();
            }
        }
        dimensions
    }

    /// The next place in a direction.
    pub fn next(&self, place: usize, dimension: usize, forward: bool) -> Option<usize> {
        self.moved(place, dimension, if forward { 1 } else { -1 })
    }

    /// The place a number of hops away in a dimension (negative: backward); none beyond the end of a line.
    pub fn moved(&self, place: usize, dimension: usize, hops: isize) -> Option<usize> {
        let (side, stride) = (self.sides[dimension], self.strides[dimension]);
        let c = self.coordinate(place, dimension);
        let to = match side.is_ring {
            true => (c as isize + hops).rem_euclid(side.length as isize) as usize,
            false => c.checked_add_signed(hops).filter(|&to| to < side.length)?,
        };
        Some(place + to * stride - c * stride)
    }

    /// The most hops of a message from a place in a dimension, in the direction of this sign.
    pub fn most_hops(&self, place: usize, dimension: usize, direction: isize) -> usize {
        let (side, c) = (self.sides[dimension], self.coordinate(place, dimension));
        match side.is_ring {
            true => side.most_hops(),
            false if direction > 0 => side.length - 1 - c,
            false => c,
        }
    }

    /// Adds the channels of a number of hops to a route (negative: backward), and returns where it
    /// ends; none beyond the end of a line.
    pub fn walk(
        &self,
        mut place: usize,
        dimension: usize,
        hops: isize,
        route: &mut Vec<ChannelId>,
    ) -> Option<usize> {
        let forward = hops > 0;
        for _ in 0..hops.unsigned_abs() {
            let next = self.next(place, dimension, forward)?;
            route.push(self.channel(place, dimension, forward));
            place = next;
        }
        Some(place)
    }
}

/// By dimension, how far two places are apart whose coordinates differ by one.
fn strides(sides: &[Side]) -> Vec<usize> {
    let mut strides = vec![1; sides.len()];
    for i in (1..sides.len()).rev() {
        strides[i - 1] = strides[i] * sides[i].length;
    }
    strides
}

/// By router, its place.
fn places(coordinates: &Coordinates, routers: usize) -> Vec<usize> {
    let add =
        |v: usize| coordinates.iter().fold(0, |place, (side, of)| place * side.length + of[v]);
    (0..routers).map(add).collect()
}

// The order of dimensions that the numbers of routers show: those of families are in rows, with the
// last coordinate fastest. In rows, two lines of two whose routers are numbered round each square
// are a ring of four.

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

// Routes of a grid, dimension after dimension, as parts of few walks. A message follows a line of
// the first dimension to its corner, passes the dimensions between, and leaves along a line of the
// last one. All messages that pass a corner in the same way are parts of one walk. With two
// dimensions a vertex is the corner of four walks, and millions of messages need no memory for
// their channels.

/// In place of a walk that would pass the end of a line.
const NO_PLACE: u32 = u32::MAX;

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
        let room = (all / 4).min(NO_PLACE as usize);
        if ways > vertices {
            return None;
        }
        let (mut walk, mut places) = (Vec::new(), Vec::with_capacity(vertices * ways));
        for corner in 0..vertices {
            for hops in (0..ways).map(|way| hops(way, between)) {
                let begun = walk.len();
                let place = add(&mut walk, grid, corner, &hops);
                walk.truncate(if place.is_some() { walk.len() } else { begun });
                places.push(place.map_or(NO_PLACE, |place| place as u32));
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
        (at != NO_PLACE).then(|| at as usize - first.unsigned_abs()..at as usize + beyond)
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

// The routers of a network and their links. A terminal with one neighbour, which is a switch, hangs
// at this switch; all other vertices are routers, whether or not they have a terminal.

/// Two routers that are linked, whatever the directions and the number of their channels.
#[derive(Clone, Copy)]
struct Link {
    ends: [u32; 2],
}

/// The routers of a network, in the order of their vertices.
pub struct Routers {
    /// By router.
    pub vertices: Vec<VertexId>,
    /// By vertex, its router; of a hanging terminal, that of its switch.
    pub of: Vec<u32>,
    /// In the order of their first channels.
    links: Vec<Link>,
    /// By router, its neighbours and the links to them, in the order of the links.
    pub near: Vec<Vec<(u32, usize)>>,
}

impl Routers {
    /// The routers, with terminals that hang at them if these are allowed.
    pub fn of(network: &Network, may_hang: bool) -> Self {
        let all = 0..network.vertices().len() as VertexId;
        let switch: Vec<Option<VertexId>> =
            all.clone().map(|v| switch_of(network, v).filter(|_| may_hang)).collect();
        let vertices: Vec<VertexId> = all.filter(|&v| switch[v as usize].is_none()).collect();
        let mut of = vec![u32::MAX; switch.len()];
        (0..).zip(&vertices).for_each(|(router, &v)| of[v as usize] = router);
        for (v, switch) in switch.iter().enumerate() {
            if let Some(switch) = switch {
                of[v] = of[*switch as usize];
            }
        }
        let (mut links, mut near) = (Vec::new(), vec![Vec::new(); vertices.len()]);
        let mut known = HashSet::new();
        for channel in network.channels() {
            let [a, b] = [channel.from, channel.to].map(|v| of[v as usize]);
            if a != b && known.insert((a.min(b), a.max(b))) {
                near[a as usize].push((b, links.len()));
                near[b as usize].push((a, links.len()));
                links.push(Link { ends: [a, b] });
            }
        }
        Routers { vertices, of, links, near }
    }
}

/// The switch at which a vertex hangs.
fn switch_of(network: &Network, v: VertexId) -> Option<VertexId> {
    let mut neighbours =
        [network.outgoing(v), network.incoming(v)].into_iter().flatten().map(|&c| {
            let channel = network.channel(c);
            if channel.from == v { channel.to } else { channel.from }
        });
    let switch = neighbours.next()?;
    let hangs = network.is_terminal(v)
        && !network.is_terminal(switch)
        && neighbours.all(|neighbour| neighbour == switch);
    hangs.then_some(switch)
}

#[cfg(test)]
mod tests {
    use super::super::spec;
    use super::*;
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
