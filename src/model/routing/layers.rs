//! Vertices in layers by their distance from, or to, a base vertex. The walks between the base and
//! all other vertices form a graph whose states are (vertex, hops made). The hops of a state are
//! distance plus detour, so searches over all walks go layer by layer and keep one cell for each
//! detour and vertex.

use ccsched_network::metrics::{UNREACHABLE, distances_from, distances_to};
use ccsched_network::{Network, VertexId};

/// The layers around one vertex.
#[derive(Clone, Debug)]
pub struct Layers {
    /// Distance by vertex; [`UNREACHABLE`] if there is no path.
    pub distance: Vec<u32>,
    /// The vertices with a path, nearest first; the base is the first.
    pub order: Vec<VertexId>,
    /// `starts[d]..starts[d + 1]` of `order` are the vertices at distance d.
    starts: Vec<usize>,
}

impl Layers {
    /// The layers by distance from a vertex.
    pub fn from(network: &Network, v: VertexId) -> Self {
        Self::of(distances_from(network, v))
    }

    /// The layers by distance to a vertex.
    pub fn to(network: &Network, v: VertexId) -> Self {
        Self::of(distances_to(network, v))
    }

    fn of(distance: Vec<u32>) -> Self {
        let is_reached = |v: &VertexId| distance[*v as usize] != UNREACHABLE;
        let mut order: Vec<VertexId> = (0..distance.len() as VertexId).filter(is_reached).collect();
        order.sort_by_key(|&v| distance[v as usize]);
        let farthest = order.last().map_or(0, |&v| distance[v as usize]);
        let before = |d| order.partition_point(|&v| distance[v as usize] < d);
        let starts = (0..=farthest + 1).map(before).collect();
        Layers { distance, order, starts }
    }

    /// The extra hops of a walk of `hops` hops between a vertex and the base, compared with the
    /// shortest one; none if no walk is so short.
    #[inline]
    pub fn detour(&self, v: VertexId, hops: u32) -> Option<u32> {
        hops.checked_sub(self.distance[v as usize])
    }

    /// The vertices at distances from `distance - slack` to `distance`.
    pub fn within(&self, distance: u32, slack: u32) -> &[VertexId] {
        let start = |d: u32| self.starts[(d as usize).min(self.starts.len() - 1)];
        let end = start(distance.saturating_add(1));
        &self.order[start(distance.saturating_sub(slack))..end]
    }

    /// Hops of the longest walk to consider. A path visits no vertex twice.
    pub fn longest(&self, slack: u32) -> u32 {
        let farthest = self.starts.len() as u32 - 2;
        farthest.saturating_add(slack).min(self.distance.len() as u32 - 1)
    }
}

// Distances between some vertices and all others in one small table, for searches that read them
// in their inner loops.

/// No row.
const NONE: u32 = u32::MAX;

/// A row of distances for each of some vertices, the bases.
#[derive(Clone, Debug)]
pub struct DistanceTable {
    vertices: usize,
    /// By vertex: its row, if it is a base.
    rows: Vec<u32>,
    cells: Vec<u16>,
}

impl DistanceTable {
    /// The distances from each base.
    pub fn from(network: &Network, bases: impl Iterator<Item = VertexId>) -> Self {
        Self::of(network, bases, distances_from)
    }

    /// The distances to each base.
    pub fn to(network: &Network, bases: impl Iterator<Item = VertexId>) -> Self {
        Self::of(network, bases, distances_to)
    }

    fn of(
        network: &Network,
        bases: impl Iterator<Item = VertexId>,
        distances: fn(&Network, VertexId) -> Vec<u32>,
    ) -> Self {
        let vertices = network.vertices().len();
        let (mut rows, mut cells) = (vec![NONE; vertices], Vec::new());
        for base in bases {
            let row = &mut rows[base as usize];
            if *row == NONE {
                *row = (cells.len() / vertices) as u32;
                let near = |d: &u32| if *d == UNREACHABLE { u16::MAX } else { *d as u16 };
                cells.extend(distances(network, base).iter().map(near));
            }
        }
        DistanceTable { vertices, rows, cells }
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Whether a vertex is a base.
    #[inline]
    pub fn has(&self, v: VertexId) -> bool {
        self.rows[v as usize] != NONE
    }

    /// The cell of a base and a vertex.
    #[inline]
    pub fn cell(&self, base: VertexId, v: VertexId) -> usize {
        self.rows[base as usize] as usize * self.vertices + v as usize
    }

    /// The distances of a base, by vertex; `u16::MAX` where there is no path.
    #[inline]
    pub fn row(&self, base: VertexId) -> &[u16] {
        &self.cells[self.cell(base, 0)..][..self.vertices]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::spec;

    #[test]
    fn layers_of_a_one_way_ring() {
        let ring = spec::parse("ring:5,simplex").unwrap();
        let (from, to) = (Layers::from(&ring, 1), Layers::to(&ring, 1));
        assert_eq!((&from.order[..], &to.order[..]), (&[1, 2, 3, 4, 0][..], &[1, 0, 4, 3, 2][..]));
        assert_eq!(from.within(2, 0), [3]);
        assert_eq!(from.within(2, 1), [2, 3]);
        assert_eq!(from.within(9, u32::MAX), from.order);
        assert_eq!((from.longest(0), from.longest(u32::MAX)), (4, 4));
        assert_eq!((from.detour(3, 1), from.detour(3, 4)), (None, Some(2)));
    }
}
