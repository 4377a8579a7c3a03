//! Messages that wait in front of channels. In every step the channels whose turn it is forward one each, that with the most hops
//! left; then those with free ports and links at both ends do, where most is left to be done.

use super::routes::Routes;
use super::turns::Graph;
use crate::ground::port_graph;
use crate::journeys::Hops;
use ccsched_base::cores;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem, ResourceId};
use ccsched_network::{ChannelId, VertexId};
use rand::seq::SliceRandom;
use std::cmp::Reverse;

/// A message by its demand, with the destination, which is asked for at every hop.
#[derive(Clone, Copy, Debug)]
struct Message {
    demand: u32,
    destination: VertexId,
}

/// The messages in front of every channel.
pub struct Queues<'p> {
    problem: &'p Problem,
    routes: &'p Routes<'p>,
    /// By channel: the resources of a hop.
    uses: Vec<[Option<ResourceId>; 3]>,
    /// By channel, then hops left less one.
    waiting: Vec<Vec<Message>>,
    longest: usize,
    /// By channel: the most hops that a message has left; 0 if none waits.
    most: Vec<usize>,
    /// By resource: how often it is still to be used, and the room left in the present step.
    load: Vec<u32>,
    room: Vec<u32>,
    hops: Hops,
    /// The messages of the present step, where they are, and the hops that they have left.
    moved: Vec<(Message, VertexId, usize)>,
}

impl<'p> Queues<'p> {
    /// All messages at their sources, in random order.
    pub fn new(problem: &'p Problem, routes: &'p Routes<'p>, rng: &mut Rng) -> Self {
        let channels = problem.network().channels().len();
        let length = |d: u32| routes.length(&problem.demands()[d as usize]);
        let mut order: Vec<u32> = (0..problem.demands().len() as u32).collect();
        let longest = order.iter().map(|&d| length(d)).max().unwrap_or(0);
        order.shuffle(rng);
        let of_hop = |c: ChannelId| {
            let (network, switching) = (problem.network(), problem.switching());
            let (link, [send, receive]) = problem.resources().of_hop(network, switching, c);
            [Some(link), send, receive]
        };
        let mut queues = Queues {
            problem,
            routes,
            uses: (0..channels as ChannelId).map(of_hop).collect(),
            waiting: vec![Vec::new(); channels * longest],
            longest,
            most: vec![0; channels],
            load: routes.loads().to_vec(),
            room: problem.resources().capacities().to_vec(),
            hops: Hops::default(),
            moved: Vec::new(),
        };
        for demand in order {
            let Demand { source, destination, .. } = problem.demands()[demand as usize];
            queues.push(Message { demand, destination }, source, length(demand));
        }
        queues
    }

    /// Adds a message at a vertex, with `left` hops to go, to the queue of its next channel, unless
    /// it has arrived.
    fn push(&mut self, message: Message, v: VertexId, left: usize) {
        if left > 0 {
            let c = self.routes.next(v, message.destination) as usize;
            self.waiting[c * self.longest + left - 1].push(message);
            self.most[c] = self.most[c].max(left);
        }
    }

    /// Runs the steps until all messages have arrived.
    pub fn run(mut self) -> Hops {
        let channels = 0..self.problem.network().channels().len() as ChannelId;
        let (ends, vertices) = port_graph::edges(self.problem, channels);
        let graph = Graph { ends, vertices };
        let ports = self.problem.ports().0.unwrap_or(1) as usize;
        // What the turns of a round have left is done in those of the next one.
        while self.load.iter().any(|&left| left > 0) {
            let before = self.hops.steps.len();
            let parts = graph.parts(self.crossings());
            let turns = |part: usize| graph.turns(&parts[part], ports);
            cores::ahead(parts.len(), turns, |turns| turns.iter().for_each(|turn| self.step(turn)));
            assert!(self.hops.steps.len() > before, "a message waits in front of some channel");
        }
        self.hops
    }

    /// By channel, how many messages have still to cross it. Channels share no links.
    fn crossings(&self) -> Vec<u32> {
        let link = |c| self.problem.resources().of_channel(c) as usize;
        (0..self.most.len() as ChannelId).map(|c| self.load[link(c)]).collect()
    }

    /// One step, in which it is the turn of some channels.
    fn step(&mut self, turn: &[ChannelId]) {
        self.room.copy_from_slice(self.problem.resources().capacities());
        turn.iter().for_each(|&c| self.forward(c));
        let others = 0..self.most.len() as ChannelId;
        let mut others: Vec<ChannelId> = others.filter(|&c| self.may_forward(c)).collect();
        let left = |c: &ChannelId| {
            let uses = self.uses[*c as usize].iter().flatten();
            Reverse(uses.map(|&r| self.load[r as usize]).max())
        };
        others.sort_by_key(left);
        others.into_iter().for_each(|c| self.forward(c));
        if !self.moved.is_empty() {
            self.hops.steps.push(self.hops.hops.len() as u32);
        }
        let mut moved = std::mem::take(&mut self.moved);
        moved.drain(..).for_each(|(message, v, left)| self.push(message, v, left));
        self.moved = moved;
    }

    /// Whether a message waits in front of a channel that has room.
    fn may_forward(&self, c: ChannelId) -> bool {
        let mut uses = self.uses[c as usize].iter().flatten();
        self.most[c as usize] > 0 && uses.all(|&r| self.room[r as usize] > 0)
    }

    /// Forwards the message with the most hops left, if there is any and the channel has room.
    fn forward(&mut self, c: ChannelId) {
        if !self.may_forward(c) {
            return;
        }
        let (at, first) = (c as usize, c as usize * self.longest);
        let left = self.most[at] - 1;
        let message = self.waiting[first + left].pop().expect("one has so many hops left");
        while self.most[at] > 0 && self.waiting[first + self.most[at] - 1].is_empty() {
            self.most[at] -= 1;
        }
        for &r in self.uses[at].iter().flatten() {
            self.room[r as usize] -= 1;
            self.load[r as usize] -= 1;
        }
        self.hops.hops.push((message.demand, c));
        self.moved.push((message, self.problem.network().channel(c).to, left));
    }
}
