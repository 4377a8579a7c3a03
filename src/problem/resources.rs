//! What transfers of one step compete for: links' channels and terminals' ports.
//!
//! A link is a resource with the capacity of its channel. A half-duplex link is one resource for both
//! its directions, so excluding channels are the ordinary conflict. A limit on ports is a resource
//! with that capacity; where the channels of a terminal together carry no more than its ports, they
//! are limit enough and there is none.

use super::{Ports, Switching};
use crate::network::{ChannelId, Network, VertexId};

/// Index of a resource. Links come first, then ports.
pub type ResourceId = u32;

/// The resources of a network under a port model.
#[derive(Clone, Debug)]
pub struct Resources {
    of_channel: Vec<ResourceId>,
    send_port: Vec<Option<ResourceId>>,
    receive_port: Vec<Option<ResourceId>>,
    capacity: Vec<u32>,
    links: usize,
}

impl Resources {
    /// Numbers the resources of a network.
    pub fn new(network: &Network, ports: Ports) -> Self {
        let mut of_channel = Vec::with_capacity(network.channels().len());
        let mut capacity = Vec::new();
        for (id, c) in network.channels().iter().enumerate() {
            match c.excludes() {
                Some(other) if (other as usize) < id => of_channel.push(of_channel[other as usize]),
                _ => {
                    of_channel.push(capacity.len() as ResourceId);
                    capacity.push(c.capacity);
                }
            }
        }
        let links = capacity.len();
        let mut port = |v: VertexId, carried: usize| {
            let limit = ports.0.filter(|&k| network.is_terminal(v) && (k as usize) < carried)?;
            capacity.push(limit);
            Some(capacity.len() as ResourceId - 1)
        };
        let all = 0..network.vertices().len() as VertexId;
        let send_port = all.clone().map(|v| port(v, network.capacity_out(v))).collect();
        let receive_port = all.map(|v| port(v, network.capacity_into(v))).collect();
        Resources { of_channel, send_port, receive_port, capacity, links }
    }

    /// The resource that a channel is, alone or with its half-duplex reverse.
    pub fn of_channel(&self, c: ChannelId) -> ResourceId {
        self.of_channel[c as usize]
    }

    /// The resource that a terminal's limit on sending is, if it binds.
    pub fn send_port(&self, v: VertexId) -> Option<ResourceId> {
        self.send_port[v as usize]
    }

    /// The resource that a terminal's limit on receiving is, if it binds.
    pub fn receive_port(&self, v: VertexId) -> Option<ResourceId> {
        self.receive_port[v as usize]
    }

    /// How many transfers may use each resource in one step.
    pub fn capacities(&self) -> &[u32] {
        &self.capacity
    }

    /// How many transfers a resource carries in one step.
    pub fn capacity(&self, resource: ResourceId) -> u32 {
        self.capacity[resource as usize]
    }

    /// How many channels all transfers of one step together can use: the sum of the capacities of all
    /// links.
    pub fn capacity_of_links(&self) -> usize {
        self.capacity[..self.links].iter().map(|&c| c as usize).sum()
    }

    /// Number of resources that are links, not ports.
    pub fn links(&self) -> usize {
        self.links
    }

    /// What a transfer takes where it crosses a channel: its link, and the limited ports of the channel's
    /// ends that the transfer uses. Messages that are stored stop at every vertex; in wormhole networks
    /// transit through a terminal's router takes none of its ports, so the send port is used by the
    /// `first` channel of a path alone and the receive port by the `last`.
    #[inline]
    pub fn of_crossing(
        &self,
        network: &Network,
        switching: Switching,
        c: ChannelId,
        (first, last): (bool, bool),
    ) -> (ResourceId, [Option<ResourceId>; 2]) {
        let stops = switching == Switching::StoreAndForward;
        let ends = network.channel(c);
        let send = if stops || first { self.send_port(ends.from) } else { None };
        let receive = if stops || last { self.receive_port(ends.to) } else { None };
        (self.of_channel(c), [send, receive])
    }

    /// What every transfer between two vertices takes whatever its path is: the ports at its ends, where
    /// it does not stop on the way.
    pub fn at_ends(
        &self,
        switching: Switching,
        from: VertexId,
        to: VertexId,
    ) -> impl Iterator<Item = ResourceId> + use<> {
        let ports = match switching {
            Switching::Wormhole => [self.send_port(from), self.receive_port(to)],
            Switching::StoreAndForward => [None, None],
        };
        ports.into_iter().flatten()
    }

    /// What a hop of a walk takes beside the ends of the walk: its link, and the ports at both its ends
    /// where messages stop at every vertex.
    #[inline]
    pub fn of_hop(
        &self,
        network: &Network,
        switching: Switching,
        c: ChannelId,
    ) -> (ResourceId, [Option<ResourceId>; 2]) {
        self.of_crossing(network, switching, c, (false, false))
    }

    /// Every use of a resource by a transfer along `path`, with the number of steps after the
    /// transfer's first: `use_of(resource, delay)`.
    pub fn uses(
        &self,
        network: &Network,
        switching: Switching,
        path: &[ChannelId],
        mut use_of: impl FnMut(ResourceId, u32),
    ) {
        for (hop, &c) in path.iter().enumerate() {
            let delay = if switching == Switching::Wormhole { 0 } else { hop as u32 };
            let at = (hop == 0, hop + 1 == path.len());
            let (link, ports) = self.of_crossing(network, switching, c, at);
            use_of(link, delay);
            ports.into_iter().flatten().for_each(|port| use_of(port, delay));
        }
    }
}
