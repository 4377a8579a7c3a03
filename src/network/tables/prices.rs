//! Prices that grow exponentially with the loads of links. Choosing the cheapest route for one pair after the other,
//! again and again, moves messages away from the links of the largest load.

use super::loads::Loads;
use crate::{ChannelId, Network};

/// How sharply the price of a link grows with its load, relative to the level.
const SHARPNESS: f64 = 60.0;

/// The prices of all links, and their loads.
#[derive(Clone, Debug)]
pub(super) struct Prices {
    pub loads: Loads,
    /// By link.
    price: Vec<f64>,
    /// The different capacities, and by link which of them it has.
    kinds: Vec<u32>,
    kind: Vec<u32>,
    /// By kind, then load: the price. Above the last load prices do not grow.
    prices: Vec<Vec<f64>>,
}

impl Prices {
    /// No load; the level is that of loads that are spread evenly over all links, if every message
    /// of `hops` crossings were there.
    pub fn new(network: &Network, hops: u64) -> Self {
        let loads = Loads::new(network);
        let capacity = loads.capacities();
        let total: u64 = capacity.iter().map(|&c| u64::from(c)).sum();
        let mut kinds = capacity.to_vec();
        kinds.sort_unstable();
        kinds.dedup();
        let kind = capacity.iter().map(|c| kinds.partition_point(|k| k < c) as u32).collect();
        let price = vec![0.0; capacity.len()];
        let mut prices = Prices { loads, price, kinds, kind, prices: Vec::new() };
        prices.set_level((hops as f64 / total.max(1) as f64).max(1.0));
        prices
    }

    /// Sets the level to the largest load.
    pub fn follow(&mut self) {
        let links = 0..self.price.len();
        let largest = links.map(|link| self.loads.relative(link)).fold(1.0, f64::max);
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
        prices[(self.loads.of_link(link) as usize).min(prices.len() - 1)]
    }

    /// The price of a channel.
    #[inline]
    pub fn price(&self, c: ChannelId) -> f64 {
        self.price[self.loads.link(c)]
    }

    /// Adds messages to a channel.
    pub fn add(&mut self, c: ChannelId, messages: u32) {
        let link = self.loads.add(c, messages);
        self.price[link] = self.at(link);
    }

    /// Takes messages from a channel.
    pub fn remove(&mut self, c: ChannelId, messages: u32) {
        let link = self.loads.remove(c, messages);
        self.price[link] = self.at(link);
    }
}
