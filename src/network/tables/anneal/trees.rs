//! Tables by destination: the next channel depends on the vertex and the destination alone, so that the routes to a
//! destination form a tree. A move changes one entry, half of the time one whose messages pass a link above the
//! target, there or some hops before. Only the flows on the two ways up to where they meet change.

use super::super::walks::NONE;
use super::super::{Flow, by_destination};
use super::{Core, Moves, Pressure, Ways};
use crate::{ChannelId, PathList, VertexId};
use ccsched_base::rng::Rng;
use rand::RngExt;
use std::collections::HashMap;
use std::sync::Arc;

/// Rounds in which every tree is built anew before entries are changed.
const ROUNDS: u32 = 2;
/// Entries up to which single ones are changed, and the ways of all destinations kept.
const MOST: usize = 1 << 22;

/// What does not change.
#[derive(Default)]
struct Fixed {
    /// By destination: the ways to it; nothing if they are too many to be kept.
    ways: Vec<Arc<Ways>>,
    /// By channel: the numbers of its ends.
    from: Vec<u32>,
    to: Vec<u32>,
    /// By number: the channels that lead there.
    into: Vec<Vec<ChannelId>>,
}

/// The trees of all destinations.
#[derive(Clone)]
pub(in super::super) struct Trees {
    fixed: Arc<Fixed>,
    /// Vertices of a tree.
    width: usize,
    /// By destination and vertex: the next channel, and the messages that come through.
    next: Vec<ChannelId>,
    through: Vec<u32>,
    /// By channel, the destinations that use it; by entry, its place there.
    users: Vec<Vec<u32>>,
    place: Vec<u32>,
    pressure: Pressure,
    /// The channels of the last change, hop by hop: before and after.
    changed: Vec<[ChannelId; 2]>,
}

impl Trees {
    /// Trees that are built one after the other.
    pub fn built(core: &Core<'_>, flows: &[Flow], target: u32) -> Self {
        let network = core.network;
        let mut pressure = Pressure::new(network, target);
        let groups: Vec<&[Flow]> = by_destination(flows).collect();
        let width = core.len();
        let mut through = vec![0; groups.len() * width];
        for (group, through) in groups.iter().zip(through.chunks_mut(width)) {
            for flow in *group {
                through[core.number[flow.from as usize] as usize] += flow.messages;
                let [first, last] = [flow.from, flow.to].map(|v| core.link[v as usize]);
                let ends = first.map(|link| link[0]).into_iter().chain(last.map(|link| link[1]));
                ends.for_each(|c| pressure.add(c, flow.messages));
            }
        }
        let number = |v: VertexId| core.number[v as usize];
        let from = network.channels().iter().map(|c| number(c.from)).collect();
        let to = network.channels().iter().map(|c| number(c.to)).collect();
        let is_inner = |c: &ChannelId| core.link[network.channel(*c).from as usize].is_none();
        let into = |&v| network.incoming(v).iter().copied().filter(is_inner).collect();
        let mut fixed =
            Fixed { ways: vec![], from, to, into: core.vertices.iter().map(into).collect() };
        let mut trees = Trees {
            fixed: Arc::default(),
            width,
            next: vec![NONE; through.len()],
            place: Vec::new(),
            through,
            users: Vec::new(),
            pressure,
            changed: Vec::new(),
        };
        let is_small = trees.next.len() <= MOST;
        let mut kept: HashMap<u32, Arc<Ways>> = HashMap::new();
        let mut ways_to = |group: &[Flow]| {
            let end = number(group[0].to);
            let known = kept.get(&end).cloned();
            let ways = known.unwrap_or_else(|| Arc::new(core.ways(end)));
            is_small.then(|| kept.insert(end, ways.clone()));
            ways
        };
        let mut rest = vec![0.0; width];
        for _ in 0..ROUNDS {
            for (tree, group) in groups.iter().enumerate() {
                trees.build(tree, &ways_to(group), &fixed.to, &mut rest);
            }
        }
        if is_small {
            fixed.ways = groups.into_iter().map(ways_to).collect();
            trees.users = vec![Vec::new(); network.channels().len()];
            trees.list();
        }
        trees.fixed = Arc::new(fixed);
        trees
    }

    /// Builds a tree anew at the prices of the loads: every vertex, the farthest first, chooses its next channel for
    /// all messages that come through.
    fn build(&mut self, tree: usize, ways: &Ways, ends: &[u32], rest: &mut [f64]) {
        let at = |v: u32| tree * self.width + v as usize;
        let (next, through) = (&mut self.next, &mut self.through);
        rest.fill(0.0);
        // Nearest first: a vertex has all that comes through until the one behind it has lost it.
        for &v in &ways.order {
            let c = next[at(v)];
            if c != NONE {
                self.pressure.remove(c, through[at(v)]);
                through[at(ends[c as usize])] -= through[at(v)];
            }
            let prices =
                ways.of(v).iter().map(|&(c, to)| self.pressure.rise(c, 1.0) + rest[to as usize]);
            rest[v as usize] = prices.fold(f64::INFINITY, f64::min);
        }
        for &v in ways.order.iter().rev() {
            let messages = through[at(v)];
            let mut best = (f64::INFINITY, NONE, 0);
            for &(c, to) in ways.of(v) {
                let price = self.pressure.rise(c, f64::from(messages))
                    + rest[to as usize] * f64::from(messages);
                if best.1 == NONE || price < best.0 {
                    best = (price, c, to);
                }
            }
            let (_, c, to) = best;
            next[at(v)] = c;
            self.pressure.add(c, messages);
            through[at(to)] += messages;
        }
    }

