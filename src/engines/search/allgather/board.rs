//! The board: which hop brings which message to whom in which step, and what that leaves free.

use super::hops::{HopId, Hops};
use crate::network::VertexId;
use crate::problem::{MessageId, Problem, ResourceId};
use crate::schedule::{Plan, Transfer};
use serde::{Deserialize, Serialize};

/// A message gets to a vertex over a hop in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    /// Over which hop.
    pub hop: HopId,
    /// In which step.
    pub step: u32,
}

/// The arrival of a message where it does not come, or has always been.
pub const NEVER: Arrival = Arrival { hop: u32::MAX, step: u32::MAX };

/// A partial schedule without conflicts.
#[derive(Clone, Debug)]
pub struct Board {
    vertices: usize,
    steps: u32,
    capacity: Vec<u32>,
    /// How many transfers use a resource, by step, resource.
    load: Vec<u32>,
    /// By message, vertex.
    arrivals: Vec<Arrival>,
    /// By vertex.
    receives: Vec<bool>,
    /// Who has it from the beginning, by message.
    sources: Vec<VertexId>,
    /// Receivers that a message does not reach.
    missing: Vec<u32>,
    /// The vertices on the way to a receiver, while a message is pruned.
    needed: Vec<bool>,
}

impl Board {
    /// An empty board of no steps.
    pub fn new(problem: &Problem) -> Self {
        let vertices = problem.network.vertices().len();
        let mut receives = vec![false; vertices];
        problem.receivers.iter().for_each(|&v| receives[v as usize] = true);
        let of_message = problem.demands.chunk_by(|a, b| a.message == b.message);
        Board {
            vertices,
            steps: 0,
            capacity: problem.resources.capacities().to_vec(),
            load: Vec::new(),
            arrivals: vec![NEVER; problem.messages() * vertices],
            receives,
            sources: of_message.clone().map(|d| d[0].source).collect(),
            missing: of_message.map(|d| d.len() as u32).collect(),
            needed: vec![false; vertices],
        }
    }

    /// Empties it and gives it so many steps.
    pub fn clear(&mut self, steps: u32) {
        self.steps = steps;
        self.load.clear();
        self.load.resize(steps as usize * self.capacity.len(), 0);
        self.arrivals.fill(NEVER);
        let receivers = self.receives.iter().filter(|&&r| r).count() as u32;
        for (missing, &source) in self.missing.iter_mut().zip(&self.sources) {
            *missing = receivers - u32::from(self.receives[source as usize]);
        }
    }

    /// All arrivals, by message, then vertex.
    pub fn arrivals(&self) -> &[Arrival] {
        &self.arrivals
    }

    /// Number of steps.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Number of messages.
    pub fn messages(&self) -> usize {
        self.sources.len()
    }

    /// Who has a message from the beginning.
    pub fn source(&self, m: MessageId) -> VertexId {
        self.sources[m as usize]
    }

    /// Whether a vertex is to get all messages.
    pub fn receives(&self, v: VertexId) -> bool {
        self.receives[v as usize]
    }

    /// How many receivers a message does not reach.
    pub fn missing(&self, m: MessageId) -> u32 {
        self.missing[m as usize]
    }

    /// How a message gets to a vertex.
    pub fn arrival(&self, m: MessageId, v: VertexId) -> Arrival {
        self.arrivals[m as usize * self.vertices + v as usize]
    }

    /// Whether a vertex can send a message in a step.
    pub fn holds(&self, m: MessageId, v: VertexId, step: u32) -> bool {
        self.source(m) == v || self.arrival(m, v).step < step
    }

    fn cell(&self, step: u32, resource: ResourceId) -> usize {
        step as usize * self.capacity.len() + resource as usize
    }

    /// Whether nothing is in the way of a hop.
    pub fn has_room(&self, hops: &Hops, hop: HopId, step: u32) -> bool {
        hops.uses(hop).iter().all(|&r| !self.is_full(r, step))
    }

    /// Number of resources.
    pub fn resources(&self) -> usize {
        self.capacity.len()
    }

    /// Whether a resource can take no more.
    pub fn is_full(&self, r: ResourceId, step: u32) -> bool {
        self.load[self.cell(step, r)] >= self.capacity[r as usize]
    }

    /// Whether nothing can come to a vertex, whatever the hop.
    pub fn is_shut(&self, hops: &Hops, v: VertexId, step: u32) -> bool {
        hops.gate(v).is_some_and(|gate| self.is_full(gate, step))
    }

    /// Takes the resources of a hop.
    pub fn occupy(&mut self, hops: &Hops, hop: HopId, step: u32) {
        for &r in hops.uses(hop) {
            let cell = self.cell(step, r);
            self.load[cell] += 1;
        }
    }

    /// Notes that a message arrives over a hop whose resources are taken.
    pub fn note(&mut self, m: MessageId, v: VertexId, arrival: Arrival) {
        self.arrivals[m as usize * self.vertices + v as usize] = arrival;
        self.missing[m as usize] -= u32::from(self.receives[v as usize]);
    }

    /// Puts a transfer where there is room for it.
    pub fn put(&mut self, hops: &Hops, m: MessageId, arrival: Arrival) {
        self.occupy(hops, arrival.hop, arrival.step);
        self.note(m, hops.to(arrival.hop), arrival);
    }

    /// Takes a transfer away, if there is one.
    pub fn lift(&mut self, hops: &Hops, m: MessageId, v: VertexId) {
        let place = m as usize * self.vertices + v as usize;
        let Arrival { hop, step } = std::mem::replace(&mut self.arrivals[place], NEVER);
        for &r in hops.uses(hop) {
            let cell = self.cell(step, r);
            self.load[cell] -= 1;
        }
        self.missing[m as usize] += u32::from(self.receives[v as usize]);
    }

    /// Takes a message away altogether; what it was is added to `ripped`.
    pub fn rip(&mut self, hops: &Hops, m: MessageId, ripped: &mut Vec<(MessageId, Arrival)>) {
        for v in 0..self.vertices as VertexId {
            let arrival = self.arrival(m, v);
            if arrival != NEVER {
                ripped.push((m, arrival));
                self.lift(hops, m, v);
            }
        }
    }

    /// Takes away the transfers of a message that lead to no receiver.
    pub fn prune(&mut self, hops: &Hops, m: MessageId) {
        self.needed.fill(false);
        let source = self.source(m) as usize;
        self.needed[source] = true;
        for receiver in 0..self.vertices as VertexId {
            if !self.receives(receiver) {
                continue;
            }
            let mut v = receiver;
            while !self.needed[v as usize] && self.arrival(m, v) != NEVER {
                self.needed[v as usize] = true;
                v = hops.from(self.arrival(m, v).hop);
            }
        }
        for v in 0..self.vertices as VertexId {
            if !self.needed[v as usize] && self.arrival(m, v) != NEVER {
                self.lift(hops, m, v);
            }
        }
    }

    /// The transfers of some messages as a plan, every step kept.
    pub fn plan(&self, hops: &Hops, messages: impl Iterator<Item = MessageId>) -> Plan {
        let mut plan = Plan::new(self.steps);
        for message in messages {
            for v in 0..self.vertices as VertexId {
                let Arrival { hop, step } = self.arrival(message, v);
                if step != NEVER.step {
                    let channels = hops.channels(hop).to_vec();
                    plan.steps[step as usize].push(Transfer { message, channels });
                }
            }
        }
        plan
    }
}
