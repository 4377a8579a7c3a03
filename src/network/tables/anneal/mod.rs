//! Simulated annealing of tables, on a few islands that differ in temperature. The temperature falls in
//! every leg and begins anew in the next one. The search ends at a load that no table can be below, or
//! after a number of moves.

mod acyclic;
mod pairs;
mod trees;

use super::loads::Loads;
use super::{Flow, Left, by_destination, walks};
use crate::metrics::{UNREACHABLE, distances_to};
use crate::{ChannelId, Network, PathList, VertexId};
pub(super) use acyclic::Acyclic;
use ccsched_base::cores;
use ccsched_base::rng::{Rng, rng_of};
pub(super) use pairs::Pairs;
use rand::RngExt;
use std::convert::Infallible;
pub(super) use trees::Trees;

/// The highest temperature of each island, relative to the heat of its table.
const HEATS: [f64; 4] = [0.1, 0.03, 0.3, 0.01];
/// Levels of temperature in a leg. The largest load is measured after each.
const LEVELS: u32 = 32;
/// Legs without a better table after which the search ends.
const PATIENCE: u32 = 6;

/// Moves of the first leg by entry, and at least.
const PER_ENTRY: u64 = 4;
const SHORTEST: u64 = 500;
/// Moves after which the time is looked at.
const MOVES: u64 = 256;
/// Entries above which there are two islands.
const MANY_ENTRIES: usize = 100_000;

/// A table that moves change.
pub(super) trait Moves: Clone + Send {
    /// Tries one change. It is kept if it is cheaper, and else sometimes, the oftener the hotter.
    fn propose(&mut self, temperature: f64, rng: &mut Rng);
    /// Moves of all islands together.
    fn most_moves(&self) -> u64 {
        // Large tables do not fit into the caches, and moves take longer.
        if self.entries() > MANY_ENTRIES { 3_000_000 } else { 6_000_000 }
    }
    /// The number of entries that moves choose from.
    fn entries(&self) -> usize;
    /// The loads.
    fn pressure(&self) -> &Pressure;
    /// Sets the target.
    fn aim(&mut self, target: u32);
    /// The mean square of what a change moves.
    fn heat(&self) -> f64;
}

struct Island<M> {
    table: M,
    rng: Rng,
    heat: f64,
    best: M,
    least: u32,
}

/// The table of the smallest largest load that islands find, which begin with these. The search ends if that is `floor`:
/// no table has a smaller one; or when no time is left. Moves aim at this load first.
pub(super) fn anneal<M: Moves>(starts: &[M], floor: u32, left_time: Left<'_>) -> M {
    let first = &starts[0];
    if first.pressure().largest() <= floor || first.entries() == 0 || left_time() <= 0.0 {
        return first.clone();
    }
    let count = if first.entries() > MANY_ENTRIES { 2 } else { HEATS.len() };
    let mut leg = (first.entries() as u64 * PER_ENTRY).max(SHORTEST);
    let mut left = first.most_moves() / count as u64;
    let island = |(number, &heat): (usize, &f64)| {
        let [table, best] = [0, 1].map(|_| starts[number % starts.len()].clone());
        let least = best.pressure().largest();
        Island { table, rng: rng_of(0, number, 2), heat, best, least }
    };
    let mut islands: Vec<Island<M>> = HEATS[..count].iter().enumerate().map(island).collect();
    let least = |islands: &[Island<M>]| islands.iter().map(|i| i.least).min().unwrap_or(0);
    let (mut idle, mut turn) = (0, 0);
    while left > 0 {
        leg = leg.min(left);
        left -= leg;
        let before = least(&islands);
        cores::each(islands.iter_mut().collect(), |island| island.leg(floor, leg, left_time));
        let now = least(&islands);
        if now <= floor || left_time() <= 0.0 {
            break;
        }
        idle = if now < before { 0 } else { idle + 1 };
        leg += leg / 2;
        if idle == PATIENCE {
            break;
        }
        // Where no table seems to reach the floor, a target between helps.
        turn += usize::from(idle > 0 || now > floor + floor / 10);
        for (number, island) in islands.iter_mut().enumerate() {
            let above = now - 1 - floor;
            let part = [0, above / 2, above * 3 / 4, above][(number + turn) % 4];
            island.table.aim(floor + if turn == 0 { 0 } else { part });
        }
    }
    let least = least(&islands);
    let best = islands.into_iter().find(|island| island.least == least);
    best.map_or_else(|| first.clone(), |island| island.best)
}

impl<M: Moves> Island<M> {
    /// The temperature falls once.
    fn leg(&mut self, floor: u32, moves: u64, left_time: Left<'_>) {
        let heat = self.heat * self.table.heat();
        for level in (0..LEVELS).rev() {
            let cold = f64::from(level) / f64::from(LEVELS);
            let temperature = heat * cold * cold;
            let mut is_late = false;
            for made in 1..=moves.div_ceil(LEVELS.into()) {
                self.table.propose(temperature, &mut self.rng);
                is_late = made.is_multiple_of(MOVES) && left_time() <= 0.0;
                if is_late || self.table.pressure().over().is_empty() {
                    break;
                }
            }
            let largest = self.table.pressure().largest();
            if largest < self.least {
                self.least = largest;
                self.best = self.table.clone();
            }
            if is_late || self.least <= floor {
                break;
            }
        }
    }
}

// The vertices at which tables choose: all but the terminals with one link, whose messages begin and end at the
// vertex behind it.

