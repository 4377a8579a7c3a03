//! The checker's own graph: indices of names, channels by vertex, distances by breadth-first
//! search. It is built from the file alone and shares nothing with the network of the engines.

use super::violation::{Report, Rule, Violation};
use ccsched_model::schedule::file::{ChannelRecord, NetworkRecord};
use std::collections::{HashMap, HashSet};

/// The distance of an unreachable vertex.
pub(super) const FAR: u64 = u64::MAX;

/// Bytes a second on a channel of capacity 1, where the file does not say them.
const BYTES_PER_SECOND: f64 = 2e9;
/// Nanoseconds of a second.
const SECOND: u128 = 1_000_000_000;

/// A sound network.
pub(super) struct Graph<'a> {
    /// Vertex names, by index.
    pub names: Vec<&'a str>,
    /// Whether a vertex is a terminal that takes part.
    pub terminal: Vec<bool>,
    /// Whether nothing may go over a channel, since it is at a terminal that takes no part; empty if
    /// there is none.
    pub closed: Vec<bool>,
    /// Start and end of every channel.
    pub ends: Vec<(usize, usize)>,
    /// The other direction of a half-duplex link.
    pub excludes: Vec<Option<usize>>,
    /// Transfers that every channel carries in a step.
    pub capacity: Vec<u64>,
    /// The delay of every channel in bytes, which counts in timed schedules; empty if there is none.
    pub delay: Vec<u64>,
    /// Channels that leave a vertex.
    pub outgoing: Vec<Vec<usize>>,
    /// Channels that enter a vertex.
    pub incoming: Vec<Vec<usize>>,
    index: HashMap<&'a str, usize>,
}

impl<'a> Graph<'a> {
    /// Checks the network and builds its graph; none if anything is wrong with it.
    pub fn build(network: &'a NetworkRecord, report: &mut Report) -> Option<Self> {
        let index = index_names(network, report);
        let mut ends = Vec::with_capacity(network.channels.len());
        for (id, c) in network.channels.iter().enumerate() {
            match channel_ends(&index, c) {
                Ok(pair) => ends.push(pair),
                Err(why) => {
                    report.add(Violation::new(Rule::Structure, why).channel(id, &c.from, &c.to))
                }
            }
            if let Err(why) = check_excludes(&network.channels, id) {
                report.add(Violation::new(Rule::Structure, why).channel(id, &c.from, &c.to));
            }
            if c.capacity == 0 {
                let why = "its capacity is 0; a channel carries at least 1 transfer in a step";
                report.add(Violation::new(Rule::Structure, why).channel(id, &c.from, &c.to));
            }
        }
        if !report.is_empty() {
            return None;
        }
        let n = network.vertices.len();
        let (mut outgoing, mut incoming) = (vec![vec![]; n], vec![vec![]; n]);
        for (id, &(from, to)) in ends.iter().enumerate() {
            outgoing[from].push(id);
            incoming[to].push(id);
        }
        Some(Graph {
            names: network.vertices.iter().map(|v| v.name.as_str()).collect(),
            terminal: network.vertices.iter().map(|v| v.terminal).collect(),
            closed: Vec::new(),
            excludes: network.channels.iter().map(|c| c.excludes).collect(),
            capacity: network.channels.iter().map(|c| u64::from(c.capacity)).collect(),
            delay: delays_in_bytes(network),
            ends,
            outgoing,
            incoming,
            index,
        })
    }

    /// Leaves out terminals that take no part: they are switches, and nothing passes them if this
    /// `closes` their channels.
    pub fn leave_out(&mut self, idle: &[usize], closes: bool) {
        idle.iter().for_each(|&v| self.terminal[v] = false);
        if !closes || idle.is_empty() {
            return;
        }
        self.closed = vec![false; self.ends.len()];
        for &v in idle {
            for &c in self.outgoing[v].iter().chain(&self.incoming[v]) {
                self.closed[c] = true;
            }
        }
        for channels in self.outgoing.iter_mut().chain(&mut self.incoming) {
            channels.retain(|&c| !self.closed[c]);
        }
    }

    /// Whether a switch, which none of the `idle` terminals is, has channels.
    pub fn has_switches(&self, idle: &[usize]) -> bool {
        let is_used = |v: usize| !(self.outgoing[v].is_empty() && self.incoming[v].is_empty());
        (0..self.len()).any(|v| !self.terminal[v] && is_used(v) && !idle.contains(&v))
    }

    /// The vertex of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Distance in channels from `v` to every vertex.
    pub fn distances_from(&self, v: usize) -> Vec<u64> {
        self.distances_from_any(std::iter::once(v))
    }

    /// Distance in channels from every vertex to `v`.
    pub fn distances_to(&self, v: usize) -> Vec<u64> {
        self.distances_to_any(std::iter::once(v))
    }

    /// Distance in channels from the nearest of some vertices to every vertex.
    pub fn distances_from_any(&self, starts: impl Iterator<Item = usize>) -> Vec<u64> {
        self.search(starts, &self.outgoing, |c| self.ends[c].1)
    }

    /// Distance in channels from every vertex to the nearest of some vertices.
    pub fn distances_to_any(&self, starts: impl Iterator<Item = usize>) -> Vec<u64> {
        self.search(starts, &self.incoming, |c| self.ends[c].0)
    }

    /// Distances in channels from `v` to the vertices at most `most` away, in place of those of the
    /// last search.
    pub fn distances_within(&self, v: usize, most: u64, near: &mut Near) {
        near.reached.drain(..).for_each(|v| near.distance[v] = FAR);
        near.distance.resize(self.len(), FAR);
        near.distance[v] = 0;
        near.reached.push(v);
        let mut next = 0;
        while let Some(&v) = near.reached.get(next) {
            next += 1;
            let beyond = near.distance[v] + 1;
            if beyond > most {
                return;
            }
            for u in self.outgoing[v].iter().map(|&c| self.ends[c].1) {
                if near.distance[u] == FAR {
                    near.distance[u] = beyond;
                    near.reached.push(u);
                }
            }
        }
    }

