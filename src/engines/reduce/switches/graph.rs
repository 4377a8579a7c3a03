//! The network of the switches: first theirs, then for each switch with hosts a sender and a
//! receiver.

use super::Bundle;
use super::hubs::Hub;
use crate::network::{Channel, ChannelId, LinkKind, NetworkBuilder, Vertex, VertexId};
use crate::problem::Problem;

/// The network under construction.
pub struct Graph {
    pub builder: NetworkBuilder,
    /// By channel between switches, that of the hosts' network; ascending.
    pub channels: Vec<ChannelId>,
    /// By switch with hosts, the sender, the receiver, and the channels from and to these.
    pub out: Vec<VertexId>,
    pub into: Vec<VertexId>,
    up: Vec<ChannelId>,
    down: Vec<ChannelId>,
}

impl Graph {
    /// The network without routes.
    pub fn new(problem: &Problem, hubs: &[Hub]) -> Self {
        let network = &problem.network;
        let is_switch = |v: VertexId| !network.is_terminal(v);
        let old: Vec<VertexId> =
            (0..network.vertices().len() as VertexId).filter(|&v| is_switch(v)).collect();
        let new = |v: VertexId| old.binary_search(&v).expect("it is a switch") as VertexId;
        let ends = |c: &ChannelId| network.channel(*c);
        let channels: Vec<ChannelId> = (0..network.channels().len() as ChannelId)
            .filter(|c| is_switch(ends(c).from) && is_switch(ends(c).to))
            .collect();
        let renumbered = |c: &ChannelId| {
            let Channel { from, to, reverse, exclusive, capacity } = *ends(c);
            // Both channels of a link join switches.
            let reverse = reverse.map(|r| channels.partition_point(|&c| c < r) as ChannelId);
            Channel { from: new(from), to: new(to), reverse, exclusive, capacity }
        };
        let vertex =
            |&v: &VertexId| Vertex { name: network.vertex_name(v).into(), terminal: false };
        let mut builder = NetworkBuilder::given(
            network.name(),
            old.iter().map(vertex).collect(),
            channels.iter().map(renumbered).collect(),
        );
        let [mut out, mut into, mut up, mut down] = [const { Vec::new() }; 4];
        let mut next = channels.len() as ChannelId;
        for hub in hubs {
            let (switch, name) = (new(hub.switch), network.vertex_name(hub.switch));
            let v = builder.terminal(format!("senders of {name}"));
            builder.wide_link(v, switch, LinkKind::OneWay, hub.width_out());
            out.push(v);
            up.push(next);
            let v = builder.terminal(format!("receivers of {name}"));
            builder.wide_link(switch, v, LinkKind::OneWay, hub.width_into());
            into.push(v);
            down.push(next + 1);
            next += 2;
        }
        Graph { builder, channels, out, into, up, down }
    }

    /// Adds the fixed routes; none if messages of a bundle have different ones.
    pub fn add_routes(
        &mut self,
        problem: &Problem,
        hubs: &[Hub],
        bundles: &[Bundle],
    ) -> Option<()> {
        for bundle in bundles {
            let (senders, receivers) = (&hubs[bundle.from].senders, &hubs[bundle.to].receivers);
            let pairs = senders.iter().flat_map(|&s| receivers.iter().map(move |&r| (s, r)));
            let mut common: Option<&[ChannelId]> = None;
            for (sender, receiver) in pairs.filter(|(s, r)| s != r) {
                let route = problem.fixed_route(sender, receiver)?;
                let between = route.get(1..route.len() - 1)?;
                if *common.get_or_insert(between) != between {
                    return None;
                }
            }
            let between = common?.iter().map(|&c| self.channels.binary_search(&c).ok());
            let mut route = vec![self.up[bundle.from]];
            for c in between {
                route.push(c? as ChannelId);
            }
            route.push(self.down[bundle.to]);
            self.builder.route(self.out[bundle.from], self.into[bundle.to], &route);
        }
        Some(())
    }
}
