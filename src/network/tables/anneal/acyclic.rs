//! Tables by destination without a cycle of channels. They start from up*/down* routes, so that they have none, and a
//! move that closes one is undone. Routes may be longer than shortest ones. Turns are counted by destination, and a cycle
//! is looked for where one is used that was not.

use super::super::walks::NONE;
use super::super::{Flow, by_destination};
use super::{Core, Moves, Pressure};
use crate::turns::Turns;
use crate::{ChannelId, PathList, VertexId};
use ccsched_base::rng::Rng;
use rand::RngExt;
use std::sync::Arc;

/// What does not change.
struct Fixed {
    /// By number of a vertex: the channels from there, and those that lead there.
    out: Vec<Vec<ChannelId>>,
    into: Vec<Vec<ChannelId>>,
    /// By channel: the numbers of its ends.
    ends: Vec<[u32; 2]>,
    /// By destination: the number where its routes end.
    goals: Vec<u32>,
    /// The entries with a choice.
    choices: Vec<u32>,
}

/// The trees of all destinations.
#[derive(Clone)]
pub(in super::super) struct Acyclic {
    fixed: Arc<Fixed>,
    width: usize,
    /// By destination and vertex: the next channel, and the messages that come through.
    next: Vec<ChannelId>,
    through: Vec<u32>,
    turns: Turns,
    pressure: Pressure,
    /// By vertex, the move that has met it last.
    met: Vec<u32>,
    moves: u32,
    /// The channels of the last move, and its turns, before and after.
    falls: Vec<ChannelId>,
    rises: Vec<ChannelId>,
    lost: Vec<[ChannelId; 2]>,
    gained: Vec<[ChannelId; 2]>,
}

impl Acyclic {
    /// The routes of all flows.
    pub fn routes(&self, core: &Core<'_>, flows: &[Flow]) -> PathList {
        core.routes(flows, &self.next)
    }

    /// An entry whose messages pass a channel above the target, if one is found, or any.
    fn entry(&self, rng: &mut Rng) -> (usize, u32) {
        let fixed = &*self.fixed;
        if !self.pressure.over().is_empty() && rng.random() {
            let c = self.pressure.pick(rng);
            let mut v = fixed.ends[c as usize][0];
            let first = rng.random_range(0..fixed.goals.len());
            let mut trees = (first..fixed.goals.len()).chain(0..first);
            let uses = |tree: &usize| {
                let entry = tree * self.width + v as usize;
                self.next[entry] == c && self.through[entry] > 0
            };
            if let Some(tree) = trees.find(uses) {
                while rng.random() {
                    let into = &fixed.into[v as usize];
                    let b = into[rng.random_range(0..into.len())];
                    let before = fixed.ends[b as usize][0];
                    if self.next[tree * self.width + before as usize] == b {
                        v = before;
                    }
                }
                return (tree, v);
            }
        }
        let entry = fixed.choices[rng.random_range(0..fixed.choices.len())] as usize;
        (entry / self.width, (entry % self.width) as u32)
    }

    /// The channels from a vertex to the first one that the move has met, or the end; false if that way passes `without`.
    fn walk(&mut self, tree: usize, mut c: ChannelId, without: u32, is_new: bool) -> bool {
        let list = if is_new { &mut self.rises } else { &mut self.falls };
        list.clear();
        loop {
            list.push(c);
            let v = self.fixed.ends[c as usize][1];
            if v == without {
                return false;
            }
            let is_met = self.met[v as usize] == self.moves;
            if v == self.fixed.goals[tree] || is_new && is_met {
                return true;
            }
            if !is_new {
                self.met[v as usize] = self.moves;
            }
            c = self.next[tree * self.width + v as usize];
            if c == NONE {
                return false;
            }
        }
    }

    /// Counts the turns anew after a change of an entry; false if they close a cycle, and then nothing is changed.
    fn turns_fit(&mut self, tree: usize, v: u32, messages: u32) -> bool {
        let Acyclic { fixed, width, next, through, turns, falls, rises, gained, lost, .. } = self;
        let entry = |v: u32| tree * *width + v as usize;
        gained.clear();
        lost.clear();
        for &b in &fixed.into[v as usize] {
            let before = entry(fixed.ends[b as usize][0]);
            if next[before] == b && through[before] > 0 {
                lost.push([b, falls[0]]);
                gained.push([b, rises[0]]);
            }
        }
        // The turn after a channel is counted if it has messages.
        let after = |hop: usize, c: ChannelId, without: u32| {
            let [from, to] = fixed.ends[c as usize];
            let is_changed = hop == 0 || through[entry(from)] == without;
            (is_changed && to != fixed.goals[tree]).then(|| [c, next[entry(to)]])
        };
        lost.extend(falls.iter().enumerate().filter_map(|(hop, &c)| after(hop, c, messages)));
        gained.extend(rises.iter().enumerate().filter_map(|(hop, &c)| after(hop, c, 0)));
        lost.iter().for_each(|two| turns.remove(two[0], two[1]));
        let Some(closes) = gained.iter().position(|two| !turns.add(two[0], two[1])) else {
            return true;
        };
        gained[..closes].iter().for_each(|two| turns.remove(two[0], two[1]));
        // They closed no cycle before.
        let is_back = lost.iter().all(|two| turns.add(two[0], two[1]));
        debug_assert!(is_back);
        false
    }
}

