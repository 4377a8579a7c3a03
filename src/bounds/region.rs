//! Regions: sets of vertices that a message has to enter over few channels. The steps that a
//! message needs to spread in a region once inside are the core of the spread bound (see `spread`):
//! broadcast growth (umda-diameter-degree-networks, section 3) with an inflow.

pub use super::Region;
use super::cut::Side;
use super::holders::{Growth, Holders};
use ccsched_network::VertexId;
use ccsched_network::metrics::distances_to_any;
use std::collections::VecDeque;

/// A set of vertices with its inflow and its receivers.
pub(super) struct Area<'p> {
    holders: &'p Holders<'p>,
    pub vertices: Vec<VertexId>,
    inside: Side,
    /// Copies of messages that can enter in a step.
    pub inflow: usize,
    /// Receivers in it.
    pub receivers: Vec<VertexId>,
}

impl<'p> Area<'p> {
    /// The vertices inside, and the number of copies that can enter in a step.
    pub fn new(holders: &'p Holders<'p>, inside: Side, inflow: usize) -> Self {
        let receivers = holders.problem.receivers().iter().copied();
        let receivers = receivers.filter(|&v| inside.has(v)).collect();
        Area { receivers, inflow, vertices: inside.vertices().collect(), inside, holders }
    }

    pub fn has(&self, v: VertexId) -> bool {
        self.inside.has(v)
    }

    /// Steps that a message from outside needs in the region, without regard to parts.
    pub fn need(&self) -> Option<u32> {
        if self.receivers.is_empty() {
            return Some(0);
        }
        let growth = self.growth().steps_to(self.receivers.len())?;
        Some(growth.max(self.depth()?))
    }

    /// Distances of the messages outside, farthest first: the steps that they need to enter.
    pub fn distances_of_messages(&self) -> Vec<u32> {
        let pieces = self.holders.problem.pieces() as usize;
        let outside = self.holders.problem.senders().iter().filter(|&&s| !self.has(s));
        let outside = outside.flat_map(|s| std::iter::repeat_n(s, pieces));
        if self.holders.problem.switching().holds_paths() {
            return outside.map(|_| 1).collect();
        }
        let distance = distances_to_any(self.holders.problem.network(), self.vertices.to_vec());
        let mut far: Vec<u32> = outside.map(|&s| distance[s as usize]).collect();
        far.sort_unstable_by(|a, b| b.cmp(a));
        far
    }

    /// The growth of a message from outside.
    pub fn growth(&self) -> Growth {
        self.holders.growth_within(&self.vertices, self.inflow)
    }

    /// Steps to the farthest receiver: one to enter and, with store-and-forward switching, one for
    /// every further channel.
    fn depth(&self) -> Option<u32> {
        if self.holders.problem.switching().holds_paths() {
            return Some(1);
        }
        let network = self.holders.problem.network();
        let mut depth: Vec<Option<u32>> = vec![None; network.vertices().len()];
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
