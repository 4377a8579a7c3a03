//! The board: the hop and step in which each message reaches each vertex, and the free resources.

use super::hops::{HopId, Hops};
use ccsched_base::bits;
use ccsched_model::problem::{MessageId, Problem, ResourceId};
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The arrival of a message at a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    /// The hop.
    pub hop: HopId,
    /// The step.
    pub step: u32,
}

/// The arrival of a message at its source, or at a vertex that it does not reach.
pub const NEVER: Arrival = Arrival { hop: u32::MAX, step: u32::MAX };

/// A partial schedule without conflicts.
#[derive(Clone, Debug)]
pub struct Board {
    vertices: usize,
    steps: u32,
    capacity: Vec<u32>,
    /// Number of transfers that use a resource, by step, then resource.
    load: Vec<u32>,
    /// By message, then vertex.
    arrivals: Vec<Arrival>,
    /// Whether a vertex must receive a message, by vertex.
    receives: Vec<bool>,
    /// The vertices that must receive, and may have, each message, where they are not all of these.
    among: Option<Arc<Among>>,
    /// The source, by message.
    sources: Vec<VertexId>,
    /// Number of receivers of a message, and those of them that it does not reach, by message.
    whole: Vec<u32>,
    missing: Vec<u32>,
    /// The vertices on a path to a receiver, while a message is pruned.
    needed: Vec<bool>,
}

/// By message, then vertex, a bit: whether it must receive the message, and whether it may have it.
#[derive(Clone, Debug)]
struct Among {
    words: usize,
    wants: Vec<u64>,
    may: Vec<u64>,
}

impl Among {
    /// Of groups; none of other collectives.
    fn of(problem: &Problem) -> Option<Self> {
        problem.groups()?;
        let (messages, vertices) = (problem.messages(), problem.network().vertices().len());
        let words = bits::words(vertices);
        let [mut wants, mut may] = [0; 2].map(|_| vec![0; messages * words]);
        for d in problem.demands() {
            bits::insert(&mut wants[d.message as usize * words..], d.destination);
        }
        for (m, may) in (0..).zip(may.chunks_mut(words)) {
            let holders = (0..vertices as VertexId).filter(|&v| problem.may_hold(m, v));
            holders.for_each(|v| bits::insert(may, v));
        }
        Some(Among { words, wants, may })
    }

    fn has(&self, set: &[u64], m: MessageId, v: VertexId) -> bool {
        bits::contains(&set[m as usize * self.words..], v)
    }
}

impl Board {
    /// An empty board of no steps.
    pub fn new(problem: &Problem) -> Self {
        let vertices = problem.network().vertices().len();
        let mut receives = vec![false; vertices];
        problem.receivers().iter().for_each(|&v| receives[v as usize] = true);
        let of_message = problem.demands().chunk_by(|a, b| a.message == b.message);
        Board {
            vertices,
            steps: 0,
            capacity: problem.resources().capacities().to_vec(),
            load: Vec::new(),
            arrivals: vec![NEVER; problem.messages() * vertices],
            receives,
            among: Among::of(problem).map(Arc::new),
            whole: of_message.clone().map(|d| d.len() as u32).collect(),
            sources: of_message.clone().map(|d| d[0].source).collect(),
            missing: of_message.map(|d| d.len() as u32).collect(),
            needed: vec![false; vertices],
        }
    }

