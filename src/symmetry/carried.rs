//! Where permutations of the vertices take the channels.

use crate::network::{ChannelId, Network, VertexId};
use std::collections::HashMap;

/// What parallel channels have in common that are as good as each other: ends and capacity.
type Parallel = (VertexId, VertexId, u32);

/// The channels of a network by their ends and capacity. Of several parallel channels of one
/// capacity, the first are taken to the first, and so on.
#[derive(Clone, Debug)]
pub struct CarriedChannels {
    between: HashMap<Parallel, Vec<ChannelId>>,
    /// By channel: its ends and capacity, and the number of channels before it that have the same.
    ranks: Vec<(Parallel, u32)>,
}

impl CarriedChannels {
    /// Notes the channels of a network.
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

    /// Where a permutation takes a channel; none if there is no channel, or none of its capacity.
    pub fn image(&self, c: ChannelId, permutation: &[VertexId]) -> Option<ChannelId> {
        let ((from, to, capacity), rank) = self.ranks[c as usize];
        let there = (permutation[from as usize], permutation[to as usize], capacity);
        self.between.get(&there)?.get(rank as usize).copied()
    }
}
