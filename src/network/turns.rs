//! Turns: which channel routes take after which, and whether the used ones close a cycle. Without a cycle wormhole
//! switching has no deadlock.

use super::{ChannelId, Network, VertexId};

/// Routes between two looks at the time.
const LOOK: usize = 1024;

/// How often each turn is used.
#[derive(Clone, Debug)]
pub struct Turns {
    /// By channel: the first of its turns, and its place among the channels that begin where it does.
    first: Vec<u32>,
    place: Vec<u32>,
    /// By turn: the channel after it, and how often it is used.
    next: Vec<ChannelId>,
    used: Vec<u32>,
    /// The place of each channel in an order in which used turns lead to later ones, and the order.
    rank: Vec<u32>,
    order: Vec<ChannelId>,
    /// By channel, the search that has reached it last.
    reached: Vec<u32>,
    searches: u32,
    stack: Vec<ChannelId>,
}

impl Turns {
    /// No turn is used.
    pub fn new(network: &Network) -> Self {
        let channels = network.channels();
        let mut place = vec![0; channels.len()];
        for v in 0..network.vertices().len() as VertexId {
            (0..).zip(network.outgoing(v)).for_each(|(at, &c)| place[c as usize] = at);
        }
        let (mut first, mut next) = (Vec::with_capacity(channels.len() + 1), Vec::new());
        for c in channels {
            first.push(next.len() as u32);
            next.extend_from_slice(network.outgoing(c.to));
        }
        first.push(next.len() as u32);
        let (used, reached) = (vec![0; next.len()], vec![0; channels.len()]);
        let order: Vec<ChannelId> = (0..channels.len() as ChannelId).collect();
        let (rank, stack) = (order.clone(), Vec::new());
        Turns { first, place, next, used, rank, order, reached, searches: 0, stack }
    }

    /// The number of a turn.
    #[inline]
    pub fn number(&self, from: ChannelId, to: ChannelId) -> usize {
        (self.first[from as usize] + self.place[to as usize]) as usize
    }

    /// How often a turn is used.
    pub fn used(&self, turn: usize) -> u32 {
        self.used[turn]
    }

    /// Uses a turn once more, unless that would close a cycle of used turns.
    pub fn add(&mut self, from: ChannelId, to: ChannelId) -> bool {
        let turn = self.number(from, to);
        let is_late = self.rank[from as usize] >= self.rank[to as usize];
        if self.used[turn] == 0 && is_late {
            if self.leads(to, from) {
                return false;
            }
            self.put_behind(to, from);
        }
        self.used[turn] += 1;
        true
    }

    /// Uses a turn once less.
    #[inline]
    pub fn remove(&mut self, from: ChannelId, to: ChannelId) {
        let turn = self.number(from, to);
        self.used[turn] -= 1;
    }

    /// Puts a channel, and those that used turns lead to from there, behind a later one: what the last search has
    /// reached. (Marchetti-Spaccamela, Nanni, Rohnert: Maintaining a topological order under edge insertions, 1996.)
    fn put_behind(&mut self, from: ChannelId, to: ChannelId) {
        let (first, last) = (self.rank[from as usize], self.rank[to as usize]);
        self.stack.clear();
        let mut place = first;
        for i in first..=last {
            let c = self.order[i as usize];
            if self.reached[c as usize] == self.searches {
                self.stack.push(c);
            } else {
                self.order[place as usize] = c;
                place += 1;
            }
        }
        self.order[place as usize..=last as usize].copy_from_slice(&self.stack);
        for i in first..=last {
            self.rank[self.order[i as usize] as usize] = i;
        }
    }

    /// Whether used turns lead from one channel to a later one.
    fn leads(&mut self, from: ChannelId, to: ChannelId) -> bool {
        self.searches = self.searches.wrapping_add(1);
        if self.searches == 0 {
            self.reached.fill(0);
            self.searches = 1;
        }
        self.stack.clear();
        self.stack.push(from);
        self.reached[from as usize] = self.searches;
        while let Some(c) = self.stack.pop() {
            if c == to {
                return true;
            }
            for turn in self.first[c as usize]..self.first[c as usize + 1] {
                let next = self.next[turn as usize];
                let is_before = self.rank[next as usize] <= self.rank[to as usize];
                let is_new = is_before && self.reached[next as usize] != self.searches;
                if is_new && self.used[turn as usize] > 0 {
                    self.reached[next as usize] = self.searches;
                    self.stack.push(next);
                }
            }
        }
        false
    }
}