/// These vertices, by number.
pub(super) struct Core<'n> {
    pub network: &'n Network,
    /// The vertex of each number.
    pub vertices: Vec<VertexId>,
    /// By vertex: the number where its messages begin and end.
    pub number: Vec<u32>,
    /// By vertex, if it is not one of these: the channels to and from the one behind its link.
    pub link: Vec<Option<[ChannelId; 2]>>,
}

/// The channels that lead nearer to one vertex.
struct Ways {
    /// The numbers of the vertices with a way, nearest first, without the vertex itself.
    order: Vec<u32>,
    /// The channels, with the numbers of their ends; those of one number after the other.
    nearer: Vec<(ChannelId, u32)>,
    /// By number, where its channels begin; at the end how many there are.
    starts: Vec<u32>,
}

impl<'n> Core<'n> {
    pub fn of(network: &'n Network) -> Self {
        let n = network.vertices().len();
        let link = |v: VertexId| match (network.outgoing(v), network.incoming(v)) {
            (&[out], &[into]) if network.is_terminal(v) => {
                let behind = network.channel(out).to;
                let is_one = network.channel(into).from == behind;
                (is_one && network.outgoing(behind).len() > 1).then_some([out, into])
            }
            _ => None,
        };
        let link: Vec<_> = (0..n as VertexId).map(link).collect();
        let vertices: Vec<VertexId> =
            (0..n as VertexId).filter(|&v| link[v as usize].is_none()).collect();
        let mut number = vec![0; n];
        (0..).zip(&vertices).for_each(|(place, &v)| number[v as usize] = place);
        for (v, link) in link.iter().enumerate() {
            if let Some([out, _]) = link {
                number[v] = number[network.channel(*out).to as usize];
            }
        }
        Core { network, vertices, number, link }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// The routes of flows by the next channels of all numbers, those of one destination after the other.
    fn routes(&self, flows: &[Flow], next: &[ChannelId]) -> PathList {
        let (mut routes, mut found) = (walks::Tree::new(self.network), PathList::default());
        for (group, next) in by_destination(flows).zip(next.chunks(self.len())) {
            let last = self.link[group[0].to as usize];
            let goal = self.number[group[0].to as usize];
            let next = |v: VertexId| {
                let number = self.number[v as usize];
                let c = match (self.link[v as usize], last) {
                    (Some([out, _]), _) => out,
                    (None, Some([_, into])) if number == goal => into,
                    _ => next[number as usize],
                };
                Ok::<_, Infallible>(c)
            };
            let Ok(()) = routes.add(group, next, &mut found);
        }
        found
    }

    /// The shortest ways to a number.
    fn ways(&self, to: u32) -> Ways {
        let distance = distances_to(self.network, self.vertices[to as usize]);
        let mut order: Vec<u32> = (0..self.len() as u32)
            .filter(|&v| v != to && distance[self.vertices[v as usize] as usize] != UNREACHABLE)
            .collect();
        order.sort_by_key(|&v| distance[self.vertices[v as usize] as usize]);
        let (mut nearer, mut starts) = (Vec::new(), Vec::with_capacity(self.len() + 1));
        for &v in &self.vertices {
            starts.push(nearer.len() as u32);
            for &c in self.network.outgoing(v) {
                let head = self.network.channel(c).to;
                let is_inner = self.link[head as usize].is_none();
                if is_inner && distance[head as usize] < distance[v as usize] {
                    nearer.push((c, self.number[head as usize]));
                }
            }
        }
        starts.push(nearer.len() as u32);
        Ways { order, nearer, starts }
    }
}

impl Ways {
    /// The channels of a number that lead nearer.
    #[inline]
    fn of(&self, v: u32) -> &[(ChannelId, u32)] {
        let [first, end] = [v, v + 1].map(|v| self.starts[v as usize] as usize);
        &self.nearer[first..end]
    }
}

// The loads of links, and what they cost: above all what exceeds the target, squared, and a little for every load.
// Links above the target are listed, because moves begin there.

/// What a load costs, relative to what exceeds the target.
const EVENNESS: f64 = 1e-4;
/// Not listed.
const NOWHERE: u32 = u32::MAX;

/// The loads of all links.
#[derive(Clone, Debug)]
pub(super) struct Pressure {
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
    fn new(network: &Network, target: u32) -> Self {
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
    fn aim(&mut self, target: u32) {
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
    fn rise(&self, c: ChannelId, messages: f64) -> f64 {
        let link = self.loads.link(c);
        let load = f64::from(self.loads.of_link(link));
        self.cost(link, load + messages) - self.cost(link, load)
    }

    /// Adds messages to a channel.
    #[inline]
    fn add(&mut self, c: ChannelId, messages: u32) {
        let link = self.loads.add(c, messages);
        self.list(link);
    }

    /// Takes messages from a channel.
    #[inline]
    fn remove(&mut self, c: ChannelId, messages: u32) {
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
    fn over(&self) -> &[ChannelId] {
        &self.over
    }

    /// A channel of a link above the target, if there is one.
    #[inline]
    fn pick(&self, rng: &mut Rng) -> ChannelId {
        let first = self.over[rng.random_range(0..self.over.len())];
        self.other[first as usize].filter(|_| rng.random()).unwrap_or(first)
    }

    /// The most steps that some link needs for its messages.
    pub fn largest(&self) -> u32 {
        self.loads.largest()
    }
}
