//! A path for each pair. A move leaves the path of one pair at a vertex, half of the time at or before a link above the
//! target, and goes on at random until it meets the path again.

use super::super::Flow;
use super::{Core, Moves, Pressure, Ways};
use crate::{ChannelId, PathList};
use ccsched_base::rng::Rng;
use rand::RngExt;
use std::collections::HashMap;
use std::sync::Arc;

/// Hops of all paths together up to which paths are changed.
const MOST: usize = 1 << 22;

/// What does not change.
struct Fixed {
    /// By flow: the ways to its end, where its hops begin, and its messages. After the last, where hops end.
    ways: Vec<Arc<Ways>>,
    starts: Vec<u32>,
    messages: Vec<u32>,
    /// By hop, its flow.
    flow: Vec<u32>,
    /// By channel: the numbers of its ends.
    ends: Vec<[u32; 2]>,
}

/// The paths of all flows, without the links of terminals that have but one.
#[derive(Clone)]
pub(in super::super) struct Pairs {
    fixed: Arc<Fixed>,
    /// By hop, its channel, and its place among the users of that.
    hops: Vec<ChannelId>,
    place: Vec<u32>,
    /// By channel, the hops over it.
    users: Vec<Vec<u32>>,
    pressure: Pressure,
    /// The channels of a new way.
    new: Vec<ChannelId>,
}

impl Pairs {
    /// The paths of a table; none if they are too many.
    pub fn of(core: &Core<'_>, flows: &[Flow], table: &PathList, target: u32) -> Option<Self> {
        if table.iter().map(<[ChannelId]>::len).sum::<usize>() > MOST {
            return None;
        }
        let network = core.network;
        let mut pressure = Pressure::new(network, target);
        let number = |v| core.number[v as usize];
        let ends = network.channels().iter().map(|c| [number(c.from), number(c.to)]).collect();
        let (mut ways, mut starts, mut flow) = (Vec::new(), vec![0], Vec::new());
        let (mut hops, mut kept): (Vec<ChannelId>, HashMap<u32, Arc<Ways>>) = Default::default();
        for (id, (f, path)) in flows.iter().zip(table.iter()).enumerate() {
            path.iter().for_each(|&c| pressure.add(c, f.messages));
            hops.extend(inner(core, f, path));
            starts.push(hops.len() as u32);
            flow.resize(hops.len(), id as u32);
            let made = || Arc::new(core.ways(number(f.to)));
            ways.push(kept.entry(number(f.to)).or_insert_with(made).clone());
        }
        let messages = flows.iter().map(|f| f.messages).collect();
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); network.channels().len()];
        let mut place = Vec::with_capacity(hops.len());
        for (hop, &c) in hops.iter().enumerate() {
            place.push(users[c as usize].len() as u32);
            users[c as usize].push(hop as u32);
        }
        let fixed = Arc::new(Fixed { ways, starts, messages, flow, ends });
        Some(Pairs { fixed, hops, place, users, pressure, new: Vec::new() })
    }

    /// The paths with the links of all terminals.
    pub fn routes(&self, core: &Core<'_>, flows: &[Flow]) -> PathList {
        let mut found = PathList::default();
        for (f, bounds) in flows.iter().zip(self.fixed.starts.windows(2)) {
            let [first, last] = [f.from, f.to].map(|v| core.link[v as usize]);
            let inner = &self.hops[bounds[0] as usize..bounds[1] as usize];
            let all = first.map(|link| link[0]).into_iter().chain(inner.iter().copied());
            let place = found.lay(all.chain(last.map(|link| link[1])));
            found.push_part(place);
        }
        found
    }

    /// Moves a hop to another channel.
    fn put(&mut self, hop: usize, c: ChannelId) {
        let (old, place) = (self.hops[hop], self.place[hop]);
        let users = &mut self.users[old as usize];
        users.swap_remove(place as usize);
        if let Some(&moved) = users.get(place as usize) {
            self.place[moved as usize] = place;
        }
        self.place[hop] = self.users[c as usize].len() as u32;
        self.users[c as usize].push(hop as u32);
        self.hops[hop] = c;
    }
}

/// The part of a path between vertices of the core.
fn inner<'p>(core: &Core<'_>, flow: &Flow, path: &'p [ChannelId]) -> &'p [ChannelId] {
    let [first, last] = [flow.from, flow.to].map(|v| usize::from(core.link[v as usize].is_some()));
    &path[first..path.len() - last]
}

impl Moves for Pairs {
    fn propose(&mut self, temperature: f64, rng: &mut Rng) {
        let hop = if !self.pressure.over().is_empty() && rng.random() {
            let users = &self.users[self.pressure.pick(rng) as usize];
            if users.is_empty() {
                return;
            }
            users[rng.random_range(0..users.len())] as usize
        } else {
            rng.random_range(0..self.hops.len())
        };
        let Pairs { fixed, hops, pressure, new, .. } = self;
        let flow = fixed.flow[hop] as usize;
        let (ways, start) = (&fixed.ways[flow], fixed.starts[flow] as usize);
        let at = |hop: usize| fixed.ends[hops[hop] as usize][0];
        // Back by some hops, and on to a vertex with a choice.
        let mut first = hop;
        while first > start && (rng.random() || ways.of(at(first)).len() < 2) {
            first -= 1;
        }
        let (messages, mut v) = (fixed.messages[flow], at(first));
        let by = f64::from(messages);
        let (mut cost, mut hop) = (0.0, first);
        new.clear();
        loop {
            let choices = ways.of(v);
            let (c, to) = choices[rng.random_range(0..choices.len())];
            let old = hops[hop];
            if c == old {
                return;
            }
            cost += pressure.rise(old, -by) + pressure.rise(c, by);
            new.push(c);
            if to == fixed.ends[old as usize][1] {
                break;
            }
            (v, hop) = (to, hop + 1);
        }
        if cost > 0.0 && rng.random::<f64>() >= libm::exp(-cost / temperature) {
            return;
        }
        for place in 0..self.new.len() {
            let (hop, c) = (first + place, self.new[place]);
            self.pressure.remove(self.hops[hop], messages);
            self.pressure.add(c, messages);
            self.put(hop, c);
        }
    }

    fn entries(&self) -> usize {
        self.hops.len()
    }

    fn pressure(&self) -> &Pressure {
        &self.pressure
    }

    fn aim(&mut self, target: u32) {
        self.pressure.aim(target);
    }

    fn heat(&self) -> f64 {
        let squares = self.fixed.messages.iter().map(|&m| f64::from(m) * f64::from(m));
        squares.sum::<f64>() / self.fixed.messages.len().max(1) as f64
    }
}
