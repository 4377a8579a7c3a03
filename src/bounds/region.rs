//! Regions: sets of vertices that a message has to enter over few channels. The steps that a
//! message needs to spread in a region once inside are the core of the spread bound (see `spread`):
//! broadcast growth (umda-diameter-degree-networks, section 3) with an inflow.

use crate::network::VertexId;
use crate::network::metrics::distances_to_any;
use crate::problem::{Problem, Switching};
use std::collections::VecDeque;

/// A set of vertices with disjoint parts, all of which every message from outside must reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its vertices, ascending.
    pub vertices: Vec<VertexId>,
    /// Disjoint subsets, each a region with parts of its own; may be empty.
    pub parts: Vec<Region>,
}

/// The number of vertices that can have a message, step by step.
pub(super) struct Growth {
    informed: usize,
    inflow: usize,
    /// Messages a step that every holder can send, in the order in which holders are assumed
    /// informed.
    rates: Vec<usize>,
}

impl Growth {
    /// The growth in a set of vertices that `inflow` copies enter from outside in every step.
    fn entering(problem: &Problem, vertices: &[VertexId], inflow: usize) -> Self {
        Growth { informed: 0, inflow, rates: rates(problem, vertices.iter().copied()) }
    }

    /// The growth in the whole network from its source.
    pub fn from_source(problem: &Problem, source: VertexId) -> Self {
        let others = (0..problem.network.vertices().len() as VertexId).filter(|&v| v != source);
        let mut all = rates(problem, std::iter::once(source));
        all.extend(rates(problem, others));
        Growth { informed: 1, inflow: 0, rates: all }
    }

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

/// Messages a step that every holder among the vertices can send, most first.
fn rates(problem: &Problem, vertices: impl Iterator<Item = VertexId>) -> Vec<usize> {
    let holders = vertices.filter(|&v| holds(problem, v));
    let mut rates: Vec<usize> = holders.map(|v| problem.sends_at_once(v)).collect();
    rates.sort_unstable_by(|a, b| b.cmp(a));
    rates
}

/// Whether a vertex can hold a message and pass it on.
fn holds(problem: &Problem, v: VertexId) -> bool {
    problem.switching == Switching::StoreAndForward || problem.network.is_terminal(v)
}

/// A set of vertices with its inflow and its receivers.
pub(super) struct Area<'p> {
    problem: &'p Problem,
    pub vertices: Vec<VertexId>,
    inside: Vec<bool>,
    /// Copies of messages that can enter in a step.
    pub inflow: usize,
    /// Receivers in it.
    pub receivers: Vec<VertexId>,
}

impl<'p> Area<'p> {
    pub fn new(problem: &'p Problem, inside: Vec<bool>) -> Self {
        let network = &problem.network;
        let vertices: Vec<VertexId> =
            (0..inside.len() as VertexId).filter(|&v| inside[v as usize]).collect();
        let into = vertices.iter().flat_map(|&v| network.incoming(v));
        let entering = into.map(|&c| network.channel(c)).filter(|c| !inside[c.from as usize]);
        let carried = entering.map(|c| c.capacity as usize).sum();
        let holders = vertices.iter().filter(|&&v| holds(problem, v));
        let ports = holders.map(|&v| problem.receives_at_once(v)).sum();
        let receivers = problem.receivers.iter().copied().filter(|&v| inside[v as usize]);
        Area {
            receivers: receivers.collect(),
            inflow: usize::min(carried, ports),
            vertices,
            inside,
            problem,
        }
    }

    pub fn has(&self, v: VertexId) -> bool {
        self.inside[v as usize]
    }

    /// Steps that a message from outside needs in the region, without regard to parts.
    pub fn need(&self) -> Option<u32> {
        if self.receivers.is_empty() {
            return Some(0);
        }
        let growth = self.growth().steps_to(self.receivers.len())?;
        Some(growth.max(self.depth()?))
    }

    /// Distances of the senders outside, farthest first: the steps that their messages need to
    /// enter.
    pub fn distances_of_senders(&self) -> Vec<u32> {
        let outside = self.problem.senders.iter().filter(|&&s| !self.has(s));
        if self.problem.switching == Switching::Wormhole {
            return outside.map(|_| 1).collect();
        }
        let distance = distances_to_any(&self.problem.network, self.vertices.to_vec());
        let mut far: Vec<u32> = outside.map(|&s| distance[s as usize]).collect();
        far.sort_unstable_by(|a, b| b.cmp(a));
        far
    }

    /// The growth of a message from outside.
    pub fn growth(&self) -> Growth {
        Growth::entering(self.problem, &self.vertices, self.inflow)
    }

    /// Steps to the farthest receiver: one to enter and, with store-and-forward switching, one for
    /// every further channel.
    fn depth(&self) -> Option<u32> {
        if self.problem.switching == Switching::Wormhole {
            return Some(1);
        }
        let network = &self.problem.network;
        let mut depth: Vec<Option<u32>> = vec![None; self.inside.len()];
        let enters =
            |&v: &VertexId| network.incoming(v).iter().any(|&c| !self.has(network.channel(c).from));
        let mut queue: VecDeque<VertexId> = self.vertices.iter().copied().filter(enters).collect();
        queue.iter().for_each(|&v| depth[v as usize] = Some(1));
        while let Some(v) = queue.pop_front() {
            let next = depth[v as usize].map(|d| d + 1);
            for &c in network.outgoing(v) {
                let to = network.channel(c).to;
                if self.has(to) && depth[to as usize].is_none() {
                    depth[to as usize] = next;
                    queue.push_back(to);
                }
            }
        }
        self.receivers.iter().map(|&v| depth[v as usize]).max_by_key(|d| d.unwrap_or(u32::MAX))?
    }
}
