//! Tables by destination without a cycle of channels. They start from up*/down* routes, so that they have none, and a
//! move that closes one is undone. Routes may be longer than shortest ones. Turns are counted by destination, and a cycle
//! is looked for where one is used that was not.

mod updown;

use super::super::Flow;
use super::super::walks::NONE;
use super::{Core, Moves, Pressure};
use crate::turns::Turns;
use crate::{ChannelId, PathList};
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
