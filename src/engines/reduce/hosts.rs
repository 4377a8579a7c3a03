//! Routers for their hosts: a router with one host is the router itself, which sends and receives as much in a step as
//! the link of its host carries.
//!
//! With wormhole switching, transfers that pass a router use none of its ports. So every schedule of the routers is one
//! of the hosts, with the links of the hosts added to all paths, and the other way round. With store-and-forward
//! switching, hosts are a hop further away: messages leave their hosts in the order in which the routers send them,
//! before that, and the steps of the routers begin when the last of them is there in time; a router passes on to its
//! host what has arrived, in this order. That takes few steps more where routers send and receive evenly.

use super::Reduction;
use super::bare::Bare;
use crate::Method;
use ccsched_model::problem::{
    Demand, MessageId, Participants, Ports, Problem, Request, Routing, Switching,
};
use ccsched_model::schedule::{Plan, Step};
use ccsched_network::{Channel, ChannelId, VertexId};
use std::sync::Arc;

/// No router.
const NONE: VertexId = VertexId::MAX;

/// The problem of the routers.
#[derive(Debug)]
pub struct Hosts {
    inner: Arc<Problem>,
    /// By channel of `inner`, that of the whole problem.
    channels: Vec<ChannelId>,
    /// By message of `inner`, that of the whole problem.
    messages: Vec<MessageId>,
    /// By router, the channels from its host and to it; unused ones of routers without.
    links: Vec<[ChannelId; 2]>,
    /// Messages that a host sends, or receives, in a step.
    width: usize,
}

impl Hosts {
    /// None unless every terminal is the one host of a router, and all have links of the same width.
    pub fn of(problem: &Problem) -> Option<Self> {
        let network = problem.network();
        let mut router = vec![NONE; network.vertices().len()];
        // By switch, the channels from its host and to it.
        let mut of_switch = vec![None; network.vertices().len()];
        let mut width = None;
        for v in network.terminals() {
            let (&[up], &[down]) = (network.outgoing(v), network.incoming(v)) else { return None };
            let [Channel { to, exclusive, .. }, Channel { from, .. }] =
                [up, down].map(|c| *network.channel(c));
            if to != from || exclusive || network.is_terminal(to) {
                return None;
            }
            let of_host = [problem.sends_at_once(v), problem.receives_at_once(v)];
            if of_host[0] != of_host[1] || *width.get_or_insert(of_host[0]) != of_host[0] {
                return None;
            }
            router[v as usize] = to;
            if of_switch[to as usize].replace([up, down]).is_some() {
                return None;
            }
        }
        let mut bare = Bare::new(network, |v| of_switch[v as usize].is_some());
        let at = |v: VertexId| bare.vertex(router[v as usize]);
        let (demands, messages) = demands(problem, at);
        let all_at = |vertices: &[VertexId]| vertices.iter().map(|&v| at(v)).collect::<Vec<_>>();
        let [mut senders, mut receivers] = [problem.senders(), problem.receivers()].map(&all_at);
        senders.sort_unstable();
        receivers.sort_unstable();
        let (processes, root) = (all_at(problem.processes()), problem.root().map(at));
        let routing = if problem.has_fixed_routes() { Routing::Static } else { problem.routing() };
        if problem.has_fixed_routes() {
            for ((from, to), route) in routes(problem, &bare, at)? {
                bare.builder.route(from, to, &route);
            }
        }
        let link = |&v: &VertexId| of_switch[v as usize].unwrap_or_default();
        let links = bare.switches.iter().map(link).collect();
        let network = bare.builder.build().ok()?;
        let ports = match problem.switching() {
            Switching::Wormhole | Switching::Hosts => Ports(Some(width? as u32)),
            // Routers store what their hosts have not taken yet.
            Switching::StoreAndForward => Ports(None),
        };
        let switching = problem.switching();
        let pieces = problem.pieces();
        let request =
            Request { switching, ports, routing, pieces, ..Request::new(problem.collective()) };
        let among = Participants { root, senders, receivers, processes, demands };
        let inner = Problem::on(network, request, among);
        let (inner, channels) = (Arc::new(inner), bare.channels);
        Some(Hosts { inner, channels, messages, links, width: width? })
    }

    /// The channels from the host of a vertex, and to it.
    fn link(&self, v: VertexId) -> [ChannelId; 2] {
        self.links[v as usize]
    }

    /// The schedule with wormhole switching.
    fn with_links(&self, inner: &Plan) -> Plan {
        let network = self.inner.network();
        let mut plan = inner.mapped(|step| {
            let mut whole = Step::default();
            let mut path = Vec::new();
            for t in step.iter() {
                let [first, last] = [t.channels[0], t.channels[t.channels.len() - 1]];
                path.clear();
                path.push(self.link(network.channel(first).from)[0]);
                path.extend(t.channels.iter().map(|&c| self.channels[c as usize]));
                path.push(self.link(network.channel(last).to)[1]);
                whole.push(self.messages[t.message as usize], &path);
            }
            whole
        });
        plan.tidy();
        plan
    }

