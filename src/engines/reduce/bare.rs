//! The network of the switches of a network with hosts: its vertices are the switches, its channels those between two of
//! them, in their order.

use ccsched_network::{Channel, ChannelId, Network, NetworkBuilder, Vertex, VertexId};

/// The network under construction, and what its ids stand for.
pub struct Bare {
    pub builder: NetworkBuilder,
    /// By vertex, the switch; ascending.
    pub switches: Vec<VertexId>,
    /// By channel, that of the whole network; ascending.
    pub channels: Vec<ChannelId>,
}

impl Bare {
    /// The network in which these of the switches are terminals.
    pub fn new(network: &Network, is_terminal: impl Fn(VertexId) -> bool) -> Self {
        let is_switch = |v: VertexId| !network.is_terminal(v);
        let all = 0..network.vertices().len() as VertexId;
        let switches: Vec<VertexId> = all.filter(|&v| is_switch(v)).collect();
        let ends = |c: &ChannelId| network.channel(*c);
        let channels: Vec<ChannelId> = (0..network.channels().len() as ChannelId)
            .filter(|c| is_switch(ends(c).from) && is_switch(ends(c).to))
            .collect();
        let vertex = |&v: &VertexId| Vertex {
            name: network.vertex_name(v).into(),
            terminal: is_terminal(v),
        };
        let renumbered = |c: &ChannelId| {
            let Channel { from, to, reverse, .. } = *ends(c);
            // Both channels of a link join switches.
            let reverse = reverse.map(|r| channels.partition_point(|&c| c < r) as ChannelId);
            let [from, to] = [from, to].map(|v| place(&switches, v));
            Channel { from, to, reverse, ..*ends(c) }
        };
        let vertices = switches.iter().map(vertex).collect();
        let renumbered = channels.iter().map(renumbered).collect();
        let builder = NetworkBuilder::given(network.name(), vertices, renumbered);
        Bare { builder, switches, channels }
    }

    /// The vertex that stands for a switch.
    pub fn vertex(&self, switch: VertexId) -> VertexId {
        place(&self.switches, switch)
    }

    /// The channels that stand for some between switches; none if one of them joins a host.
    pub fn route(&self, channels: &[ChannelId]) -> Option<Vec<ChannelId>> {
        let place = |c: &ChannelId| self.channels.binary_search(c).ok().map(|c| c as ChannelId);
        channels.iter().map(place).collect()
    }
}

fn place(switches: &[VertexId], v: VertexId) -> VertexId {
    switches.binary_search(&v).expect("it is a switch") as VertexId
}
