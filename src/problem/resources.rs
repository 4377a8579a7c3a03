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

    /// Every use of a resource by a transfer along `path`, with the number of steps after the
    /// transfer's first: `use_of(resource, delay)`.
    pub fn uses(
        &self,
        network: &Network,
        switching: Switching,
        path: &[ChannelId],
        mut use_of: impl FnMut(ResourceId, u32),
    ) {
        let last = path.len() - 1;
        for (hop, &c) in path.iter().enumerate() {
            let ends = network.channel(c);
            let delay = if switching == Switching::Wormhole { 0 } else { hop as u32 };
            use_of(self.of_channel(c), delay);
            // In wormhole networks transit through a terminal's router takes none of its ports.
            let stops = switching == Switching::StoreAndForward;
            if let Some(port) = self.send_port[ends.from as usize].filter(|_| stops || hop == 0) {
                use_of(port, delay);
            }
            if let Some(port) = self.receive_port[ends.to as usize].filter(|_| stops || hop == last)
            {
                use_of(port, delay);
            }
        }
    }
}
