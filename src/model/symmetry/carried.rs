//! The images of channels under permutations of the vertices.

use ccsched_network::{ChannelId, Network, VertexId};
use std::collections::HashMap;

/// What interchangeable parallel channels have in common: ends and capacity.
type Parallel = (VertexId, VertexId, u32);

/// The channels of a network by their ends and capacity. Parallel channels of one capacity are
/// mapped in order: the first to the first, and so on.
#[derive(Clone, Debug)]
pub struct CarriedChannels {
    between: HashMap<Parallel, Vec<ChannelId>>,
    /// By channel: its ends and capacity, and its rank among the channels with the same ones.
    ranks: Vec<(Parallel, u32)>,
}

impl CarriedChannels {
    /// Groups the channels of a network.
    pub fn new(network: &Network) -> Self {
        let mut between: HashMap<_, Vec<ChannelId>> = HashMap::new();
        let mut ranks = Vec::with_capacity(network.channels().len());
        for (id, c) in (0..).zip(network.channels()) {
            let key = (c.from, c.to, c.capacity);
            let parallel = between.entry(key).or_default();
            ranks.push((key, parallel.len() as u32));
            parallel.push(id);
        }
        CarriedChannels { between, ranks }
    }

    /// The image of a channel under a permutation; none if no such channel has its capacity.
    pub fn image(&self, c: ChannelId, permutation: &[VertexId]) -> Option<ChannelId> {
        let ((from, to, capacity), rank) = self.ranks[c as usize];
        let there = (permutation[from as usize], permutation[to as usize], capacity);
        self.between.get(&there)?.get(rank as usize).copied()
    }
}
