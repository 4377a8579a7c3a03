//! The cheapest of the shortest paths between two vertices, a random one among equals.

use ccsched_base::rng::Rng;
use ccsched_network::{ChannelId, Cheapest, Network, VertexId};
use rand::RngExt;

/// Finds paths; kept to avoid allocation.
#[derive(Clone, Debug, Default)]
pub struct Router(Cheapest<u64>);

impl Router {
    /// Writes the path into `path`. `distance` is the distance of a vertex to the target.
    pub fn cheapest(
        &mut self,
        network: &Network,
        (from, to): (VertexId, VertexId),
        distance: impl Fn(VertexId) -> u32,
        price: impl Fn(ChannelId) -> u64,
        path: &mut Vec<ChannelId>,
        rng: &mut Rng,
    ) {
        let (distance, price) = (&distance, &price);
        let nearer = |u: VertexId| {
            let nearer = distance(u).checked_sub(1);
            let ways = network.outgoing(u).iter().map(|&c| (c, network.channel(c).to));
            let ways = ways.filter(move |&(_, v)| Some(distance(v)) == nearer);
            ways.map(|(c, v)| (c, v, price(c)))
        };
        let states = network.vertices().len();
        self.0.search((from, states), nearer, |ties| rng.random_range(0..ties) == 0);
        path.clear();
        path.extend(self.0.back(to));
        path.reverse();
    }
}
