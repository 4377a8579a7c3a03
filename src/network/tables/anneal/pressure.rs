//! The loads of links, and what they cost: above all what exceeds the target, squared, and a little for every load.
//! Links above the target are listed, because moves begin there.

use crate::network::{ChannelId, Network};
use crate::rng::Rng;
use rand::RngExt;

/// What a load costs, relative to what exceeds the target.
const EVENNESS: f64 = 1e-4;
/// Not listed.
const NOWHERE: u32 = u32::MAX;

/// The loads of all links.
#[derive(Clone, Debug)]
pub(in super::super) struct Pressure {
    /// By channel: its link. The channels of a half-duplex link share one.
    link: Vec<u32>,
    /// By link, if it is half duplex, its other channel.
    other: Vec<Option<ChannelId>>,
    /// By link.
    load: Vec<u32>,
    capacity: Vec<u32>,
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
        let shared = |(id, c): (u32, &crate::network::Channel)| id.min(c.excludes().unwrap_or(id));
        let link: Vec<u32> = (0..).zip(network.channels()).map(shared).collect();
        let capacity: Vec<u32> = network.channels().iter().map(|c| c.capacity).collect();
        let share = capacity.iter().map(|&c| 1.0 / f64::from(c)).collect();
        let (load, place) = (vec![0; link.len()], vec![NOWHERE; link.len()]);
        let other = network.channels().iter().map(|c| c.excludes()).collect();
        let (allowed, over) = (Vec::new(), Vec::new());
        let mut made = Pressure { link, other, load, capacity, allowed, share, over, place };
        made.aim(target);
        made
    }

    /// Sets the target, a load for a capacity of one.
    pub fn aim(&mut self, target: u32) {
        let allowed = |&capacity: &u32| f64::from(target) * f64::from(capacity);
        self.allowed = self.capacity.iter().map(allowed).collect();
        self.over.clear();
        self.place.fill(NOWHERE);
        (0..self.load.len()).for_each(|link| self.list(link));
    }

    #[inline]
    fn cost(&self, link: usize, load: f64) -> f64 {
        let excess = (load - self.allowed[link]).max(0.0);
        (excess * excess + EVENNESS * load * load) * self.share[link]
    }

    /// What some more messages on a channel cost, or fewer of them if the number is negative.
    #[inline]
    pub fn rise(&self, c: ChannelId, messages: f64) -> f64 {
        let link = self.link[c as usize] as usize;
        let load = f64::from(self.load[link]);
        self.cost(link, load + messages) - self.cost(link, load)
    }

    /// Adds messages to a channel.
    #[inline]
    pub fn add(&mut self, c: ChannelId, messages: u32) {
        let link = self.link[c as usize] as usize;
        self.load[link] += messages;
        self.list(link);
    }

    /// Takes messages from a channel.
    #[inline]
    pub fn remove(&mut self, c: ChannelId, messages: u32) {
        let link = self.link[c as usize] as usize;
        self.load[link] -= messages;
        self.list(link);
    }

    /// Lists a link if it is above the target, and no other.
    #[inline]
    fn list(&mut self, link: usize) {
        let (is_over, place) = (f64::from(self.load[link]) > self.allowed[link], self.place[link]);
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
        let steps = self.load.iter().zip(&self.capacity).map(|(l, c)| l.div_ceil(*c));
        steps.max().unwrap_or(0)
    }
}