impl Moves for Acyclic {
    fn propose(&mut self, temperature: f64, rng: &mut Rng) {
        let (tree, v) = self.entry(rng);
        let entry = tree * self.width + v as usize;
        let (old, messages) = (self.next[entry], self.through[entry]);
        if old == NONE || messages == 0 {
            return;
        }
        let out = &self.fixed.out[v as usize];
        let new = out[rng.random_range(0..out.len())];
        if new == old {
            return;
        }
        self.moves = self.moves.wrapping_add(1);
        if self.moves == 0 {
            self.met.fill(0);
            self.moves = 1;
        }
        self.walk(tree, old, v, false);
        let is_loop = !self.walk(tree, new, v, true);
        if is_loop {
            return;
        }
        // Only what comes before the meeting is left.
        let meeting = self.rises.last().map(|&c| self.fixed.ends[c as usize][1]);
        let end = self.falls.iter().position(|&c| Some(self.fixed.ends[c as usize][1]) == meeting);
        self.falls.truncate(end.map_or(self.falls.len(), |end| end + 1));
        let by = f64::from(messages);
        let fall: f64 = self.falls.iter().map(|&c| self.pressure.rise(c, -by)).sum();
        let rise: f64 = self.rises.iter().map(|&c| self.pressure.rise(c, by)).sum();
        let cost = fall + rise;
        if cost > 0.0 && rng.random::<f64>() >= libm::exp(-cost / temperature) {
            return;
        }
        if !self.turns_fit(tree, v, messages) {
            return;
        }
        let Acyclic { fixed, pressure, through, falls, rises, next, width, .. } = self;
        let at = |c: ChannelId| tree * *width + fixed.ends[c as usize][0] as usize;
        for (hop, &c) in falls.iter().enumerate() {
            pressure.remove(c, messages);
            through[at(c)] -= if hop > 0 { messages } else { 0 };
        }
        for (hop, &c) in rises.iter().enumerate() {
            pressure.add(c, messages);
            through[at(c)] += if hop > 0 { messages } else { 0 };
        }
        next[entry] = new;
    }

    fn most_moves(&self) -> u64 {
        // Cycles are in the way of most moves; the larger the network, the longer they are looked for.
        (200_000_000_000 / self.entries().max(10_000) as u64).max(3_000_000)
    }

    fn entries(&self) -> usize {
        self.fixed.choices.len()
    }

    fn pressure(&self) -> &Pressure {
        &self.pressure
    }

    fn aim(&mut self, target: u32) {
        self.pressure.aim(target);
    }

    fn heat(&self) -> f64 {
        let used = self.through.iter().filter(|t| **t > 0);
        let (mut sum, mut count) = (0.0, 0.0);
        used.for_each(|&t| (sum, count) = (sum + f64::from(t) * f64::from(t), count + 1.0));
        sum / f64::max(count, 1.0)
    }
}

// The up*/down* routes that annealing starts from, one destination after the other: down where all channels may lead
// down, else up.

