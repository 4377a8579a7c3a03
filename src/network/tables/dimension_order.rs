//! `dimension-order`: a route changes the first coordinate until it is that of the destination, then
//! the second, and so on (Dally and Seitz, "Deadlock-free message routing in multiprocessor
//! interconnection networks", 1987). On meshes and hypercubes it is free of deadlock. In a
//! dimension of a torus it takes the shorter way round; of two equal ones half of the routes take
//! each, chosen by the present place and the destination, so it is a table by destination.

use super::grid::Grid;
use super::{Flow, walks};
use crate::network::{ChannelId, Network, PathList, VertexId};

/// The routes.
pub(super) fn routes(network: &Network, flows: &[Flow]) -> Result<PathList, String> {
    let grid = Grid::find(network).map_err(|why| {
        format!(
            "dimension-order is for whole meshes, tori and hypercubes, such as mesh:4x4, and this \
             network is none: {why}; updown works on every network of two-way links"
        )
    })?;
    let towards = |to| {
        let (end, grid) = (grid.place(grid.router[to as usize]), &grid);
        move |at| next(network, grid, at, (to, &end))
    };
    walks::routes(network, flows, towards).map_err(|(_, why)| why)
}

/// The next channel of a vertex on the way to a destination, whose router has these coordinates.
fn next(
    network: &Network,
    grid: &Grid,
    at: VertexId,
    (to, end): (VertexId, &[usize]),
) -> Result<ChannelId, String> {
    if let Some(&(up, _)) = grid.links.get(&at) {
        return Ok(up);
    }
    let here = grid.router[at as usize];
    let mut place = grid.place(here);
    let Some(i) = (0..place.len()).find(|&i| place[i] != end[i]) else {
        // The router of the destination, which is a terminal there.
        return Ok(grid.links[&to].1);
    };
    place[i] = step(grid, i, place[i], end);
    let there = grid.at(&place);
    let parallel = grid.channels(here, there);
    parallel.get(to as usize % parallel.len().max(1)).copied().ok_or_else(|| {
        let [a, b] = [here, there].map(|r| network.vertex_name(grid.vertices[r]));
        format!(
            "dimension-order needs the channel from '{a}' to '{b}', and the network has none; updown \
             works on every network of two-way links"
        )
    })
}

/// The next coordinate in a dimension on the way to the end.
fn step(grid: &Grid, dimension: usize, at: usize, end: &[usize]) -> usize {
    let (size, goal) = (grid.sizes[dimension], end[dimension]);
    let ahead = (goal + size - at) % size;
    let is_forward = if !grid.wraps[dimension] {
        at < goal
    } else if !grid.backwards[dimension] || !grid.forwards[dimension] {
        grid.forwards[dimension]
    } else if 2 * ahead == size {
        // The other coordinates of the destination take part: in all dimensions but the last, both
        // ways are then taken as often on lines of odd half length, too.
        (at + end.iter().sum::<usize>() - goal).is_multiple_of(2)
    } else {
        2 * ahead < size
    };
    if is_forward { (at + 1) % size } else { (at + size - 1) % size }
}
