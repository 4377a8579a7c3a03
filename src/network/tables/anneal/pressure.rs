//! The loads of links, and what they cost: above all what exceeds the target, squared, and a little for every load.
//! Links above the target are listed, because moves begin there.

use super::super::loads::Loads;
use crate::{ChannelId, Network};
use ccsched_base::rng::Rng;
use rand::RngExt;

/// What a load costs, relative to what exceeds the target.
const EVENNESS: f64 = 1e-4;
/// Not listed.
const NOWHERE: u32 = u32::MAX;

/// The loads of all links.
#[derive(Clone, Debug)]
pub(in super::super) struct Pressure {
    loads: Loads,
    /// By link, if it is half duplex, its other channel.
    other: Vec<Option<ChannelId>>,
    /// By link: the load that the target allows, and one over the capacity.
    allowed: Vec<f64>,
    share: Vec<f64>,
    /// The links above the target, and by link its place among them.
    over: Vec<u32>,
    place: Vec<u32>,
}

impl Pressure {
    /// No load.
    pub fn new(network: &Network, target: u32) -> Self {
        let loads = Loads::new(network);
        let share = loads.capacities().iter().map(|&c| 1.0 / f64::from(c)).collect();
        let place = vec![NOWHERE; loads.capacities().len()];
        let other = network.channels().iter().map(|c| c.excludes()).collect();
        let (allowed, over) = (Vec::new(), Vec::new());
        let mut made = Pressure { loads, other, allowed, share, over, place };
        made.aim(target);
        made
    }

    /// Sets the target, a load for a capacity of one.
    pub fn aim(&mut self, target: u32) {
        let allowed = |&capacity: &u32| f64::from(target) * f64::from(capacity);
        self.allowed = self.loads.capacities().iter().map(allowed).collect();
        self.over.clear();
        self.place.fill(NOWHERE);
        (0..self.place.len()).for_each(|link| self.list(link));
    }

    #[inline]
    fn cost(&self, link: usize, load: f64) -> f64 {
        let excess = (load - self.allowed[link]).max(0.0);
        (excess * excess + EVENNESS * load * load) * self.share[link]
    }

    /// What some more messages on a channel cost, or fewer of them if the number is negative.
    #[inline]
    pub fn rise(&self, c: ChannelId, messages: f64) -> f64 {
        let link = self.loads.link(c);
        let load = f64::from(self.loads.of_link(link));
        self.cost(link, load + messages) - self.cost(link, load)
    }

    /// Adds messages to a channel.
    #[inline]
    pub fn add(&mut self, c: ChannelId, messages: u32) {
        let link = self.loads.add(c, messages);
        self.list(link);
    }

    /// Takes messages from a channel.
    #[inline]
    pub fn remove(&mut self, c: ChannelId, messages: u32) {
        let link = self.loads.remove(c, messages);
        self.list(link);
    }

    /// Lists a link if it is above the target, and no other.
    #[inline]
    fn list(&mut self, link: usize) {
        let load = f64::from(self.loads.of_link(link));
        let (is_over, place) = (load > self.allowed[link], self.place[link]);
        if is_over && place == NOWHERE {
            self.place[link] = self.over.len() as u32;
            self.over.push(link as u32);
        } else if !is_over && place != NOWHERE {
            self.over.swap_remove(place as usize);
            if let Some(&moved) = self.over.get(place as usize) {
                self.place[moved as usize] = place;
            }
            self.place[link] = NOWHERE;
        }
    }

    /// The links above the target, each by its first channel.
    pub fn over(&self) -> &[ChannelId] {
        &self.over
    }

    /// A channel of a link above the target, if there is one.
    #[inline]
    pub fn pick(&self, rng: &mut Rng) -> ChannelId {
        let first = self.over[rng.random_range(0..self.over.len())];
        self.other[first as usize].filter(|_| rng.random()).unwrap_or(first)
    }

    /// The most steps that some link needs for its messages.
    pub fn largest(&self) -> u32 {
        self.loads.largest()
    }
}
