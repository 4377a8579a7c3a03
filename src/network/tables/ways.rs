//! The shortest allowed ways to one destination. Without phases a state is a vertex. With phases a
//! walk goes up first and then down, and a state is a vertex and whether the walk has gone down.

use super::loads::Loads;
use crate::network::metrics::UNREACHABLE;
use crate::network::{ChannelId, Network, VertexId};
use crate::rng::Rng;
use rand::RngExt;

/// The allowed ways of a network, and the distances of all states to one destination.
pub(super) struct Ways<'n> {
    network: &'n Network,
    /// By channel, whether it leads up; none if walks have no phases.
    up: Option<Vec<bool>>,
    /// By state, the hops to the destination.
    distance: Vec<u32>,
    queue: Vec<usize>,
    /// The channels to states nearer to the destination, and these states; those of one state after the other.
    nearer: Vec<(ChannelId, u32)>,
    /// By state, where its own begin.
    starts: Vec<u32>,
    /// By state, the cheapest way found there.
    found: Vec<Way>,
    searches: u32,
    /// States and channels that searches have looked at.
    pub work: u64,
}

/// A way to a state.
#[derive(Clone, Copy, Default)]
struct Way {
    price: f64,
    /// The search that found it.
    search: u32,
    /// Its last channel and the state before that.
    last: (ChannelId, u32),
}

impl<'n> Ways<'n> {
    /// All shortest paths, or those that go up first and then down.
    pub fn new(network: &'n Network, up: Option<Vec<bool>>) -> Self {
        let states = network.vertices().len() * if up.is_some() { 2 } else { 1 };
        Ways {
            network,
            up,
            distance: vec![UNREACHABLE; states],
            queue: Vec::new(),
            nearer: Vec::new(),
            starts: Vec::new(),
            found: vec![Way::default(); states],
            searches: 0,
            work: 0,
        }
    }

    /// The first state of a walk from a vertex.
    fn start(&self, v: VertexId) -> usize {
        v as usize * if self.up.is_some() { 2 } else { 1 }
    }

    fn vertex(&self, state: usize) -> VertexId {
        (if self.up.is_some() { state / 2 } else { state }) as VertexId
    }

    /// The state after a channel, if it may be taken.
    fn next(&self, state: usize, c: ChannelId) -> Option<usize> {
        let to = self.network.channel(c).to as usize;
        match &self.up {
            None => Some(to),
            Some(up) if up[c as usize] => state.is_multiple_of(2).then_some(2 * to),
            Some(_) => Some(2 * to + 1),
        }
    }

    /// Measures the distances to a destination.
    pub fn aim(&mut self, to: VertexId) {
        self.distance.fill(UNREACHABLE);
        self.queue.clear();
        let first = self.start(to);
        self.queue.push(first);
        self.queue.extend(self.up.is_some().then_some(first + 1));
        self.queue.iter().for_each(|&state| self.distance[state] = 0);
        let mut done = 0;
        while let Some(&state) = self.queue.get(done) {
            done += 1;
            let hops = self.distance[state] + 1;
            for &c in self.network.incoming(self.vertex(state)) {
                let from = self.start(self.network.channel(c).from);
                // A walk that has gone down does not go up again.
                let before = match &self.up {
                    None => from..from + 1,
                    Some(up) if up[c as usize] => from..from + (state + 1) % 2,
                    Some(_) => from..from + 2 * (state % 2),
                };
                for state in before {
                    if self.distance[state] == UNREACHABLE {
                        self.distance[state] = hops;
                        self.queue.push(state);
                    }
                }
            }
        }
        self.work += done as u64;
        self.lead();
    }

    /// Lists the channels that lead nearer to the destination.
    fn lead(&mut self) {
        self.nearer.clear();
        self.starts.clear();
        for state in 0..self.distance.len() {
            self.starts.push(self.nearer.len() as u32);
            for &c in self.network.outgoing(self.vertex(state)) {
                let next = self.next(state, c);
                let is_nearer =
                    |n: &usize| self.distance[*n].checked_add(1) == Some(self.distance[state]);
                self.nearer.extend(next.filter(is_nearer).map(|next| (c, next as u32)));
            }
        }
        self.starts.push(self.nearer.len() as u32);
    }

    /// Hops from a vertex to the destination; none if no way is allowed.
    pub fn hops(&self, from: VertexId) -> Option<u32> {
        Some(self.distance[self.start(from)]).filter(|&hops| hops != UNREACHABLE)
    }

    /// The cheapest of the shortest ways from a vertex, of which there must be one; any of equal
    /// ones.
    pub fn cheapest(&mut self, from: VertexId, loads: &Loads, rng: &mut Rng) -> Vec<ChannelId> {
        self.searches += 1;
        let start = self.start(from);
        self.queue.clear();
        self.queue.push(start);
        let search = self.searches;
        self.found[start] = Way { price: 0.0, search, last: (0, 0) };
        let mut end: Option<usize> = None;
        let mut done = 0;
        while let Some(&state) = self.queue.get(done) {
            done += 1;
            let price = self.found[state].price;
            if self.distance[state] == 0 {
                if end.is_none_or(|end| price < self.found[end].price) {
                    end = Some(state);
                }
                continue;
            }
            self.work += self.network.outgoing(self.vertex(state)).len() as u64;
            let own = self.starts[state] as usize..self.starts[state + 1] as usize;
            for &(c, next) in &self.nearer[own] {
                let price = price + loads.price(c);
                let found = &mut self.found[next as usize];
                let is_first = found.search != search;
                if is_first {
                    self.queue.push(next as usize);
                }
                if is_first || price < found.price || price == found.price && rng.random() {
                    *found = Way { price, search, last: (c, state as u32) };
                }
            }
        }
        let mut route = Vec::new();
        let mut state = end.unwrap_or(start);
        while state != start {
            let (c, before) = self.found[state].last;
            route.push(c);
            state = before as usize;
        }
        route.reverse();
        route
    }
}
