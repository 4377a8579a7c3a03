//! Recognition of meshes, tori and cylinders of any dimension, hypercubes among them: the routers of
//! a network by their coordinates, whatever their numbers, and even if some routers and links are
//! missing.
//!
//! A grid is a product of lines and rings; a ring of four is the product of two lines of two.
//! `routers` tells the routers from terminals that hang at them, `squares` finds the links that
//! have one direction, `directions` spreads directions from one router, `coordinates` adds them up,
//! and `rows` prefers the dimensions that the numbers of routers show.

mod coordinates;
mod corners;
mod directions;
mod routers;
mod rows;
mod squares;

use crate::{ChannelId, Network, VertexId};
use coordinates::{Coordinates, NoGrid};
use corners::Corners;
use routers::Routers;
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
        let coordinates = rows::ordered(&routers, &coordinates).unwrap_or(coordinates);
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
