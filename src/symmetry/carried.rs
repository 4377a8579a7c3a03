//! Where permutations of the vertices take the channels.

use crate::network::{ChannelId, Network, VertexId};
use std::collections::HashMap;

/// The channels of a network by their ends. Of several parallel channels, the first are taken to
/// the first, and so on.
#[derive(Clone, Debug)]
pub struct CarriedChannels {
    between: HashMap<(VertexId, VertexId), Vec<ChannelId>>,
    /// By channel: its ends, and the number of parallel ones before it.
    ends: Vec<(VertexId, VertexId, u32)>,
}

impl CarriedChannels {
    /// Notes the channels of a network.
    pub fn new(network: &Network) -> Self {
        let mut between: HashMap<_, Vec<ChannelId>> = HashMap::new();
        let mut ends = Vec::with_capacity(network.channels().len());
        for (id, c) in (0..).zip(network.channels()) {
            let parallel = between.entry((c.from, c.to)).or_default();
            ends.push((c.from, c.to, parallel.len() as u32));
            parallel.push(id);
        }
        CarriedChannels { between, ends }
    }

    /// Where a permutation takes a channel; none if there is no channel.
    pub fn image(&self, c: ChannelId, permutation: &[VertexId]) -> Option<ChannelId> {
        let (from, to, rank) = self.ends[c as usize];
        let there = (permutation[from as usize], permutation[to as usize]);
        self.between.get(&there)?.get(rank as usize).copied()
    }
}
