//! Vertices that pass a broadcast message on. What a vertex sends counts only over channels towards
//! a receiver other than itself, and a vertex that no other sender reaches has no message to pass
//! on. A terminal that only receives informs no vertex; one that only sends is never informed.
//! Every schedule can do without the transfers excluded here.

use super::cut::Side;
use ccsched_model::problem::Problem;
use ccsched_network::metrics::two_nearest;
use ccsched_network::{Channel, VertexId};

/// The number of vertices that can have a message, step by step.
pub(super) struct Growth {
    pub informed: usize,
    pub inflow: usize,
    /// Copies a step that every vertex can send, in the order in which they are assumed informed.
    pub rates: Vec<usize>,
}

impl Growth {
    /// Steps until `wanted` vertices can have the message; none if they never can.
    pub fn steps_to(mut self, wanted: usize) -> Option<u32> {
        let mut steps = 0;
        while self.informed < wanted {
            let known = self.informed.min(self.rates.len());
            let new = self.inflow + self.rates[..known].iter().sum::<usize>();
            if new == 0 {
                return None;
            }
            self.informed += new;
            steps += 1;
        }
        Some(steps)
    }
}

/// What the vertices of a broadcast can send, pass on and take in a step.
pub(super) struct Holders<'p> {
    pub problem: &'p Problem,
    /// By vertex, the copies of its own message that it can send.
    sends: Vec<usize>,
    /// By vertex, the copies of the messages of others that it can send.
    forwards: Vec<usize>,
    /// By vertex, the copies that can end there and are of use.
    ends: Vec<usize>,
    /// By channel, whether messages come to it, and it leads to a receiver.
    is_of_use: Vec<bool>,
}

impl<'p> Holders<'p> {
    pub fn of(problem: &'p Problem) -> Self {
        let network = problem.network();
        let heads = |v| network.heads(v);
        let tails = |v| network.incoming(v).iter().map(|&c| network.channel(c).from);
        let senders = Others(two_nearest(network, problem.senders(), heads));
        let receivers = Others(two_nearest(network, problem.receivers(), tails));
        let capacity = |channels: &[u32], is_of_use: &dyn Fn(&Channel) -> bool| {
            let channels = channels.iter().map(|&c| network.channel(c));
            channels.filter(|c| is_of_use(c)).map(|c| c.capacity as usize).sum::<usize>()
        };
        let vertices = || 0..network.vertices().len() as VertexId;
        let send = |v| {
            let towards = |c: &Channel| receivers.beside(c.to, v);
            let carried = capacity(network.outgoing(v), &towards);
            if holds(problem, v) { carried.min(problem.sends_at_once(v)) } else { 0 }
        };
        let sends: Vec<usize> = vertices().map(send).collect();
        let forward = |v| if senders.beside(v, v) { sends[v as usize] } else { 0 };
        let forwards: Vec<usize> = vertices().map(forward).collect();
        let end = |v| {
            let from = |c: &Channel| senders.beside(c.from, v);
            let takes = forwards[v as usize] > 0 || receivers.is_one(v);
            let carried = capacity(network.incoming(v), &from);
            if takes { carried.min(problem.receives_at_once(v)) } else { 0 }
        };
        let ends = vertices().map(end).collect();
        let leads = |c: &Channel| senders.any(c.from) && receivers.any(c.to);
        let is_of_use = network.channels().iter().map(leads).collect();
        Holders { problem, sends, forwards, ends, is_of_use }
    }

    /// The growth in the whole network from a source.
    pub fn growth(&self, source: VertexId) -> Growth {
        let others = (0..self.forwards.len() as VertexId).filter(|&v| v != source);
        let rates = std::iter::once(self.sends[source as usize]).chain(self.rates(others));
        Growth { informed: 1, inflow: 0, rates: rates.collect() }
    }

    /// The growth in a set of vertices that `inflow` copies enter from outside in every step.
    pub fn growth_within(&self, vertices: &[VertexId], inflow: usize) -> Growth {
        Growth { informed: 0, inflow, rates: self.rates(vertices.iter().copied()) }
    }

    /// Copies a step that every one of these vertices can pass on, most first.
    fn rates(&self, vertices: impl Iterator<Item = VertexId>) -> Vec<usize> {
        let rates = vertices.map(|v| self.forwards[v as usize]);
        let mut rates: Vec<usize> = rates.filter(|&rate| rate > 0).collect();
        rates.sort_unstable_by(|a, b| b.cmp(a));
        rates
    }

    /// The copies that can enter a set in a step.
    pub fn inflow(&self, side: &Side) -> usize {
        let entering = |(c, is_of_use): (&Channel, &bool)| {
            let enters = *is_of_use && side.has(c.to) && !side.has(c.from);
            if enters { c.capacity as usize } else { 0 }
        };
        let channels = self.problem.network().channels();
        let carried = channels.iter().zip(&self.is_of_use).map(entering).sum();
        usize::min(carried, side.vertices().map(|v| self.ends[v as usize]).sum())
    }
}

/// By vertex, two vertices of a set that are joined to it, or fewer if there are no more.
struct Others(Vec<[Option<(u32, VertexId)>; 2]>);

impl Others {
    fn any(&self, v: VertexId) -> bool {
        self.0[v as usize][0].is_some()
    }

    /// Whether a vertex other than `beside` is joined to `v`.
    fn beside(&self, v: VertexId, beside: VertexId) -> bool {
        self.0[v as usize].iter().flatten().any(|&(_, other)| other != beside)
    }

    /// Whether `v` is of the set.
    fn is_one(&self, v: VertexId) -> bool {
        self.0[v as usize][0] == Some((0, v))
    }
}

/// Whether a vertex can hold a message and pass it on.
pub(super) fn holds(problem: &Problem, v: VertexId) -> bool {
    problem.switching().stores() || problem.network().is_terminal(v)
}
