//! A schedule of the switches becomes one of the hosts: a host is found for both ends of every
//! message.
//!
//! *Senders.* The messages of a switch are edges of a bipartite graph. On one side are the steps in
//! which they leave; on the other each receiver of another switch, with as many messages as the
//! switch has senders. No vertex has more edges than there are senders, so the edges can be coloured
//! by the senders (König): in a step all senders are different, and each sender has one message for
//! every receiver.
//!
//! *Receivers.* In the same way, the messages that arrive at a switch are edges between steps and
//! the senders just found, coloured by the receivers: each sender has one message for each.
//!
//! Messages inside a switch lack one colour for each sender; by exchange of two colours along paths
//! that becomes its own. Where hosts have links of capacity c, a step is c vertices.

use super::{Bundle, Switches};
use crate::ground::edge_colours::Colouring;
use ccsched_model::problem::MessageId;
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use std::ops::Range;

/// The messages that leave a switch, or arrive at it, as edges.
#[derive(Clone, Default)]
struct Edges {
    /// The other side's vertex, and the step.
    edges: Vec<[usize; 2]>,
    /// By edge, the message.
    messages: Vec<usize>,
    /// Number of vertices of the other side.
    vertices: usize,
}

/// A message of the hosts, and the channels of its sender and of its receiver.
struct Journey {
    message: MessageId,
    up: ChannelId,
    down: ChannelId,
}

impl Switches {
    /// The schedule of the hosts, from one of the switches.
    pub(super) fn told_apart(&self, plan: &Plan) -> Plan {
        let network = self.inner.network();
        let messages = self.inner.demands().len();
        let (mut left, mut arrived) = (vec![0; messages], vec![0; messages]);
        let ends = |t: &[ChannelId]| {
            let [first, last] = [t[0], t[t.len() - 1]].map(|c| network.channel(c));
            [network.is_terminal(first.from), network.is_terminal(last.to)]
        };
        for (step, transfers) in plan.steps().enumerate() {
            for t in transfers.iter() {
                let [is_first, is_last] = ends(t.channels);
                if is_first {
                    left[t.message as usize] = step;
                }
                if is_last {
                    arrived[t.message as usize] = step;
                }
            }
        }
        let senders = self.senders(&left, plan.len());
        let receivers = self.receivers(&arrived, plan.len(), &senders);
        let journeys = self.journeys(&senders, &receivers);
        let mut whole = Plan::new(plan.len() as u32);
        let mut path = Vec::new();
        for (step, transfers) in plan.steps().enumerate() {
            for t in transfers.iter() {
                let journey = &journeys[t.message as usize];
                let [is_first, is_last] = ends(t.channels);
                let inner =
                    &t.channels[usize::from(is_first)..t.channels.len() - usize::from(is_last)];
                path.clear();
                path.extend(is_first.then_some(journey.up));
                path.extend(inner.iter().map(|&c| self.channels[c as usize]));
                path.extend(is_last.then_some(journey.down));
                whole.push(step, journey.message, &path);
            }
        }
        whole.tidy();
        whole
    }

    /// By message of the switches, the message of the hosts.
    fn journeys(&self, senders: &[usize], receivers: &[usize]) -> Vec<Journey> {
        let (network, demands, all) =
            (self.hosts.network(), self.hosts.demands(), self.hosts.receivers());
        let mut first = vec![0; network.vertices().len()];
        for (place, d) in demands.iter().enumerate().rev() {
            first[d.source as usize] = place;
        }
        let mut place = vec![usize::MAX; network.vertices().len()];
        all.iter().enumerate().for_each(|(i, &v)| place[v as usize] = i);
        let mut journeys = Vec::with_capacity(senders.len());
        for (Bundle { from, to, messages }, begin) in self.numbered() {
            for m in begin..begin + messages {
                let sender = self.hubs[from].senders[senders[m]] as usize;
                let receiver = self.hubs[to].receivers[receivers[m]] as usize;
                // Demands are by sender, then receiver, without those to oneself.
                let own = usize::from(place[sender] < place[receiver]);
                journeys.push(Journey {
                    message: demands[first[sender] + place[receiver] - own].message,
                    up: network.outgoing(sender as VertexId)[0],
                    down: network.incoming(receiver as VertexId)[0],
                });
            }
        }
        journeys
    }

