//! What transfers of one step compete for: links' channels and terminals' ports.
//!
//! A half-duplex link is one resource for both its directions, so excluding channels are the
//! ordinary conflict. A limit on ports is a resource with that capacity; where a terminal has no
//! more channels than ports, its channels are limit enough and there is none.

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
        let mut links = 0;
        for (id, c) in network.channels().iter().enumerate() {
            match c.excludes() {
                Some(other) if (other as usize) < id => of_channel.push(of_channel[other as usize]),
                _ => {
                    of_channel.push(links);
                    links += 1;
                }
            }
        }
        let mut capacity = vec![1; links as usize];
        let mut port = |v: VertexId, channels: usize| {
            let limit = ports.0.filter(|&k| network.is_terminal(v) && (k as usize) < channels)?;
            capacity.push(limit);
            Some(capacity.len() as ResourceId - 1)
        };
        let all = 0..network.vertices().len() as VertexId;
        let send_port = all.clone().map(|v| port(v, network.outgoing(v).len())).collect();
        let receive_port = all.map(|v| port(v, network.incoming(v).len())).collect();
        Resources { of_channel, send_port, receive_port, capacity, links: links as usize }
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