    /// Distance in channels to `v` from the nearest other vertex of some; [`FAR`] if none reaches it.
    pub fn nearest_to(&self, v: usize, is_one: impl Fn(usize) -> bool) -> u64 {
        let mut seen = HashSet::from([v]);
        let mut layer = vec![v];
        for distance in 1.. {
            let before = layer.iter().flat_map(|&v| &self.incoming[v]).map(|&c| self.ends[c].0);
            layer = before.filter(|&u| seen.insert(u)).collect();
            if layer.is_empty() {
                break;
            }
            if layer.iter().any(|&u| is_one(u)) {
                return distance;
            }
        }
        FAR
    }

    /// Transfers that these channels carry in a step: the two directions of a half-duplex link
    /// share one capacity.
    pub fn carried(&self, channels: impl Iterator<Item = usize>) -> u64 {
        let mut owners: Vec<_> =
            channels.map(|c| self.excludes[c].map_or(c, |other| c.min(other))).collect();
        owners.sort_unstable();
        owners.dedup();
        owners.into_iter().map(|c| self.capacity[c]).sum()
    }

    fn search(
        &self,
        starts: impl Iterator<Item = usize>,
        channels: &[Vec<usize>],
        end: impl Fn(usize) -> usize,
    ) -> Vec<u64> {
        let mut distance = vec![FAR; self.len()];
        let mut reached: Vec<usize> = starts.collect();
        // Starts may be repeated.
        reached.retain(|&start| std::mem::replace(&mut distance[start], 0) == FAR);
        let mut next = 0;
        // In a dense network all vertices are reached long before all channels are looked at.
        while next < reached.len() && reached.len() < self.len() {
            let v = reached[next];
            next += 1;
            for u in channels[v].iter().map(|&c| end(c)) {
                if distance[u] == FAR {
                    distance[u] = distance[v] + 1;
                    reached.push(u);
                }
            }
        }
        distance
    }
}

/// The vertices near another one.
#[derive(Debug, Default)]
pub(super) struct Near {
    /// By vertex; [`FAR`] for those beyond.
    pub distance: Vec<u64>,
    reached: Vec<usize>,
}

impl Violation {
    /// Adds a channel of a sound network.
    pub(super) fn on(self, graph: &Graph<'_>, id: usize) -> Self {
        let (from, to) = graph.ends[id];
        self.channel(id, graph.names[from], graph.names[to])
    }
}

fn index_names<'a>(network: &'a NetworkRecord, report: &mut Report) -> HashMap<&'a str, usize> {
    let mut index = HashMap::new();
    let names = network.vertices.iter().map(|v| &v.name).chain([&network.name]);
    // A terminal emulator would execute control characters in a printed name.
    for name in names.filter(|name| name.chars().any(char::is_control)) {
        let why = format!("the name {name:?} contains control characters");
        report.add(Violation::new(Rule::Structure, why));
    }
    for (i, v) in network.vertices.iter().enumerate() {
        if index.insert(v.name.as_str(), i).is_some() {
            let why = format!("two vertices are named '{}'", v.name);
            report.add(Violation::new(Rule::Structure, why));
        }
    }
    index
}

/// By channel its delay in bytes, what a channel of capacity 1 carries meanwhile, rounded up; empty if no channel
/// has one.
fn delays_in_bytes(network: &NetworkRecord) -> Vec<u64> {
    if network.channels.iter().all(|c| c.delay_ns.is_none()) {
        return Vec::new();
    }
    let rate = network.rate.as_ref().map_or(BYTES_PER_SECOND, |rate| rate.bytes_per_second);
    let rate = rate.round() as u128;
    let bytes = |ns: u64| {
        let bytes = u128::from(ns).saturating_mul(rate).div_ceil(SECOND);
        u64::try_from(bytes).unwrap_or(u64::MAX)
    };
    network.channels.iter().map(|c| c.delay_ns.map_or(0, bytes)).collect()
}

fn channel_ends(index: &HashMap<&str, usize>, c: &ChannelRecord) -> Result<(usize, usize), String> {
    let find = |name: &str| {
        index.get(name).copied().ok_or_else(|| format!("'{name}' is no vertex of the network"))
    };
    let (from, to) = (find(&c.from)?, find(&c.to)?);
    if from == to {
        return Err(format!("it joins '{}' to itself", c.from));
    }
    Ok((from, to))
}

/// `excludes` is mutual and names a channel between the same two vertices in the other direction.
fn check_excludes(channels: &[ChannelRecord], id: usize) -> Result<(), String> {
    let c = &channels[id];
    let Some(other) = c.excludes else { return Ok(()) };
    let Some(d) = channels.get(other) else {
        return Err(format!("it excludes channel {other}, but there are {}", channels.len()));
    };
    if d.excludes != Some(id) {
        return Err(format!("it excludes channel {other}, which does not exclude it in turn"));
    }
    if d.capacity != c.capacity {
        let (mine, its) = (c.capacity, d.capacity);
        return Err(format!(
            "its capacity is {mine}, but channel {other}, the same link in reverse, has {its}"
        ));
    }
    if (&d.from, &d.to) != (&c.to, &c.from) {
        let ends = format!("{}->{}", d.from, d.to);
        return Err(format!("it excludes channel {other} ({ends}), which is not the opposite one"));
    }
    Ok(())
}
