//! The loads of links under a table, and prices that grow exponentially with them. Choosing the
//! cheapest route for one pair after the other, again and again, moves messages away from the links
//! of the largest load.

use super::Flow;
use crate::network::{ChannelId, Network, PathList};

/// How sharply the price of a link grows with its load, relative to the level.
const SHARPNESS: f64 = 60.0;

/// The loads of all links.
#[derive(Clone, Debug)]
pub(super) struct Loads {
    /// By channel: its link. The channels of a half-duplex link share one.
    link: Vec<u32>,
    /// By link.
    capacity: Vec<u32>,
    load: Vec<u32>,
    price: Vec<f64>,
    /// The different capacities, and by link which of them it has.
    kinds: Vec<u32>,
    kind: Vec<u32>,
    /// By kind, then load: the price. Above the last load prices do not grow.
    prices: Vec<Vec<f64>>,
}

impl Loads {
    /// No load; the level is that of loads that are spread evenly over all links, if every message
    /// of `hops` crossings were there.
    pub fn new(network: &Network, hops: u64) -> Self {
        let shared = |(id, c): (u32, &crate::network::Channel)| id.min(c.excludes().unwrap_or(id));
        let link: Vec<u32> = (0..).zip(network.channels()).map(shared).collect();
        let capacity: Vec<u32> = network.channels().iter().map(|c| c.capacity).collect();
        let total: u64 = capacity.iter().map(|&c| u64::from(c)).sum();
        let mut kinds = capacity.clone();
        kinds.sort_unstable();
        kinds.dedup();
        let kind = capacity.iter().map(|c| kinds.partition_point(|k| k < c) as u32).collect();
        let (load, price) = (vec![0; capacity.len()], vec![0.0; capacity.len()]);
        let mut loads = Loads { link, capacity, load, price, kinds, kind, prices: Vec::new() };
        loads.set_level((hops as f64 / total.max(1) as f64).max(1.0));
        loads
    }

    /// The loads of the routes of flows.
    pub fn of(network: &Network, flows: &[Flow], found: &PathList) -> Self {
        let mut loads = Loads::new(network, 0);
        for (flow, route) in flows.iter().zip(found.iter()) {
            for &c in route {
                loads.load[loads.link[c as usize] as usize] += flow.messages;
            }
        }
        loads.follow();
        loads
    }

    /// Sets the level of prices to the largest load.
    pub fn follow(&mut self) {
        let relative = |(&load, &capacity)| f64::from(load) / f64::from(capacity);
        let largest = self.load.iter().zip(&self.capacity).map(relative).fold(1.0, f64::max);
        self.set_level(largest);
    }

    /// Sets the load, relative to capacity, at which the price is 1. Prices grow up to twice this load; they are
    /// found once for each load, as exponentials take longer than all else.
    fn set_level(&mut self, level: f64) {
        let prices = |&capacity: &u32| {
            let price = |load: u32| {
                let relative = f64::from(load) / f64::from(capacity);
                libm::exp(SHARPNESS * (relative / level - 1.0).min(1.0))
            };
            (0..=(2.0 * level * f64::from(capacity)).ceil() as u32).map(price).collect()
        };
        self.prices = self.kinds.iter().map(prices).collect();
        (0..self.price.len()).for_each(|link| self.price[link] = self.at(link));
    }

    /// The price of a link.
    fn at(&self, link: usize) -> f64 {
        let prices = &self.prices[self.kind[link] as usize];
        prices[(self.load[link] as usize).min(prices.len() - 1)]
    }

    /// The price of a channel.
    #[inline]
    pub fn price(&self, c: ChannelId) -> f64 {
        self.price[self.link[c as usize] as usize]
    }

    /// Adds messages to a channel.
    pub fn add(&mut self, c: ChannelId, messages: u32) {
        let link = self.link[c as usize] as usize;
        self.load[link] += messages;
        self.price[link] = self.at(link);
    }

    /// Takes messages from a channel.
    pub fn remove(&mut self, c: ChannelId, messages: u32) {
        let link = self.link[c as usize] as usize;
        self.load[link] -= messages;
        self.price[link] = self.at(link);
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