    /// Whether single entries may be changed.
    pub fn may_move(&self) -> bool {
        !self.users.is_empty()
    }

    /// Lists the users of channels.
    fn list(&mut self) {
        self.place = vec![0; self.next.len()];
        for (entry, &c) in self.next.iter().enumerate().filter(|(_, c)| **c != NONE) {
            let users = &mut self.users[c as usize];
            self.place[entry] = users.len() as u32;
            users.push((entry / self.width) as u32);
        }
    }

    /// Changes an entry in the table alone.
    fn point(&mut self, entry: usize, c: ChannelId) {
        let (tree, old) = ((entry / self.width) as u32, self.next[entry]);
        let (users, place) = (&mut self.users[old as usize], self.place[entry]);
        users.swap_remove(place as usize);
        if let Some(&moved) = users.get(place as usize) {
            let vertex = self.fixed.from[old as usize] as usize;
            self.place[moved as usize * self.width + vertex] = place;
        }
        self.place[entry] = self.users[c as usize].len() as u32;
        self.users[c as usize].push(tree);
        self.next[entry] = c;
    }

    /// A vertex some hops before another in a tree, if it has a choice.
    fn before(&self, tree: usize, c: ChannelId, rng: &mut Rng) -> Option<u32> {
        let fixed = &*self.fixed;
        let (mut c, ways) = (c, &fixed.ways[tree]);
        loop {
            let v = fixed.from[c as usize];
            let has_choice = ways.of(v).len() > 1;
            if has_choice && rng.random() {
                return Some(v);
            }
            let before = &fixed.into[v as usize];
            let first = rng.random_range(0..before.len().max(1));
            let comes = |&&b: &&ChannelId| {
                let entry = tree * self.width + fixed.from[b as usize] as usize;
                self.next[entry] == b && self.through[entry] > 0
            };
            match before[first..].iter().find(comes).or_else(|| before[..first].iter().find(comes))
            {
                Some(&b) => c = b,
                None => return has_choice.then_some(v),
            }
        }
    }

    /// The routes of all flows.
    pub fn routes(&self, core: &Core<'_>, flows: &[Flow]) -> PathList {
        core.routes(flows, &self.next)
    }
}

impl Moves for Trees {
    fn propose(&mut self, temperature: f64, rng: &mut Rng) {
        let over = self.pressure.over();
        let (tree, v) = if !over.is_empty() && rng.random() {
            let c = self.pressure.pick(rng);
            let users = &self.users[c as usize];
            if users.is_empty() {
                return;
            }
            let tree = users[rng.random_range(0..users.len())] as usize;
            let Some(v) = self.before(tree, c, rng) else { return };
            (tree, v)
        } else {
            let entry = rng.random_range(0..self.next.len());
            (entry / self.width, (entry % self.width) as u32)
        };
        let Trees { fixed, width, next, through, pressure, changed, .. } = self;
        let ways = fixed.ways[tree].of(v);
        if ways.len() < 2 {
            return;
        }
        let entry = |v: u32| tree * *width + v as usize;
        let (new, _) = ways[rng.random_range(0..ways.len())];
        let (old, messages) = (next[entry(v)], through[entry(v)]);
        if new == old {
            return;
        }
        changed.clear();
        let (mut both, mut cost, by) = ([old, new], 0.0, f64::from(messages));
        loop {
            cost += pressure.rise(both[0], -by) + pressure.rise(both[1], by);
            changed.push(both);
            let [left, right] = both.map(|c| fixed.to[c as usize]);
            if left == right {
                break;
            }
            both = [left, right].map(|v| next[entry(v)]);
        }
        if cost > 0.0 && rng.random::<f64>() >= libm::exp(-cost / temperature) {
            return;
        }
        for (hop, &[fall, rise]) in changed.iter().enumerate() {
            pressure.remove(fall, messages);
            pressure.add(rise, messages);
            if hop > 0 {
                through[entry(fixed.from[fall as usize])] -= messages;
                through[entry(fixed.from[rise as usize])] += messages;
            }
        }
        let entry = entry(v);
        self.point(entry, new);
    }

    fn entries(&self) -> usize {
        self.next.len()
    }

    fn pressure(&self) -> &Pressure {
        &self.pressure
    }

    fn aim(&mut self, target: u32) {
        self.pressure.aim(target);
    }

    fn heat(&self) -> f64 {
        let inner = self.through.iter().zip(&self.next).filter(|(t, c)| **t > 0 && **c != NONE);
        let (mut sum, mut count) = (0.0, 0.0);
        inner.for_each(|(&t, _)| (sum, count) = (sum + f64::from(t) * f64::from(t), count + 1.0));
        sum / f64::max(count, 1.0)
    }
}
