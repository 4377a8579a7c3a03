//! `dimension-order`: a route changes the first coordinate until it is that of the destination, then
//! the second, and so on (Dally and Seitz, "Deadlock-free message routing in multiprocessor
//! interconnection networks", 1987). On meshes and hypercubes it is free of deadlock. In a
//! dimension of a torus it takes the shorter way round; of two equal ones half of the routes take
//! each, chosen by the present place and the destination, so it is a table by destination.

use super::grid::Grid;
use super::{Flow, Found};
use crate::network::{ChannelId, Network, VertexId};

/// The routes.
pub(super) fn routes(network: &Network, flows: &[Flow]) -> Result<Found, String> {
    let grid = Grid::find(network).map_err(|why| {
        format!(
            "dimension-order is for meshes, tori and hypercubes, such as mesh:4x4, and {} is none: \
             {why}; updown works on every network of two-way links",
            network.name()
        )
    })?;
    flows.iter().map(|flow| route(network, &grid, flow.from, flow.to)).collect()
}

fn route(
    network: &Network,
    grid: &Grid,
    from: VertexId,
    to: VertexId,
) -> Result<Vec<ChannelId>, String> {
    let goal = grid.router[to as usize];
    let mut at = grid.place(grid.router[from as usize]);
    let end = grid.place(goal);
    let mut route: Vec<ChannelId> = grid.links.get(&from).map(|&(up, _)| up).into_iter().collect();
    for i in 0..at.len() {
        while at[i] != end[i] {
            let here = grid.at(&at);
            at[i] = step(grid, i, at[i], &end);
            let there = grid.at(&at);
            let parallel = grid.channels(here, there);
            let Some(&c) = parallel.get(to as usize % parallel.len().max(1)) else {
                let [a, b] = [here, there].map(|r| network.vertex_name(grid.vertices[r]));
                return Err(format!(
                    "dimension-order needs the channel from '{a}' to '{b}', and the network has \
                     none; updown works on every network of two-way links"
                ));
            };
            route.push(c);
        }
    }
    route.extend(grid.links.get(&to).map(|&(_, down)| down));
    Ok(route)
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
