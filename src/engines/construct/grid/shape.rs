//! Recognition of meshes, tori and cylinders of any dimension: the vertices of a network by their
//! coordinates, whatever their numbers.
//!
//! A grid is a product of lines and rings. Two links of a vertex belong to different dimensions if
//! they span a square; opposite links of a square belong to the same dimension. Two links of a
//! vertex without a square belong to the same line. So the classes of links under these relations
//! are the dimensions (a ring of four is the product of two lines of two). The coordinates along a
//! dimension follow from one line, and spread over the links of the other dimensions. A count of
//! the links at the end shows that the network has these links and no others.

use super::corners::Corners;
use crate::network::{ChannelId, Network, VertexId};
use std::sync::OnceLock;

/// No neighbour on this side.
const NONE: ChannelId = ChannelId::MAX;

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
    /// By place.
    pub at: Vec<VertexId>,
    /// By place, dimension and direction (backward, forward), the channel.
    channels: Vec<[ChannelId; 2]>,
    strides: Vec<usize>,
    corners: OnceLock<Option<Corners>>,
}

impl Grid {
    /// None unless the network is a grid of full-duplex links.
    pub fn find(network: &Network) -> Option<Self> {
        let vertices = network.vertices().len();
        let channels = network.channels();
        if vertices < 2 || channels.iter().any(|c| c.reverse.is_none() || c.exclusive) {
            return None;
        }
        let dimension = dimensions(network)?;
        let mut lines: Vec<(Side, Vec<usize>)> = Vec::new();
        for class in 0..=*dimension.iter().max()? {
            lines.push(coordinates(network, &dimension, class)?);
        }
        // Longest first; a stable sort keeps the order of the links otherwise.
        lines.sort_by_key(|(side, _)| std::cmp::Reverse(*side));
        let (sides, coordinates): (Vec<Side>, Vec<Vec<usize>>) = lines.into_iter().unzip();
        Self::assemble(network, sides, &coordinates)
    }