/// The layers of routes by first fit: each gets the lowest in which the turns of all routes close no cycle. With a virtual
/// channel a layer, messages never wait for each other in a circle. None if time is over before.
pub fn layers<'r>(
    network: &Network,
    routes: impl IntoIterator<Item = &'r [ChannelId]>,
    is_over: impl Fn() -> bool,
) -> Option<Vec<u32>> {
    let mut layers: Vec<Layer> = Vec::new();
    let mut place = |route: &[ChannelId]| {
        let found = layers.iter_mut().position(|layer| layer.takes(route));
        found.unwrap_or_else(|| {
            let mut layer = Layer::new(network);
            // Turns of one simple path close no cycle.
            layer.takes(route);
            layers.push(layer);
            layers.len() - 1
        }) as u32
    };
    let late = |number: usize| number.is_multiple_of(LOOK) && is_over();
    routes.into_iter().enumerate().map(|(number, r)| (!late(number)).then(|| place(r))).collect()
}

/// The turns of the routes of a layer.
struct Layer {
    turns: Turns,
    /// By turn, whether it would close a cycle.
    is_closed: Vec<bool>,
}

impl Layer {
    fn new(network: &Network) -> Self {
        let turns = Turns::new(network);
        Layer { is_closed: vec![false; turns.next.len()], turns }
    }

    /// Adds a route, unless it would close a cycle.
    fn takes(&mut self, route: &[ChannelId]) -> bool {
        let Layer { turns, is_closed } = self;
        if route.windows(2).any(|two| is_closed[turns.number(two[0], two[1])]) {
            return false;
        }
        for (done, two) in route.windows(2).enumerate() {
            if !turns.add(two[0], two[1]) {
                for two in route.windows(2).take(done) {
                    turns.remove(two[0], two[1]);
                }
                // Without new turns before it, it closes a cycle whatever is added.
                let before = route.windows(2).take(done);
                let mut others = before.map(|two| turns.used(turns.number(two[0], two[1])));
                if others.all(|used| used > 0) {
                    is_closed[turns.number(two[0], two[1])] = true;
                }
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;
    use ccsched_base::rng::rng_of;
    use rand::RngExt;

    #[test]
    fn a_ring_needs_a_second_layer_and_no_third() {
        let ring = spec::parse("ring:6,simplex").unwrap();
        let next = |at: u32| ring.outgoing(at)[0];
        let route = |from: u32| (0..3).map(|i| next((from + i) % 6)).collect::<Vec<_>>();
        let routes: Vec<Vec<ChannelId>> = (0..6).map(route).collect();
        let found = |is_over| layers(&ring, routes.iter().map(Vec::as_slice), || is_over);
        assert_eq!(found(false), Some(vec![0, 0, 0, 0, 1, 1]));
        assert_eq!(found(true), None);
    }

    #[test]
    fn turns_that_are_used_no_more_close_no_cycle() {
        let ring = spec::parse("ring:3,simplex").unwrap();
        let mut turns = Turns::new(&ring);
        let c: Vec<ChannelId> = (0..3).map(|v| ring.outgoing(v)[0]).collect();
        assert!(turns.add(c[0], c[1]) && turns.add(c[1], c[2]) && turns.add(c[1], c[2]));
        assert!(!turns.add(c[2], c[0]));
        turns.remove(c[0], c[1]);
        assert!(turns.add(c[2], c[0]) && !turns.add(c[0], c[1]));
    }

    /// Whether used turns close a cycle: a channel that no turn leads to is removed until none is left.
    fn has_cycle(turns: &Turns) -> bool {
        let next = |c: usize| {
            let of = turns.first[c] as usize..turns.first[c + 1] as usize;
            of.filter(|&turn| turns.used[turn] > 0).map(|turn| turns.next[turn] as usize)
        };
        let mut left: Vec<bool> = vec![true; turns.rank.len()];
        loop {
            let mut entered = vec![false; left.len()];
            (0..left.len()).filter(|&c| left[c]).flat_map(next).for_each(|c| entered[c] = true);
            let gone: Vec<usize> = (0..left.len()).filter(|&c| left[c] && !entered[c]).collect();
            if gone.is_empty() {
                return left.contains(&true);
            }
            gone.iter().for_each(|&c| left[c] = false);
        }
    }

    #[test]
    fn a_turn_is_refused_if_it_would_close_a_cycle_and_only_then() {
        let (network, mut rng) = (spec::parse("petersen").unwrap(), rng_of(1, 0, 0));
        let mut turns = Turns::new(&network);
        let mut refused = 0;
        for _ in 0..2_000 {
            let from = rng.random_range(0..network.channels().len()) as ChannelId;
            let after = network.outgoing(network.channel(from).to);
            let to = after[rng.random_range(0..after.len())];
            let turn = turns.number(from, to);
            if turns.used(turn) > 0 && rng.random() {
                turns.remove(from, to);
            } else if !turns.add(from, to) {
                refused += 1;
                turns.used[turn] += 1;
                assert!(has_cycle(&turns));
                turns.used[turn] -= 1;
            }
            assert!(!has_cycle(&turns));
        }
        assert!(refused > 100, "{refused}");
    }
}
