//! The channels that leave, or enter, each vertex, with their ends and resources side by side: searches for
//! paths read little else.

use super::{ResourceId, Resources};
use ccsched_network::{ChannelId, Network, VertexId};

/// A channel that leaves, or enters, a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The vertex at its other end.
    pub to: VertexId,
    /// Its resource.
    pub link: ResourceId,
    /// The channel.
    pub channel: ChannelId,
}

/// The channels by the vertex that they leave, or enter, in the order of the network.
#[derive(Clone, Debug)]
pub struct Ways {
    ways: Vec<Way>,
    /// By vertex, its first channel in `ways`.
    starts: Vec<u32>,
}

impl Ways {
    /// The channels by the vertex that they leave.
    pub fn outgoing(network: &Network, resources: &Resources) -> Self {
        let ways = |v| network.outgoing(v).iter().map(|&c| (network.channel(c).to, c));
        Ways::of_vertices(network, resources, ways)
    }

    /// The channels by the vertex that they enter.
    pub fn incoming(network: &Network, resources: &Resources) -> Self {
        let ways = |v| network.incoming(v).iter().map(|&c| (network.channel(c).from, c));
        Ways::of_vertices(network, resources, ways)
    }

    fn of_vertices<I: Iterator<Item = (VertexId, ChannelId)>>(
        network: &Network,
        resources: &Resources,
        of_vertex: impl Fn(VertexId) -> I,
    ) -> Self {
        let mut ways = Vec::with_capacity(network.channels().len());
        let mut starts = vec![0];
        for v in 0..network.vertices().len() as VertexId {
            let way = |(to, channel)| Way { to, link: resources.of_channel(channel), channel };
            ways.extend(of_vertex(v).map(way));
            starts.push(ways.len() as u32);
        }
        Ways { ways, starts }
    }

    /// The channels that leave, or enter, a vertex.
    #[inline]
    pub fn of(&self, v: VertexId) -> &[Way] {
        &self.ways[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }
}
