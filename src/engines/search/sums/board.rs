//! Which part uses which link in which step.

use crate::network::{ChannelId, VertexId};
use crate::problem::{Problem, ResourceId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A transfer of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// Its step, from 0.
    pub step: u32,
    /// Its channel.
    pub channel: ChannelId,
    /// Whether it copies the complete sum.
    pub gathers: bool,
}

/// The network, as the search reads it.
pub struct Links {
    /// By channel, where it starts and ends, and its link.
    pub channels: Vec<(VertexId, VertexId, ResourceId)>,
    /// By vertex, its channels out, and into it.
    pub beside: [Vec<Vec<ChannelId>>; 2],
    /// By link, the transfers that it carries in a step.
    capacity: Vec<u32>,
}

/// The parts that are placed.
#[derive(Clone)]
pub struct Board {
    pub links: Arc<Links>,
    steps: u32,
    /// By step and link, the parts that use it.
    users: Vec<Vec<u32>>,
    /// By part, its transfers; none if it is not placed.
    uses: Vec<Vec<Use>>,
    /// By part, how often others gave way to it.
    weights: Vec<u32>,
}

impl Board {
    /// An empty board without steps.
    pub fn of(problem: &Problem) -> Self {
        let (network, resources) = (problem.network(), problem.resources());
        let ends = (0..).zip(network.channels());
        let channels = ends.map(|(id, c)| (c.from, c.to, resources.of_channel(id))).collect();
        let n = network.vertices().len() as VertexId;
        let out = (0..n).map(|v| network.outgoing(v).to_vec()).collect();
        let into = (0..n).map(|v| network.incoming(v).to_vec()).collect();
        let capacity = resources.capacities().to_vec();
        let links = Arc::new(Links { channels, beside: [out, into], capacity });
        let parts = problem.messages() / 2;
        let (uses, weights) = (vec![Vec::new(); parts], vec![0; parts]);
        Board { links, steps: 0, users: Vec::new(), uses, weights }
    }

    /// Removes all parts; the board has as many steps.
    pub fn clear(&mut self, steps: u32) {
        self.steps = steps;
        self.users.iter_mut().for_each(Vec::clear);
        self.users.resize(steps as usize * self.links.capacity.len(), Vec::new());
        self.uses.iter_mut().for_each(Vec::clear);
        self.weights.fill(0);
    }

    /// Number of parts.
    pub fn parts(&self) -> u32 {
        self.uses.len() as u32
    }

    /// Number of steps.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Whether the network has this channel.
    pub fn has(&self, channel: ChannelId) -> bool {
        (channel as usize) < self.links.channels.len()
    }

    /// The transfers of a part.
    pub fn uses(&self, part: u32) -> &[Use] {
        &self.uses[part as usize]
    }

    /// By part, how often others gave way to it.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    fn slot(&self, step: u32, channel: ChannelId) -> usize {
        let link = self.links.channels[channel as usize].2;
        step as usize * self.links.capacity.len() + link as usize
    }

    /// Whether a channel carries one more transfer in a step.
    #[inline]
    pub fn is_free(&self, step: u32, channel: ChannelId) -> bool {
        let link = self.links.channels[channel as usize].2;
        let users = &self.users[self.slot(step, channel)];
        (users.len() as u32) < self.links.capacity[link as usize]
    }

    /// The part that gives way most easily on a channel in a step, and its weight; none if it is free.
    pub fn weakest(&self, step: u32, channel: ChannelId) -> Option<(u32, u32)> {
        if self.is_free(step, channel) {
            return None;
        }
        let users = &self.users[self.slot(step, channel)];
        users.iter().map(|&part| (self.weights[part as usize], part)).min().map(|(w, p)| (p, w))
    }

    /// Places a part; the parts that stand in its way are removed and returned.
    pub fn place(&mut self, part: u32, uses: &[Use]) -> Vec<u32> {
        let mut gone = Vec::new();
        for u in uses {
            while let Some((weakest, _)) = self.weakest(u.step, u.channel) {
                self.remove(weakest);
                gone.push(weakest);
            }
            let slot = self.slot(u.step, u.channel);
            self.users[slot].push(part);
            self.uses[part as usize].push(*u);
        }
        // A part that is in its own way twice does not fit.
        if gone.contains(&part) {
            self.remove(part);
        }
        if !gone.is_empty() {
            self.weights[part as usize] += 1;
        }
        gone
    }

    fn remove(&mut self, part: u32) {
        for u in std::mem::take(&mut self.uses[part as usize]) {
            let slot = self.slot(u.step, u.channel);
            if let Some(place) = self.users[slot].iter().position(|&user| user == part) {
                self.users[slot].swap_remove(place);
            }
        }
    }

    /// Places these parts.
    pub fn restore(&mut self, steps: u32, uses: Vec<Vec<Use>>, weights: Vec<u32>) {
        self.clear(steps);
        for (part, uses) in (0..).zip(uses) {
            self.place(part, &uses);
        }
        self.weights = weights;
    }
}