    /// Empties the board and sets its number of steps.
    pub fn clear(&mut self, steps: u32) {
        self.steps = steps;
        self.load.clear();
        self.load.resize(steps as usize * self.capacity.len(), 0);
        self.arrivals.fill(NEVER);
        self.missing.copy_from_slice(&self.whole);
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

    /// The source of a message.
    pub fn source(&self, m: MessageId) -> VertexId {
        self.sources[m as usize]
    }

    /// Whether a vertex must receive messages.
    pub fn receives(&self, v: VertexId) -> bool {
        self.receives[v as usize]
    }

    /// Whether a vertex must receive a message.
    pub fn wants(&self, m: MessageId, v: VertexId) -> bool {
        match &self.among {
            None => self.receives[v as usize],
            Some(among) => among.has(&among.wants, m, v),
        }
    }

    /// Whether a vertex may have a message.
    pub fn may_hold(&self, m: MessageId, v: VertexId) -> bool {
        self.among.as_ref().is_none_or(|among| among.has(&among.may, m, v))
    }

    /// Whether what some receivers want is not for others.
    pub fn is_for_some(&self) -> bool {
        self.among.is_some()
    }

    /// Number of receivers that a message does not reach.
    pub fn missing(&self, m: MessageId) -> u32 {
        self.missing[m as usize]
    }

    /// The arrival of a message at a vertex.
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

    /// Whether all resources of a hop have room.
    pub fn has_room(&self, hops: &Hops, hop: HopId, step: u32) -> bool {
        hops.uses(hop).iter().all(|&r| !self.is_full(r, step))
    }

    /// Number of resources.
    pub fn resources(&self) -> usize {
        self.capacity.len()
    }

    /// Whether a resource has no room.
    pub fn is_full(&self, r: ResourceId, step: u32) -> bool {
        self.load[self.cell(step, r)] >= self.capacity[r as usize]
    }

    /// Whether a resource that all hops to a vertex share has no room.
    pub fn is_shut(&self, hops: &Hops, v: VertexId, step: u32) -> bool {
        hops.gate(v).is_some_and(|gate| self.is_full(gate, step))
    }

    /// Occupies the resources of a hop.
    pub fn occupy(&mut self, hops: &Hops, hop: HopId, step: u32) {
        for &r in hops.uses(hop) {
            let cell = self.cell(step, r);
            self.load[cell] += 1;
        }
    }

    /// Records an arrival whose resources are occupied already.
    pub fn note(&mut self, m: MessageId, v: VertexId, arrival: Arrival) {
        self.arrivals[m as usize * self.vertices + v as usize] = arrival;
        self.missing[m as usize] -= u32::from(self.wants(m, v));
    }

    /// Adds a transfer; there must be room.
    pub fn put(&mut self, hops: &Hops, m: MessageId, arrival: Arrival) {
        self.occupy(hops, arrival.hop, arrival.step);
        self.note(m, hops.to(arrival.hop), arrival);
    }

    /// Removes the transfer of a message to a vertex.
    pub fn lift(&mut self, hops: &Hops, m: MessageId, v: VertexId) {
        let place = m as usize * self.vertices + v as usize;
        let Arrival { hop, step } = std::mem::replace(&mut self.arrivals[place], NEVER);
        for &r in hops.uses(hop) {
            let cell = self.cell(step, r);
            self.load[cell] -= 1;
        }
        self.missing[m as usize] += u32::from(self.wants(m, v));
    }

    /// Removes all transfers of a message and appends them to `ripped`.
    pub fn rip(&mut self, hops: &Hops, m: MessageId, ripped: &mut Vec<(MessageId, Arrival)>) {
        for v in 0..self.vertices as VertexId {
            let arrival = self.arrival(m, v);
            if arrival != NEVER {
                ripped.push((m, arrival));
                self.lift(hops, m, v);
            }
        }
    }

    /// Removes the transfers of a message that lead to no receiver.
    pub fn prune(&mut self, hops: &Hops, m: MessageId) {
        self.needed.fill(false);
        let source = self.source(m) as usize;
        self.needed[source] = true;
        for receiver in 0..self.vertices as VertexId {
            if !self.wants(m, receiver) {
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

    /// The transfers of some messages as a plan, empty steps included.
    pub fn plan(&self, hops: &Hops, messages: impl Iterator<Item = MessageId>) -> Plan {
        let mut plan = Plan::new(self.steps);
        for message in messages {
            for v in 0..self.vertices as VertexId {
                let Arrival { hop, step } = self.arrival(message, v);
                if step != NEVER.step {
                    plan.push(step as usize, message, hops.channels(hop));
                }
            }
        }
        plan
    }
}

// Heights: the number of hops that a message still has to go beyond a vertex on shortest paths.
//
// If a message reaches a vertex with fewer steps left than its height, some receiver gets it too
// late, unless the message reaches that receiver by another path.

/// The height where no shortest path leads to a receiver.
const NOWHERE: u16 = u16::MAX;

/// Heights, by message, then vertex.
#[derive(Clone, Debug)]
pub struct Heights {
    vertices: usize,
    flat: Vec<u16>,
}

impl Heights {
    /// Heights in direct hops.
    pub fn new(board: &Board, hops: &Hops) -> Self {
        let vertices = board.vertices();
        let mut flat = vec![NOWHERE; board.messages() * vertices];
        let mut distance = vec![u16::MAX; vertices];
        let mut queue: Vec<VertexId> = Vec::with_capacity(vertices);
        for (m, row) in flat.chunks_mut(vertices).enumerate() {
            let source = board.source(m as MessageId);
            let after = |v: VertexId| {
                hops.out_of(v).iter().filter(|&&h| !hops.is_long(h)).map(|&h| hops.to(h) as usize)
            };
            distance.fill(u16::MAX);
            distance[source as usize] = 0;
            queue.clear();
            queue.push(source);
            let mut next = 0;
            while let Some(&v) = queue.get(next) {
                next += 1;
                for w in after(v).filter(|&w| board.may_hold(m as MessageId, w as VertexId)) {
                    if distance[w] == u16::MAX {
                        distance[w] = distance[v as usize] + 1;
                        queue.push(w as VertexId);
                    }
                }
            }
            for &v in queue.iter().rev() {
                let here = if board.wants(m as MessageId, v) { Some(0) } else { None };
                let is_child = |w: &usize| distance[*w] == distance[v as usize] + 1;
                let above = after(v).filter(is_child).map(|w| row[w]);
                let above = above.filter(|&h| h != NOWHERE).map(|h| h + 1).max();
                row[v as usize] = above.max(here).unwrap_or(NOWHERE);
            }
        }
        Heights { vertices, flat }
    }

    /// The distance of the farthest receiver beyond a vertex; none if there is no such receiver.
    pub fn get(&self, m: MessageId, v: VertexId) -> Option<u32> {
        let height = self.flat[m as usize * self.vertices + v as usize];
        (height != NOWHERE).then_some(u32::from(height))
    }
}