    fn assemble(network: &Network, sides: Vec<Side>, coordinates: &[Vec<usize>]) -> Option<Self> {
        let vertices = network.vertices().len();
        let mut strides = vec![1; sides.len()];
        for i in (1..sides.len()).rev() {
            strides[i - 1] = strides[i] * sides[i].length;
        }
        let links = |s: &Side| vertices / s.length * (s.length - usize::from(!s.is_ring));
        if strides[0].checked_mul(sides[0].length) != Some(vertices)
            || sides.iter().map(links).sum::<usize>() * 2 != network.channels().len()
        {
            return None;
        }
        let number = |v: usize| coordinates.iter().zip(&strides).map(|(c, s)| c[v] * s).sum();
        let places: Vec<usize> = (0..vertices).map(number).collect();
        let place = |v: VertexId| places[v as usize];
        let mut at = vec![VertexId::MAX; vertices];
        (0..vertices as VertexId).for_each(|v| at[place(v)] = v);
        let mut grid = Grid {
            channels: vec![[NONE; 2]; vertices * sides.len()],
            sides,
            at,
            strides,
            corners: OnceLock::new(),
        };
        for (id, channel) in (0..).zip(network.channels()) {
            let (from, to) = (place(channel.from), place(channel.to));
            let found = (0..grid.sides.len())
                .flat_map(|i| [(i, false), (i, true)])
                .find(|&(i, forward)| grid.next(from, i, forward) == Some(to));
            let (i, forward) = found?;
            let slot = &mut grid.channels[from * grid.sides.len() + i][usize::from(forward)];
            if std::mem::replace(slot, id) != NONE {
                return None;
            }
        }
        Some(grid)
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
    fn next(&self, place: usize, dimension: usize, forward: bool) -> Option<usize> {
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

/// The dimension of every channel; none if some links are in no grid.
fn dimensions(network: &Network) -> Option<Vec<usize>> {
    let mut joined: Vec<usize> = (0..network.channels().len()).collect();
    for (id, channel) in network.channels().iter().enumerate() {
        unite(&mut joined, id, channel.reverse? as usize);
    }
    // By vertex, the channel that leads there from the vertex at hand.
    let mut leads: Vec<Option<ChannelId>> = vec![None; network.vertices().len()];
    for v in 0..network.vertices().len() as VertexId {
        for (i, &a) in network.outgoing(v).iter().enumerate() {
            let side = network.channel(a).to;
            network
                .outgoing(side)
                .iter()
                .for_each(|&c| leads[network.channel(c).to as usize] = Some(c));
            for &b in &network.outgoing(v)[i + 1..] {
                let other = network.channel(b).to;
                let mut corner = None;
                for &c in network.outgoing(other) {
                    let w = network.channel(c).to;
                    if w != v
                        && let Some(d) = leads[w as usize]
                        && corner.replace((c, d)).is_some()
                    {
                        return None;
                    }
                }
                let (a, b) = (a as usize, b as usize);
                match corner {
                    Some((c, d)) => {
                        unite(&mut joined, a, c as usize);
                        unite(&mut joined, b, d as usize);
                    }
                    None => unite(&mut joined, a, b),
                }
            }
            network
                .outgoing(side)
                .iter()
                .for_each(|&c| leads[network.channel(c).to as usize] = None);
        }
    }
    let mut numbers = vec![usize::MAX; joined.len()];
    let mut count = 0;
    let roots: Vec<usize> = (0..joined.len()).map(|c| root(&mut joined, c)).collect();
    for &root in &roots {
        if numbers[root] == usize::MAX {
            numbers[root] = count;
            count += 1;
        }
    }
    Some(roots.into_iter().map(|root| numbers[root]).collect())
}

fn root(joined: &mut [usize], mut x: usize) -> usize {
    while joined[x] != x {
        joined[x] = joined[joined[x]];
        x = joined[x];
    }
    x
}

/// Unites two classes under the channel of lower number.
fn unite(joined: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(joined, a), root(joined, b));
    joined[a.max(b)] = a.min(b);
}

/// The side of a dimension, and the coordinate of every vertex along it.
fn coordinates(network: &Network, dimension: &[usize], class: usize) -> Option<(Side, Vec<usize>)> {
    let along = |v: VertexId| {
        let is_along = |c: &&ChannelId| dimension[**c as usize] == class;
        network.outgoing(v).iter().filter(is_along).map(|&c| network.channel(c).to)
    };
    // The line of the first vertex: to one end, then from there to the other end.
    let mut line = walk(0, along)?;
    let is_ring = line.len() > 2 && along(line[line.len() - 1]).any(|v| v == line[0]);
    if !is_ring {
        line = walk(line[line.len() - 1], along)?;
    }
    // Low vertices of a line first, so that the coordinates do not depend on the first vertex.
    if !is_ring && line[0] > line[line.len() - 1] {
        line.reverse();
    }
    let mut coordinate = vec![usize::MAX; network.vertices().len()];
    let mut reached: Vec<VertexId> = line.clone();
    line.iter().enumerate().for_each(|(c, &v)| coordinate[v as usize] = c);
    while let Some(v) = reached.pop() {
        for &c in network.outgoing(v).iter().filter(|&&c| dimension[c as usize] != class) {
            let to = network.channel(c).to;
            if coordinate[to as usize] == usize::MAX {
                coordinate[to as usize] = coordinate[v as usize];
                reached.push(to);
            }
        }
    }
    let is_complete = coordinate.iter().all(|&c| c != usize::MAX);
    is_complete.then_some((Side { length: line.len(), is_ring }, coordinate))
}

/// The vertices from one on, along a line, until its end or all round a ring; none if it branches.
fn walk<I: Iterator<Item = VertexId>>(
    from: VertexId,
    along: impl Fn(VertexId) -> I,
) -> Option<Vec<VertexId>> {
    let mut line = vec![from];
    let mut before = from;
    loop {
        let last = line[line.len() - 1];
        let mut on = along(last).filter(|&v| v != before);
        let Some(next) = on.next() else { return Some(line) };
        if line.len() > 1 && on.next().is_some() {
            return None;
        }
        if next == from {
            return Some(line);
        }
        before = last;
        line.push(next);
    }
}
