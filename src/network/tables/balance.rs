//! Balances the routes of pairs: every pair takes the cheapest of its shortest allowed ways, at
//! prices that grow exponentially with the loads of links, round after round.

use super::loads::Loads;
use super::{Flow, Left, by_destination};
use crate::metrics::UNREACHABLE;
use crate::{ChannelId, Cheapest, Network, PathList, VertexId};
use ccsched_base::cores;
use ccsched_base::rng::{Rng, rng_of};
use rand::RngExt;
use std::ops::Range;

/// Rounds without a smaller largest load after which balancing ends.
const PATIENCE: u32 = 40;
/// Balancing of large networks ends after the round in which it has looked at this many channels.
const MOST_WORK: u64 = 70_000_000;
/// Work in the first round after which pairs of a destination choose their ways together,
/// `TOGETHER` at a time.
const MOST_APART: u64 = 200_000_000;
const TOGETHER: usize = 256;

/// States of walks to destinations that are looked up ahead.
const AHEAD: usize = 1 << 13;

/// The routes with the smallest largest load that was found while time was left, and this load.
///
/// # Errors
/// A flow without an allowed way.
pub(super) fn balance(
    network: &Network,
    ways: &Ways<'_>,
    flows: &[Flow],
    left: Left<'_>,
) -> Result<(PathList, u32), Flow> {
    let groups: Vec<&[Flow]> = by_destination(flows).collect();
    let some: Vec<&[&[Flow]]> = groups.chunks((AHEAD / ways.states()).max(1)).collect();
    let (mut hops, mut work) = (0, 0);
    for measured in cores::each(some.clone(), |groups| measure(ways, groups)) {
        let (of_some, states) = measured?;
        (hops, work) = (hops + of_some, work + states);
    }
    let mut balancing = Balancing {
        prices: Prices::new(network, hops),
        search: WaySearch::new(ways),
        routes: PathList::default(),
        rng: rng_of(0, 0, 0),
        work,
    };
    let (mut best, mut least, mut idle) = (PathList::default(), u32::MAX, 0);
    // The ways to the next destinations are looked up on another thread.
    let aims = |number: usize| {
        some[number].iter().map(|group| (*group, ways.aim(group[0].to))).collect::<Vec<_>>()
    };
    while idle < PATIENCE {
        let mut numbers = 0..flows.len();
        cores::ahead(some.len(), aims, |aims| {
            for (group, aim) in aims {
                balancing.work += aim.states();
                let no_time = left() <= 0.0;
                // Each flow has got its route.
                if no_time && !best.is_empty() {
                    return;
                }
                let is_late = no_time || best.is_empty() && balancing.looks() > MOST_APART;
                balancing.choose(group, &aim, &mut numbers, is_late);
            }
        });
        idle += 1;
        let largest = balancing.prices.loads.largest();
        let is_better = largest < least;
        least = least.min(largest);
        let is_last = least <= balancing.prices.loads.even()
            || balancing.looks() > MOST_WORK
            || left() <= 0.0;
        if is_better {
            // Copying millions of routes takes long.
            let routes = &mut balancing.routes;
            best = if is_last { std::mem::take(routes) } else { routes.clone() };
            idle = 0;
        }
        if is_last {
            break;
        }
        balancing.prices.follow();
    }
    Ok((best, least))
}

/// The routes so far, and what choosing them takes.
struct Balancing {
    prices: Prices,
    search: WaySearch,
    routes: PathList,
    rng: Rng,
    /// States that were looked up.
    work: u64,
}

impl Balancing {
    /// States and channels that were looked at.
    fn looks(&self) -> u64 {
        self.work + self.search.looks
    }

    /// The flows to one destination choose their routes, one after the other; if it is late, many together.
    fn choose(
        &mut self,
        group: &[Flow],
        aim: &Aim<'_, '_>,
        numbers: &mut Range<usize>,
        is_late: bool,
    ) {
        let Balancing { prices, search, routes, rng, .. } = self;
        for (place, (flow, number)) in group.iter().zip(numbers).enumerate() {
            let is_new = number == routes.len();
            if !is_new {
                let route = routes.path(number);
                route.iter().for_each(|&c| prices.remove(c, flow.messages));
            }
            let route = if is_late {
                if place.is_multiple_of(TOGETHER) {
                    search.search_all(aim, prices, rng);
                }
                search.way(aim, flow.from)
            } else {
                search.cheapest(aim, flow.from, prices, rng)
            };
            route.iter().for_each(|&c| prices.add(c, flow.messages));
            // All ways of a flow are as long.
            if is_new {
                routes.push(route);
            } else {
                routes.path_mut(number).copy_from_slice(route);
            }
        }
    }
}

