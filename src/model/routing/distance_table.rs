//! Distances between some vertices and all others in one small table, for searches that read them
//! in their inner loops.

use ccsched_network::metrics::{UNREACHABLE, distances_from, distances_to};
use ccsched_network::{Network, VertexId};

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
