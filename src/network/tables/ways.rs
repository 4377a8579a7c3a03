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
    /// By state: the price of the cheapest way found, its last channel and state, and the search
    /// that found it.
    cost: Vec<f64>,
    last: Vec<(ChannelId, usize)>,
    mark: Vec<u32>,
    searches: u32,
    /// States and channels that searches have looked at.
    pub work: u64,
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
            cost: vec![0.0; states],
            last: vec![(0, 0); states],
            mark: vec![0; states],
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
        self.mark[start] = self.searches;
        self.cost[start] = 0.0;
        let mut end: Option<usize> = None;
        let mut done = 0;
        while let Some(&state) = self.queue.get(done) {
            done += 1;
            if self.distance[state] == 0 {
                if end.is_none_or(|end| self.cost[state] < self.cost[end]) {
                    end = Some(state);
                }
                continue;
            }
            for &c in self.network.outgoing(self.vertex(state)) {
                self.work += 1;
                let Some(next) = self.next(state, c) else { continue };
                if self.distance[next].checked_add(1) != Some(self.distance[state]) {
                    continue;
                }
                let cost = self.cost[state] + loads.price(c);
                let is_first = self.mark[next] != self.searches;
                if is_first {
                    self.mark[next] = self.searches;
                    self.queue.push(next);
                }
                if is_first || cost < self.cost[next] || cost == self.cost[next] && rng.random() {
                    (self.cost[next], self.last[next]) = (cost, (c, state));
                }
            }
        }
        let mut route = Vec::new();
        let mut state = end.unwrap_or(start);
        while state != start {
            let (c, before) = self.last[state];
            route.push(c);
            state = before;
        }
        route.reverse();
        route
    }
}
