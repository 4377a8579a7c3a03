//! The channels that leave each vertex, with their ends and resources side by side: searches for
//! paths read little else.

use super::{ResourceId, Resources};
use crate::network::{ChannelId, Network, VertexId};

/// A channel that leaves a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Its end.
    pub to: VertexId,
    /// Its resource.
    pub link: ResourceId,
    /// The channel.
    pub channel: ChannelId,
}

/// The channels by the vertex that they leave, in the order of the network.
#[derive(Clone, Debug)]
pub struct Outgoing {
    ways: Vec<Way>,
    /// By vertex, its first channel in `ways`.
    starts: Vec<u32>,
}

impl Outgoing {
    /// The channels of a network.
    pub fn new(network: &Network, resources: &Resources) -> Self {
        let mut ways = Vec::with_capacity(network.channels().len());
        let mut starts = vec![0];
        for v in 0..network.vertices().len() as VertexId {
            ways.extend(network.outgoing(v).iter().map(|&channel| Way {
                to: network.channel(channel).to,
                link: resources.of_channel(channel),
                channel,
            }));
            starts.push(ways.len() as u32);
        }
        Outgoing { ways, starts }
    }

    /// The channels that leave a vertex.
    #[inline]
    pub fn of(&self, v: VertexId) -> &[Way] {
        &self.ways[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }
}
