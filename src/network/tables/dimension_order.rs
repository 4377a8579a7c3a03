//! `dimension-order`: a route changes the first coordinate until it is that of the destination, then
//! the second, and so on (Dally and Seitz, "Deadlock-free message routing in multiprocessor
//! interconnection networks", 1987). On meshes and hypercubes it is free of deadlock. In a
//! dimension of a torus it takes the shorter way round; of two equal ones half of the routes take
//! each, chosen by the present place and the destination, so it is a table by destination. Which
//! routers are where follows from the links ([`Grid::of_routers`]). A route never leaves the order
//! of dimensions: where it would cross a missing router or link there is none.

use super::{Flow, walks};
use crate::grid::{Grid, MISSING};
use crate::{ChannelId, Network, PathList, VertexId};

/// What is left where a router or a link is missing.
const OTHERS: &str = "updown works on every network of two-way links";

/// The routes.
pub(super) fn routes(network: &Network, flows: &[Flow]) -> Result<PathList, String> {
    let dimensions = Dimensions::of(network).map_err(|why| {
        format!(
            "dimension-order is for meshes, tori and hypercubes, such as mesh:4x4, and this network is \
             none: {why}; {OTHERS}"
        )
    })?;
    let towards = |to| {
        let dimensions = &dimensions;
        move |at| dimensions.next(at, to)
    };
    walks::routes(network, flows, towards).map_err(|(_, why)| why)
}

/// A grid, and what of its dimensions decides the way round a ring.
struct Dimensions<'n> {
    network: &'n Network,
    grid: Grid,
    /// By vertex, the place of its router.
    place: Vec<usize>,
    /// By dimension: whether some channel leads backward, and forward.
    ways: Vec<[bool; 2]>,
}

impl<'n> Dimensions<'n> {
    fn of(network: &'n Network) -> Result<Self, String> {
        let (grid, place) = Grid::of_routers(network)?;
        let leads = |dimension, forward| {
            let channel = |place| grid.channel(place, dimension, forward);
            (0..grid.at.len()).any(|place| channel(place) != ChannelId::MAX)
        };
        let ways = (0..grid.sides.len()).map(|i| [leads(i, false), leads(i, true)]).collect();
        Ok(Dimensions { network, grid, place, ways })
    }

    /// The next channel of a vertex on the way to a destination.
    fn next(&self, at: VertexId, to: VertexId) -> Result<ChannelId, String> {
        let Dimensions { network, grid, place, .. } = self;
        let [here, end] = [at, to].map(|v| place[v as usize]);
        let mut differ =
            (0..grid.sides.len()).filter(|&i| grid.coordinate(here, i) != grid.coordinate(end, i));
        let next = match differ.next() {
            // From a terminal to its router, and from there to the destination.
            _ if grid.at[here] != at => grid.at[here],
            None => to,
            Some(i) => {
                let there = grid.next(here, i, self.is_forward(i, here, end));
                let there = there.expect("coordinates between two others of a grid");
                match grid.at[there] {
                    MISSING => return Err(self.missing(there)),
                    router => router,
                }
            }
        };
        let parallel = network.outgoing(at).iter().filter(|&&c| network.channel(c).to == next);
        let count = parallel.clone().count();
        parallel.copied().nth(to as usize % count.max(1)).ok_or_else(|| {
            let [a, b] = [at, next].map(|v| network.vertex_name(v));
            format!(
                "dimension-order needs the channel from '{a}' to '{b}', and the network has none; {OTHERS}"
            )
        })
    }

    /// Whether the next hop in a dimension leads forward.
    fn is_forward(&self, dimension: usize, here: usize, end: usize) -> bool {
        let grid = &self.grid;
        let length = grid.sides[dimension].length;
        let (at, goal) = (grid.coordinate(here, dimension), grid.coordinate(end, dimension));
        let ahead = (goal + length - at) % length;
        match self.ways[dimension] {
            _ if !grid.sides[dimension].is_ring => at < goal,
            [true, true] if 2 * ahead == length => {
                // The other coordinates of the destination take part: in all dimensions but the last,
                // both ways are then taken as often on lines of odd half length, too.
                let sum: usize = (0..grid.sides.len()).map(|i| grid.coordinate(end, i)).sum();
                (at + sum - goal).is_multiple_of(2)
            }
            [true, true] => 2 * ahead < length,
            [_, forward] => forward,
        }
    }

    /// Tells which router a route needs.
    fn missing(&self, place: usize) -> String {
        let grid = &self.grid;
        let directions = (0..grid.sides.len()).flat_map(|i| [(i, false), (i, true)]);
        let beside = directions.filter_map(|(i, forward)| grid.next(place, i, forward));
        let mut beside: Vec<VertexId> =
            beside.map(|place| grid.at[place]).filter(|&v| v != MISSING).collect();
        beside.dedup();
        let at: Vec<String> =
            (0..grid.sides.len()).map(|i| grid.coordinate(place, i).to_string()).collect();
        format!(
            "dimension-order needs the router at ({}), which is missing; it would be next to {}; {OTHERS}",
            at.join(", "),
            self.network.some_names(&beside)
        )
    }
}
