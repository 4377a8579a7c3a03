//! The hosts of a switch taken together, in all-to-all scatters.
//!
//! Hosts of one switch differ in nothing but their own links. Taken together, they are one sender
//! and one receiver, with links as wide as all of theirs, and as many messages for every other
//! switch as there are pairs of hosts. Every schedule of the hosts is one of this problem; and
//! every schedule of this problem becomes one of the hosts (`apart`). So the two have the same
//! least number of steps, and a search need not decide which of the hosts sends which message: it
//! has fewer places to choose from, and none of them is lost because one host of several is busy.

mod apart;
mod hubs;
mod repeated;
#[cfg(test)]
mod tests;
mod walker;

pub use walker::TogetherWalker;

use crate::network::{Channel, ChannelId, Network, NetworkBuilder, Vertex, VertexId};
use crate::problem::{
    Collective, Content, Demand, Ports, Problem, Request, Resources, Roots, Routing,
};
use crate::schedule::Plan;
use hubs::{Hub, hubs};
use repeated::Repeated;
use std::sync::Arc;

/// Messages from which on a search takes them in blocks.
const MANY: usize = 500_000;

/// A problem, and the same problem with the hosts of every switch as one.
#[derive(Debug)]
pub struct Together {
    /// The problem of the hosts.
    hosts: Arc<Problem>,
    /// The problem of the switches.
    switches: Arc<Problem>,
    hubs: Vec<Hub>,
    /// By channel of `switches` between two switches, the channel of `hosts`.
    channels: Vec<ChannelId>,
    /// Messages of `switches` with the same ends, in their order.
    bundles: Vec<Bundle>,
    /// The problem of the switches with messages in blocks, if there are very many.
    repeated: Option<Repeated>,
}

/// The messages from the hosts of one switch to those of one switch.
#[derive(Clone, Copy, Debug)]
struct Bundle {
    /// Index of the switch from which they come.
    from: usize,
    /// Index of the switch to which they go.
    to: usize,
    /// Number of messages.
    messages: usize,
}

impl Together {
    /// The problem with the hosts of every switch as one; none if it is no all-to-all scatter, if a
    /// terminal is no host of a switch, if no switch has several hosts, or if hosts of one switch
    /// have fixed routes of their own.
    pub fn of(problem: &Arc<Problem>) -> Option<Self> {
        let shape = problem.collective.shape();
        let is_total = shape.content == Content::Personal && shape.roots == Roots::All;
        if !is_total || problem.request.pairs.is_some() {
            return None;
        }
        let hubs = hubs(problem)?;
        let bundles = bundles(&hubs);
        let mut graph = Graph::new(problem, &hubs);
        let routing = if problem.has_fixed_routes() { Routing::Static } else { problem.routing };
        if problem.has_fixed_routes() {
            graph.add_routes(problem, &hubs, &bundles)?;
        }
        let network = graph.builder.build().ok()?;
        let ends = |bundle: &Bundle| Demand {
            message: 0,
            source: graph.out[bundle.from],
            destination: graph.into[bundle.to],
        };
        let all = bundles.iter().flat_map(|b| std::iter::repeat_n(ends(b), b.messages));
        let demands: Vec<Demand> =
            (0..).zip(all).map(|(message, demand)| Demand { message, ..demand }).collect();
        let switches = Problem {
            resources: Resources::new(&network, Ports(None)),
            network,
            faults: Vec::new(),
            request: Request::new(Collective::Traffic),
            collective: Collective::Traffic,
            switching: problem.switching,
            ports: Ports(None),
            routing,
            root: None,
            senders: graph.out,
            receivers: graph.into,
            demands,
            lengths: None,
            lgl: None,
            table: None,
        };
        let is_slow = problem.demands.len() >= MANY;
        Some(Together {
            hosts: problem.clone(),
            repeated: is_slow.then(|| Repeated::of(&switches)).flatten(),
            switches: Arc::new(switches),
            channels: graph.channels,
            hubs,
            bundles,
        })
    }

    /// The problem with the hosts of every switch as one.
    pub fn problem(&self) -> &Arc<Problem> {
        self.repeated.as_ref().map_or(&self.switches, |repeated| &repeated.problem)
    }

    /// The steps of [`Together::problem`] that stand for so many steps.
    fn steps(&self, steps: u32) -> u32 {
        let times = self.repeated.as_ref().map_or(1, |repeated| repeated.times as u32);
        (steps / times).max(1)
    }

    /// The schedule of the hosts, from one of [`Together::problem`].
    pub fn apart(&self, plan: &Plan) -> Plan {
        match &self.repeated {
            Some(repeated) => self.told_apart(&repeated.spread(plan)),
            None => self.told_apart(plan),
        }
    }
}

/// All bundles, by switch of the senders, then of the receivers.
fn bundles(hubs: &[Hub]) -> Vec<Bundle> {
    let pairs = (0..hubs.len()).flat_map(|from| (0..hubs.len()).map(move |to| (from, to)));
    let bundle = |(from, to): (usize, usize)| {
        let pairs = hubs[from].senders.len() * hubs[to].receivers.len();
        let own = if from == to { hubs[from].both() } else { 0 };
        Bundle { from, to, messages: pairs - own }
    };
    pairs.map(bundle).filter(|bundle| bundle.messages > 0).collect()
}

/// The network of the switches: first theirs, then for each switch with hosts a sender and a
/// receiver.
struct Graph {
    builder: NetworkBuilder,
    /// By channel between switches, that of the hosts' network.
    channels: Vec<ChannelId>,
    /// By switch with hosts, the sender, the receiver, and the channels from and to it.
    out: Vec<VertexId>,
    into: Vec<VertexId>,
    up: Vec<ChannelId>,
    down: Vec<ChannelId>,
}

impl Graph {
    fn new(problem: &Problem, hubs: &[Hub]) -> Self {
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
            builder.wide_link(v, switch, crate::network::LinkKind::OneWay, hub.width_out());
            out.push(v);
            up.push(next);
            let v = builder.terminal(format!("receivers of {name}"));
            builder.wide_link(switch, v, crate::network::LinkKind::OneWay, hub.width_into());
            into.push(v);
            down.push(next + 1);
            next += 2;
        }
        Graph { builder, channels, out, into, up, down }
    }

    /// Adds the fixed routes; none if messages of a bundle have different ones.
    fn add_routes(&mut self, problem: &Problem, hubs: &[Hub], bundles: &[Bundle]) -> Option<()> {
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

/// Whether a channel of the network of the switches leaves a sender, or enters a receiver.
fn is_of_hosts(network: &Network, v: VertexId) -> bool {
    network.is_terminal(v)
}