impl Acyclic {
    /// The trees for levels of all vertices; none if some flow has no such route.
    pub fn updown(core: &Core<'_>, flows: &[Flow], level: &[u32], target: u32) -> Option<Self> {
        let network = core.network;
        let number = |v: VertexId| core.number[v as usize];
        let ends: Vec<[u32; 2]> =
            network.channels().iter().map(|c| [number(c.from), number(c.to)]).collect();
        let is_inner = |c: &&ChannelId| {
            let channel = network.channel(**c);
            [channel.from, channel.to].iter().all(|&v| core.link[v as usize].is_none())
        };
        let lists = |of: &dyn Fn(VertexId) -> Vec<ChannelId>| {
            core.vertices.iter().map(|&v| of(v)).collect::<Vec<_>>()
        };
        let out = lists(&|v| network.outgoing(v).iter().filter(is_inner).copied().collect());
        let into = lists(&|v| network.incoming(v).iter().filter(is_inner).copied().collect());
        let groups: Vec<&[Flow]> = by_destination(flows).collect();
        let goals: Vec<u32> = groups.iter().map(|group| number(group[0].to)).collect();
        let width = core.len();
        let choices = (0..groups.len() * width)
            .filter(|entry| {
                entry % width != goals[entry / width] as usize && out[entry % width].len() > 1
            })
            .map(|entry| entry as u32)
            .collect();
        let fixed = Arc::new(Fixed { out, into, ends, goals, choices });
        let mut trees = Acyclic {
            fixed,
            width,
            next: vec![NONE; groups.len() * width],
            through: vec![0; groups.len() * width],
            turns: Turns::new(network),
            pressure: Pressure::new(network, target),
            met: vec![0; width],
            moves: 0,
            falls: Vec::new(),
            rises: Vec::new(),
            lost: Vec::new(),
            gained: Vec::new(),
        };
        let place = |v: u32| {
            let v = core.vertices[v as usize];
            (level[v as usize], v)
        };
        let mut order: Vec<u32> = (0..width as u32).collect();
        order.sort_by_key(|&v| place(v));
        for (tree, group) in groups.iter().enumerate() {
            trees.build(core, tree, group, &order, &place)?;
        }
        Some(trees)
    }

    /// Builds the tree of a destination. The vertices are in order, the highest first.
    fn build<K: Ord>(
        &mut self,
        core: &Core<'_>,
        tree: usize,
        group: &[Flow],
        order: &[u32],
        place: &impl Fn(u32) -> K,
    ) -> Option<()> {
        self.lead(tree, order, place);
        group.iter().try_for_each(|flow| self.carry(core, tree, flow))
    }

    /// Chooses the next channel of every vertex to a destination, if there is one.
    fn lead<K: Ord>(&mut self, tree: usize, order: &[u32], place: &impl Fn(u32) -> K) {
        let Acyclic { fixed, width, next, pressure, .. } = self;
        let at = |v: u32| tree * *width + v as usize;
        // Hops going down alone, and going down as soon as that is possible.
        let mut hops = vec![[u32::MAX; 2]; *width];
        hops[fixed.goals[tree] as usize] = [0, 0];
        let choose = |v: u32, hops: &[[u32; 2]], is_down: bool, pressure: &Pressure| {
            let leads = fixed.out[v as usize].iter().filter(|c| {
                let to = fixed.ends[**c as usize][1];
                (place(to) > place(v)) == is_down
            });
            let behind = |c: &ChannelId| {
                let of = hops[fixed.ends[*c as usize][1] as usize];
                if is_down { of[0] } else { of[1] }
            };
            let least = leads.clone().map(behind).min().filter(|&hops| hops != u32::MAX)?;
            let cheapest = leads
                .filter(|c| behind(c) == least)
                .min_by(|a, b| pressure.rise(**a, 1.0).total_cmp(&pressure.rise(**b, 1.0)));
            cheapest.map(|&c| (c, least + 1))
        };
        let goal = fixed.goals[tree];
        // Down: the lowest first, as a vertex asks those below it.
        for &v in order.iter().rev().filter(|v| **v != goal) {
            if let Some((c, far)) = choose(v, &hops, true, pressure) {
                next[at(v)] = c;
                hops[v as usize] = [far, far];
            }
        }
        for &v in order {
            if hops[v as usize][1] == u32::MAX
                && let Some((c, far)) = choose(v, &hops, false, pressure)
            {
                next[at(v)] = c;
                hops[v as usize][1] = far;
            }
        }
    }

    /// Adds the messages of a flow to the channels of its route; none if it has none, or would close a cycle of
    /// channels.
    fn carry(&mut self, core: &Core<'_>, tree: usize, flow: &Flow) -> Option<()> {
        let Acyclic { fixed, width, next, through, turns, pressure, .. } = self;
        let at = |v: u32| tree * *width + v as usize;
        let goal = fixed.goals[tree];
        let ([first, last], messages) =
            ([flow.from, flow.to].map(|v| core.link[v as usize]), flow.messages);
        let links = first.map(|link| link[0]).into_iter().chain(last.map(|link| link[1]));
        links.for_each(|c| pressure.add(c, messages));
        let mut v = core.number[flow.from as usize];
        let mut before = None;
        let mut is_new = false;
        while v != goal {
            let c = next[at(v)];
            if c == NONE {
                return None;
            }
            // The turn after a channel is counted with the first message over it.
            if let Some(before) = before.filter(|_| is_new)
                && !turns.add(before, c)
            {
                return None;
            }
            is_new = through[at(v)] == 0;
            through[at(v)] += messages;
            pressure.add(c, messages);
            before = Some(c);
            v = fixed.ends[c as usize][1];
        }
        Some(())
    }
}