/// The hops of all flows to some destinations together, and the states from which there are ways.
fn measure(ways: &Ways<'_>, groups: &[&[Flow]]) -> Result<(u64, u64), Flow> {
    let (mut hops, mut states) = (0, 0);
    for group in groups {
        let (distance, reached) = ways.distances(group[0].to);
        states += reached.len() as u64;
        for flow in *group {
            let of_each = ways.hops(flow.from, &distance).ok_or(*flow)?;
            hops += u64::from(of_each) * u64::from(flow.messages);
        }
    }
    Ok((hops, states))
}

// Prices that grow exponentially with the loads of links. Choosing the cheapest route for one pair after the other,
// again and again, moves messages away from the links of the largest load.

/// How sharply the price of a link grows with its load, relative to the level.
const SHARPNESS: f64 = 60.0;

/// The prices of all links, and their loads.
#[derive(Clone, Debug)]
struct Prices {
    loads: Loads,
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
    fn new(network: &Network, hops: u64) -> Self {
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
    fn follow(&mut self) {
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
    fn price(&self, c: ChannelId) -> f64 {
        self.price[self.loads.link(c)]
    }

    /// Adds messages to a channel.
    fn add(&mut self, c: ChannelId, messages: u32) {
        let link = self.loads.add(c, messages);
        self.price[link] = self.at(link);
    }

    /// Takes messages from a channel.
    fn remove(&mut self, c: ChannelId, messages: u32) {
        let link = self.loads.remove(c, messages);
        self.price[link] = self.at(link);
    }
}

// The shortest ways to one destination that go up first and then down. A state is a vertex and whether the walk has
// gone down.

/// The allowed ways of a network.
pub(super) struct Ways<'n> {
    network: &'n Network,
    /// By channel, whether it leads up.
    up: Vec<bool>,
}

/// The shortest allowed ways to one destination.
struct Aim<'w, 'n> {
    ways: &'w Ways<'n>,
    /// By state, the hops to the destination.
    distance: Vec<u32>,
    /// The channels to states nearer to the destination, and these states; those of one state after the other.
    nearer: Vec<(ChannelId, u32)>,
    /// By state, where its own begin.
    starts: Vec<u32>,
    /// The states from which there is a way, the nearest first.
    order: Vec<usize>,
}

/// Searches for cheap ways.
struct WaySearch {
    cheapest: Cheapest<f64>,
    /// The way that was found last.
    route: Vec<ChannelId>,
    /// By state, the price of a cheapest way to the destination, and its first channel with the state behind.
    found: Vec<(f64, (ChannelId, u32))>,
    /// Channels that searches have looked at.
    looks: u64,
}

impl<'n> Ways<'n> {
    /// The paths that go up first and then down.
    pub fn new(network: &'n Network, up: Vec<bool>) -> Self {
        Ways { network, up }
    }

    /// How many states there are.
    fn states(&self) -> usize {
        self.start(self.network.vertices().len() as VertexId)
    }

    /// The first state of a walk from a vertex.
    fn start(&self, v: VertexId) -> usize {
        2 * v as usize
    }

    fn vertex(&self, state: usize) -> VertexId {
        (state / 2) as VertexId
    }

    /// The state after a channel, if it may be taken.
    fn next(&self, state: usize, c: ChannelId) -> Option<usize> {
        let to = self.network.channel(c).to as usize;
        match self.up[c as usize] {
            true => state.is_multiple_of(2).then_some(2 * to),
            false => Some(2 * to + 1),
        }
    }

    /// The ways to a destination.
    fn aim(&self, to: VertexId) -> Aim<'_, 'n> {
        let (distance, order) = self.distances(to);
        let (nearer, starts) = self.lead(&distance);
        Aim { ways: self, distance, nearer, starts, order }
    }