    /// The bundles with their first messages.
    fn numbered(&self) -> impl Iterator<Item = (Bundle, usize)> {
        self.bundles.iter().scan(0, |next, &bundle| {
            let first = *next;
            *next += bundle.messages;
            Some((bundle, first))
        })
    }

    /// By message of the switches, the place of its sender among those of its switch.
    fn senders(&self, left: &[usize], steps: usize) -> Vec<usize> {
        let mut all = vec![Edges::default(); self.hubs.len()];
        for (Bundle { from, messages, .. }, first) in self.numbered() {
            let each = self.hubs[from].senders.len();
            for copy in 0..messages {
                all[from].add(first + copy, copy / each, left);
            }
            all[from].vertices += messages.div_ceil(each);
        }
        let mut senders = vec![0; left.len()];
        for (hub, edges) in self.hubs.iter().zip(all) {
            edges.colour(steps, (hub.senders.len(), hub.sends), 0..0, &mut senders);
        }
        senders
    }

    /// By message of the switches, the place of its receiver among those of its switch.
    fn receivers(&self, arrived: &[usize], steps: usize, senders: &[usize]) -> Vec<usize> {
        let mut all = vec![Edges::default(); self.hubs.len()];
        let mut own = vec![0..0; self.hubs.len()];
        for (Bundle { from, to, messages }, first) in self.numbered() {
            let edges = &mut all[to];
            if from == to {
                own[to] = edges.vertices..edges.vertices + self.hubs[to].both();
            }
            (first..first + messages).for_each(|m| edges.add(m, senders[m], arrived));
            edges.vertices += self.hubs[from].senders.len();
        }
        let mut receivers = vec![0; arrived.len()];
        for ((hub, edges), own) in self.hubs.iter().zip(all).zip(own) {
            edges.colour(steps, (hub.receivers.len(), hub.receives), own, &mut receivers);
        }
        receivers
    }
}

/// Makes a vertex of the left side lack `colour` instead of the colour that it lacks. The path ends
/// at a vertex of another host of its switch that lacks `colour`, or at a step, so the others still
/// lack their own.
fn keep_apart(colouring: &mut Colouring, vertex: usize, colour: usize) {
    if let Some(lacks) = colouring.free(0, vertex).filter(|&lacks| lacks != colour) {
        colouring.exchange((0, vertex), colour, lacks);
    }
}

impl Edges {
    /// Adds a message to a vertex, by its number from [`Edges::vertices`] on, and to its step.
    fn add(&mut self, message: usize, vertex: usize, step_of: &[usize]) {
        self.edges.push([self.vertices + vertex, step_of[message]]);
        self.messages.push(message);
    }

    /// Assigns each message a host, respecting the width of the hosts' links; the hosts' `own` vertices, if
    /// any, lack their colours.
    fn colour(
        mut self,
        steps: usize,
        (hosts, width): (usize, usize),
        own: Range<usize>,
        host_of: &mut [usize],
    ) {
        self.split(steps, (hosts, width));
        let mut colouring = Colouring::new(&self.edges, hosts);
        own.zip(0..).for_each(|(vertex, host)| keep_apart(&mut colouring, vertex, host));
        let colours = colouring.into_colours();
        self.messages.iter().zip(colours).for_each(|(&m, colour)| host_of[m] = colour);
    }

    /// Splits every step into as many vertices as a host has messages in it, of one edge a host.
    fn split(&mut self, steps: usize, (hosts, width): (usize, usize)) {
        let mut edges = vec![0; steps];
        for [_, step] in &mut self.edges {
            let of_step = &mut edges[*step];
            let part = *of_step / hosts;
            *of_step += 1;
            *step = *step * width + part;
        }
    }
}
