//! Resources: what transfers of one step compete for, the channels of links and the ports of
//! terminals.
//!
//! A channel is a resource with its capacity; the channels of a half-duplex link are one resource,
//! so the conflict between them is an ordinary one. A limit on ports is a resource with this limit
//! as capacity; if the channels of a terminal together carry no more than the limit, it cannot bind
//! and there is no such resource.

use super::{Ports, Switching};
use ccsched_network::{ChannelId, Network, VertexId};

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

/// By resource of these capacities, its first place, and the end of the last: a resource of capacity
/// c has c places, one for each transfer that uses it in a step.
pub fn places(capacities: &[u32]) -> Vec<u32> {
    let mut places = Vec::with_capacity(capacities.len() + 1);
    places.push(0);
    places.extend(capacities.iter().scan(0, |sum, c| {
        *sum += c;
        Some(*sum)
    }));
    places
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

    /// The resource of a channel, which a half-duplex channel shares with its reverse.
    #[inline]
    pub fn of_channel(&self, c: ChannelId) -> ResourceId {
        self.of_channel[c as usize]
    }

    /// The resource of a terminal's limit on sending, if it can bind.
    #[inline]
    pub fn send_port(&self, v: VertexId) -> Option<ResourceId> {
        self.send_port[v as usize]
    }

    /// The resource of a terminal's limit on receiving, if it can bind.
    #[inline]
    pub fn receive_port(&self, v: VertexId) -> Option<ResourceId> {
        self.receive_port[v as usize]
    }

    /// By resource, how many transfers can use it in one step.
    #[inline]
    pub fn capacities(&self) -> &[u32] {
        &self.capacity
    }

    /// How many transfers can use a resource in one step.
    #[inline]
    pub fn capacity(&self, resource: ResourceId) -> u32 {
        self.capacity[resource as usize]
    }

    /// How many channel crossings one step can have: the sum of the capacities of all links.
    pub fn capacity_of_links(&self) -> usize {
        self.capacity[..self.links].iter().map(|&c| c as usize).sum()
    }

    /// Number of resources that are links, not ports.
    pub fn links(&self) -> usize {
        self.links
    }

    /// Whether some terminal has a limited port.
    pub fn have_ports(&self) -> bool {
        self.capacity.len() > self.links
    }

    /// Whether every channel is a resource of its own and ports are not limited.
    pub fn are_independent(&self) -> bool {
        self.links == self.of_channel.len() && !self.have_ports()
    }

    /// The resources that a transfer uses on a channel: the link, and the limited ports at the ends
    /// of the channel. In store-and-forward networks messages stop at every vertex. In wormhole
    /// networks transit through a terminal's router uses none of its ports, so only the `first`
    /// channel of a path uses the send port and only the `last` one the receive port.
    #[inline]
    pub fn of_crossing(
        &self,
        network: &Network,
        switching: Switching,
        c: ChannelId,
        (first, last): (bool, bool),
    ) -> (ResourceId, [Option<ResourceId>; 2]) {
        let stops = switching.stores();
        let ends = network.channel(c);
        let send = if stops || first { self.send_port(ends.from) } else { None };
        let receive = if stops || last { self.receive_port(ends.to) } else { None };
        (self.of_channel(c), [send, receive])
    }

    /// The resources that a transfer between two vertices uses on every path: the ports at its
    /// ends, if it does not stop on the way.
    #[inline]
    pub fn at_ends(
        &self,
        switching: Switching,
        from: VertexId,
        to: VertexId,
    ) -> impl Iterator<Item = ResourceId> + use<> {
        let ports = match switching {
            Switching::Wormhole | Switching::Hosts => [self.send_port(from), self.receive_port(to)],
            Switching::StoreAndForward => [None, None],
        };
        ports.into_iter().flatten()
    }

    /// The resources that a hop of a walk uses apart from those at the ends of the walk: its link,
    /// and the ports at both its ends if messages stop at every vertex.
    #[inline]
    pub fn of_hop(
        &self,
        network: &Network,
        switching: Switching,
        c: ChannelId,
    ) -> (ResourceId, [Option<ResourceId>; 2]) {
        self.of_crossing(network, switching, c, (false, false))
    }

    /// Calls `use_of(resource, delay)` for every use of a resource by a transfer along `path`;
    /// `delay` counts steps from the transfer's first step.
    pub fn uses(
        &self,
        network: &Network,
        switching: Switching,
        path: &[ChannelId],
        mut use_of: impl FnMut(ResourceId, u32),
    ) {
        let delay = |hop: usize| if switching.holds_paths() { 0 } else { hop as u32 };
        if !self.have_ports() {
            path.iter().enumerate().for_each(|(hop, &c)| use_of(self.of_channel(c), delay(hop)));
            return;
        }
        for (hop, &c) in path.iter().enumerate() {
            let delay = delay(hop);
            let at = (hop == 0, hop + 1 == path.len());
            let (link, ports) = self.of_crossing(network, switching, c, at);
            use_of(link, delay);
            ports.into_iter().flatten().for_each(|port| use_of(port, delay));
        }
    }
}