    /// By state, the hops to a destination; and the states from which there is a way, the nearest first.
    fn distances(&self, to: VertexId) -> (Vec<u32>, Vec<usize>) {
        let mut distance = vec![UNREACHABLE; self.states()];
        let first = self.start(to);
        let mut queue = vec![first, first + 1];
        queue.iter().for_each(|&state| distance[state] = 0);
        let mut done = 0;
        while let Some(&state) = queue.get(done) {
            done += 1;
            let hops = distance[state] + 1;
            for &c in self.network.incoming(self.vertex(state)) {
                let from = self.start(self.network.channel(c).from);
                // A walk that has gone down does not go up again.
                let before = match self.up[c as usize] {
                    true => from..from + (state + 1) % 2,
                    false => from..from + 2 * (state % 2),
                };
                for state in before {
                    if distance[state] == UNREACHABLE {
                        distance[state] = hops;
                        queue.push(state);
                    }
                }
            }
        }
        (distance, queue)
    }

    /// Hops from a vertex to the destination of these distances; none if no way is allowed.
    fn hops(&self, from: VertexId, distance: &[u32]) -> Option<u32> {
        Some(distance[self.start(from)]).filter(|&hops| hops != UNREACHABLE)
    }

    /// The channels that lead nearer to the destination, and by state where its own begin.
    fn lead(&self, distance: &[u32]) -> (Vec<(ChannelId, u32)>, Vec<u32>) {
        let mut nearer = Vec::with_capacity(2 * distance.len());
        let mut starts = Vec::with_capacity(distance.len() + 1);
        for state in 0..distance.len() {
            starts.push(nearer.len() as u32);
            for &c in self.network.outgoing(self.vertex(state)) {
                let next = self.next(state, c);
                let is_nearer = |n: &usize| distance[*n].checked_add(1) == Some(distance[state]);
                nearer.extend(next.filter(is_nearer).map(|next| (c, next as u32)));
            }
        }
        starts.push(nearer.len() as u32);
        (nearer, starts)
    }
}

impl Aim<'_, '_> {
    /// The channels to nearer states, and these.
    fn nearer(&self, state: usize) -> &[(ChannelId, u32)] {
        &self.nearer[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    /// The number of states from which there is a way.
    fn states(&self) -> u64 {
        self.order.len() as u64
    }
}

impl WaySearch {
    /// No search yet.
    fn new(ways: &Ways<'_>) -> Self {
        let found = vec![Default::default(); ways.states()];
        WaySearch { cheapest: Cheapest::default(), route: Vec::new(), found, looks: 0 }
    }

    /// The cheapest of the shortest ways from a vertex, of which there must be one; any of equal
    /// ones.
    fn cheapest(
        &mut self,
        aim: &Aim<'_, '_>,
        from: VertexId,
        prices: &Prices,
        rng: &mut Rng,
    ) -> &[ChannelId] {
        let ways = aim.ways;
        let start = ways.start(from) as u32;
        let looks = &mut self.looks;
        let nearer = |state: u32| {
            if aim.distance[state as usize] > 0 {
                *looks += ways.network.outgoing(ways.vertex(state as usize)).len() as u64;
            }
            aim.nearer(state as usize).iter().map(|&(c, next)| (c, next, prices.price(c)))
        };
        self.cheapest.search((start, ways.states()), nearer, |_| rng.random());
        let ends = self.cheapest.reached().iter().filter(|&&s| aim.distance[s as usize] == 0);
        let price = |state: &u32| self.cheapest.price(*state);
        let end = ends.copied().min_by(|a, b| price(a).total_cmp(&price(b)));
        self.route.clear();
        self.route.extend(self.cheapest.back(end.unwrap_or(start)));
        self.route.reverse();
        &self.route
    }

    /// A cheapest of the shortest ways from every state, found for all of them together, backwards. The next channel and
    /// state of each.
    fn search_all(&mut self, aim: &Aim<'_, '_>, prices: &Prices, rng: &mut Rng) {
        for &state in &aim.order {
            self.looks += aim.nearer(state).len() as u64;
            let mut best: Option<(f64, (ChannelId, u32))> = None;
            for &(c, next) in aim.nearer(state) {
                let price = prices.price(c) + self.found[next as usize].0;
                if best.is_none_or(|(least, _)| price < least || price == least && rng.random()) {
                    best = Some((price, (c, next)));
                }
            }
            self.found[state] = best.unwrap_or_default();
        }
    }

    /// The way from a vertex that was found together with all others.
    fn way(&mut self, aim: &Aim<'_, '_>, from: VertexId) -> &[ChannelId] {
        let mut state = aim.ways.start(from);
        self.route.clear();
        while aim.distance[state] > 0 {
            let (c, next) = self.found[state].1;
            self.route.push(c);
            state = next as usize;
        }
        &self.route
    }
}
