//! The network of the switches: first theirs, then for each switch with hosts a sender and a
//! receiver.

use super::Bundle;
use super::hubs::Hub;
use crate::reduce::bare::Bare;
use ccsched_model::problem::Problem;
use ccsched_network::{ChannelId, LinkKind, VertexId};

/// The network under construction.
pub struct Graph {
    pub bare: Bare,
    /// By switch with hosts, the sender, the receiver, and the channels from and to these.
    pub out: Vec<VertexId>,
    pub into: Vec<VertexId>,
    up: Vec<ChannelId>,
    down: Vec<ChannelId>,
}

impl Graph {
    /// The network without routes.
    pub fn new(problem: &Problem, hubs: &[Hub]) -> Self {
        let network = problem.network();
        let mut bare = Bare::new(network, |_| false);
        let [mut out, mut into, mut up, mut down] = [const { Vec::new() }; 4];
        let mut next = bare.channels.len() as ChannelId;
        for hub in hubs {
            let (switch, name) = (bare.vertex(hub.switch), network.vertex_name(hub.switch));
            let v = bare.builder.terminal(format!("senders of {name}"));
            bare.builder.wide_link(v, switch, LinkKind::OneWay, hub.width_out());
            out.push(v);
            up.push(next);
            let v = bare.builder.terminal(format!("receivers of {name}"));
            bare.builder.wide_link(switch, v, LinkKind::OneWay, hub.width_into());
            into.push(v);
            down.push(next + 1);
            next += 2;
        }
        Graph { bare, out, into, up, down }
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
            let mut route = vec![self.up[bundle.from]];
            route.extend(self.bare.route(common?)?);
            route.push(self.down[bundle.to]);
            self.bare.builder.route(self.out[bundle.from], self.into[bundle.to], &route);
        }
        Some(())
    }
}
