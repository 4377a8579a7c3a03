//! The shortest ways to one destination that go up first and then down. A state is a vertex and whether the walk has
//! gone down.

use super::prices::Prices;
use crate::metrics::UNREACHABLE;
use crate::{ChannelId, Cheapest, Network, VertexId};
use ccsched_base::rng::Rng;
use rand::RngExt;

/// The allowed ways of a network.
pub(super) struct Ways<'n> {
    network: &'n Network,
    /// By channel, whether it leads up.
    up: Vec<bool>,
}

/// The shortest allowed ways to one destination.
pub(super) struct Aim<'w, 'n> {
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
pub(super) struct Search {
    cheapest: Cheapest<f64>,
    /// The way that was found last.
    route: Vec<ChannelId>,
    /// By state, the price of a cheapest way to the destination, and its first channel with the state behind.
    found: Vec<(f64, (ChannelId, u32))>,
    /// Channels that searches have looked at.
    pub looks: u64,
}

impl<'n> Ways<'n> {
    /// The paths that go up first and then down.
    pub fn new(network: &'n Network, up: Vec<bool>) -> Self {
        Ways { network, up }
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
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
    pub fn aim(&self, to: VertexId) -> Aim<'_, 'n> {
        let (distance, order) = self.distances(to);
        let (nearer, starts) = self.lead(&distance);
        Aim { ways: self, distance, nearer, starts, order }
    }

    /// By state, the hops to a destination; and the states from which there is a way, the nearest first.
    pub fn distances(&self, to: VertexId) -> (Vec<u32>, Vec<usize>) {
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
    pub fn hops(&self, from: VertexId, distance: &[u32]) -> Option<u32> {
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
    pub fn states(&self) -> u64 {
        self.order.len() as u64
    }
}

impl Search {
    /// No search yet.
    pub fn new(ways: &Ways<'_>) -> Self {
        let found = vec![Default::default(); ways.states()];
        Search { cheapest: Cheapest::default(), route: Vec::new(), found, looks: 0 }
    }

    /// The cheapest of the shortest ways from a vertex, of which there must be one; any of equal
    /// ones.
    pub fn cheapest(
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
    pub fn search_all(&mut self, aim: &Aim<'_, '_>, prices: &Prices, rng: &mut Rng) {
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
    pub fn way(&mut self, aim: &Aim<'_, '_>, from: VertexId) -> &[ChannelId] {
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
