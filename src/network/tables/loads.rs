//! The loads of links under a table.

use super::Flow;
use crate::{ChannelId, Network, PathList};

/// The loads of all links.
#[derive(Clone, Debug)]
pub(super) struct Loads {
    /// By channel: its link. The channels of a half-duplex link share one.
    link: Vec<u32>,
    /// By link.
    capacity: Vec<u32>,
    load: Vec<u32>,
}

impl Loads {
    /// No load.
    pub fn new(network: &Network) -> Self {
        let shared = |(id, c): (u32, &crate::Channel)| id.min(c.excludes().unwrap_or(id));
        let link: Vec<u32> = (0..).zip(network.channels()).map(shared).collect();
        let capacity = network.channels().iter().map(|c| c.capacity).collect();
        let load = vec![0; link.len()];
        Loads { link, capacity, load }
    }

    /// The loads of the routes of flows.
    pub fn of(network: &Network, flows: &[Flow], found: &PathList) -> Self {
        let mut loads = Loads::new(network);
        for (flow, route) in flows.iter().zip(found.iter()) {
            for &c in route {
                loads.add(c, flow.messages);
            }
        }
        loads
    }

    /// By link, its capacity.
    pub fn capacities(&self) -> &[u32] {
        &self.capacity
    }

    /// The link of a channel.
    #[inline]
    pub fn link(&self, c: ChannelId) -> usize {
        self.link[c as usize] as usize
    }

    /// The load of a link.
    #[inline]
    pub fn of_link(&self, link: usize) -> u32 {
        self.load[link]
    }

    /// The load of a link over its capacity.
    pub fn relative(&self, link: usize) -> f64 {
        f64::from(self.load[link]) / f64::from(self.capacity[link])
    }

    /// Adds messages to a channel. Returns its link.
    #[inline]
    pub fn add(&mut self, c: ChannelId, messages: u32) -> usize {
        let link = self.link(c);
        self.load[link] += messages;
        link
    }

    /// Takes messages from a channel. Returns its link.
    #[inline]
    pub fn remove(&mut self, c: ChannelId, messages: u32) -> usize {
        let link = self.link(c);
        self.load[link] -= messages;
        link
    }

    /// The most steps that some link needs for its messages.
    pub fn largest(&self) -> u32 {
        let steps = self.load.iter().zip(&self.capacity).map(|(l, c)| l.div_ceil(*c));
        steps.max().unwrap_or(0)
    }

    /// The first channel of the largest load; none if the network has no channel.
    pub fn fullest(&self) -> Option<ChannelId> {
        let steps = |&link: &u32| self.load[link as usize].div_ceil(self.capacity[link as usize]);
        let largest = self.largest();
        self.link.iter().position(|link| steps(link) == largest).map(|c| c as ChannelId)
    }

    /// The largest load if all links were loaded evenly: no table of as many crossings has less.
    pub fn even(&self) -> u32 {
        let mut capacity = vec![0u64; self.load.len()];
        self.link.iter().for_each(|&l| capacity[l as usize] = self.capacity[l as usize].into());
        let hops: u64 = self.load.iter().map(|&l| u64::from(l)).sum();
        hops.div_ceil(capacity.iter().sum::<u64>().max(1)) as u32
    }
}