    /// The schedule with store-and-forward switching.
    fn with_hops(&self, inner: &Plan) -> Plan {
        let network = self.inner.network();
        let of_receiver = self.arrivals(inner);
        // By sender, its messages in the order in which its router sends them.
        let mut of_sender = vec![Vec::new(); network.vertices().len()];
        let mut has_left = vec![false; self.messages.len()];
        for (step, transfers) in inner.steps().enumerate() {
            for t in transfers.iter() {
                let message = t.message as usize;
                if !std::mem::replace(&mut has_left[message], true) {
                    let origin = self.inner.message(t.message).origin;
                    of_sender[origin as usize].push((step, t.message));
                }
            }
        }
        // The steps of the routers begin so late that every message is there in time.
        let late = |(place, &(step, _)): (usize, &(usize, MessageId))| {
            (place / self.width + 1).saturating_sub(step)
        };
        let late = |of_sender: &Vec<_>| of_sender.iter().enumerate().map(late).max();
        let begin = of_sender.iter().filter_map(late).max().unwrap_or(0);
        let mut plan = Plan::default();
        for (v, sent) in (0..).zip(&of_sender) {
            for (place, &(_, message)) in sent.iter().enumerate() {
                let message = self.messages[message as usize];
                plan.push(place / self.width, message, [self.link(v)[0]]);
            }
        }
        for (step, transfers) in inner.steps().enumerate() {
            for t in transfers.iter() {
                let c = self.channels[t.channels[0] as usize];
                plan.push(begin + step, self.messages[t.message as usize], [c]);
            }
        }
        for (v, arrived) in (0..).zip(of_receiver) {
            // The step of the next message, and how many are in it.
            let (mut next, mut count) = (0, 0);
            for (step, message) in arrived {
                if step + 1 > next || count == self.width {
                    (next, count) = ((step + 1).max(next + usize::from(count == self.width)), 0);
                }
                count += 1;
                let message = self.messages[message as usize];
                plan.push(begin + next, message, [self.link(v)[1]]);
            }
        }
        plan.tidy();
        plan
    }

    /// By receiver, the steps in which its messages arrive, and these; ascending.
    fn arrivals(&self, inner: &Plan) -> Vec<Vec<(usize, MessageId)>> {
        let network = self.inner.network();
        let mut wanted: Vec<(VertexId, MessageId)> =
            self.inner.demands().iter().map(|d| (d.destination, d.message)).collect();
        wanted.sort_unstable();
        let mut arrivals = vec![Vec::new(); network.vertices().len()];
        for (step, transfers) in inner.steps().enumerate() {
            for t in transfers.iter() {
                let at = network.channel(t.channels[0]).to;
                if wanted.binary_search(&(at, t.message)).is_ok() {
                    arrivals[at as usize].push((step, t.message));
                }
            }
        }
        arrivals
    }
}

impl Reduction for Hosts {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        match self.inner.switching() {
            Switching::Wormhole | Switching::Hosts => self.with_links(&inner),
            Switching::StoreAndForward => self.with_hops(&inner),
        }
    }

    fn method(&self, inner: Method) -> Method {
        Method::Routers(Box::new(inner))
    }
}

/// The demands between routers, in their order, and by message, that of the whole problem.
fn demands(problem: &Problem, at: impl Fn(VertexId) -> VertexId) -> (Vec<Demand>, Vec<MessageId>) {
    let moved = |d: &Demand| Demand { source: at(d.source), destination: at(d.destination), ..*d };
    let mut demands: Vec<Demand> = problem.demands().iter().map(moved).collect();
    let is_common = problem.collective().content().is_common();
    let piece = |d: &Demand| if is_common { d.message % problem.pieces() } else { 0 };
    demands.sort_by_key(|d| (d.source, piece(d), d.destination));
    let mut messages: Vec<MessageId> = Vec::new();
    for d in &mut demands {
        if !is_common || messages.last() != Some(&d.message) {
            messages.push(d.message);
        }
        d.message = messages.len() as MessageId - 1;
    }
    (demands, messages)
}

/// The route of a pair.
type Route = ((VertexId, VertexId), Vec<ChannelId>);

/// The fixed routes without the links of the hosts; none if one goes through a host.
fn routes(problem: &Problem, bare: &Bare, at: impl Fn(VertexId) -> VertexId) -> Option<Vec<Route>> {
    let of_pair = |pair: &[Demand]| {
        let Demand { source, destination, .. } = pair[0];
        let route = problem.fixed_route(source, destination)?;
        let between = bare.route(route.get(1..route.len() - 1)?)?;
        Some(((at(source), at(destination)), between))
    };
    problem.pairs().map(of_pair).collect()
}
