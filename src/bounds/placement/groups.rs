//! Hosts in groups of those alike, and the loads of a number of ranks in every group.

use ccsched_model::routing::Layers;
use ccsched_network::{ChannelId, Network, VertexId};
use std::collections::HashMap;

/// The loads of one message: channels, each with its share of the message over its capacity.
type Loads = Vec<(ChannelId, f64)>;

/// Hosts with the same links to the same switches, in groups.
pub struct Groups {
    pub members: Vec<Vec<VertexId>>,
    /// By pair of groups, the loads of a message from a host of the one to a host of the other. The
    /// links of hosts with others like them are left out: they carry the same wherever ranks are.
    loads: Vec<Loads>,
    channels: usize,
}

impl Groups {
    /// The groups of some hosts.
    pub fn of(network: &Network, free: &[VertexId]) -> Self {
        let mut number = HashMap::new();
        let mut members: Vec<Vec<VertexId>> = Vec::new();
        for &v in free {
            let channel = |out: bool| {
                move |&c: &ChannelId| {
                    let ends = network.channel(c);
                    (if out { ends.to } else { ends.from }, ends.capacity, ends.exclusive, out)
                }
            };
            let out = network.outgoing(v).iter().map(channel(true));
            let mut links: Vec<_> =
                out.chain(network.incoming(v).iter().map(channel(false))).collect();
            links.sort_unstable();
            let next = members.len();
            let group = *number.entry(links).or_insert(next);
            if group == next {
                members.push(Vec::new());
            }
            members[group].push(v);
        }
        let channels = network.channels().len();
        let mut groups = Groups { loads: Vec::new(), members, channels };
        groups.loads = groups.all_loads(network);
        groups
    }

    fn all_loads(&self, network: &Network) -> Vec<Loads> {
        let mut loads = Vec::with_capacity(self.members.len().pow(2));
        for from in &self.members {
            let layers = Layers::from(network, from[0]);
            for to in &self.members {
                let other = to.iter().find(|&&v| v != from[0]);
                let mut shares = other.map(|&v| shares(network, &layers, v)).unwrap_or_default();
                let is_private = |v: VertexId| {
                    (v == from[0] && from.len() > 1) || (Some(&v) == other && to.len() > 1)
                };
                shares.retain(|&(c, _)| {
                    let ends = network.channel(c);
                    !is_private(ends.from) && !is_private(ends.to)
                });
                loads.push(shares);
            }
        }
        loads
    }

    /// The largest load of a link when every rank sends a message to every other, and the sum of all
    /// loads, which decides between equals.
    fn load(&self, counts: &[usize], load: &mut Vec<f64>) -> (f64, f64) {
        load.clear();
        load.resize(self.channels, 0.0);
        let groups = self.members.len();
        for (a, &from) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            for (b, &to) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let messages = from * if a == b { from - 1 } else { to };
                for &(c, share) in &self.loads[a * groups + b] {
                    load[c as usize] += messages as f64 * share;
                }
            }
        }
        (load.iter().copied().fold(0.0, f64::max), load.iter().sum())
    }

    /// Adds a rank where it costs least.
    pub fn add_one(&self, counts: &mut [usize]) {
        let mut load = Vec::new();
        let mut best: Option<((f64, f64), usize)> = None;
        for group in 0..counts.len() {
            if counts[group] == self.members[group].len() {
                continue;
            }
            counts[group] += 1;
            let cost = self.load(counts, &mut load);
            counts[group] -= 1;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, group));
            }
        }
        if let Some((_, group)) = best {
            counts[group] += 1;
        }
    }

    /// Moves one rank at a time as long as that helps. Returns the largest load.
    pub fn improve(&self, counts: &mut [usize]) -> f64 {
        let mut load = Vec::new();
        let mut now = self.load(counts, &mut load);
        loop {
            let before = now;
            for from in 0..counts.len() {
                for to in 0..counts.len() {
                    if from == to || counts[from] == 0 || counts[to] == self.members[to].len() {
                        continue;
                    }
                    counts[from] -= 1;
                    counts[to] += 1;
                    let moved = self.load(counts, &mut load);
                    if moved < now {
                        now = moved;
                    } else {
                        counts[from] += 1;
                        counts[to] -= 1;
                    }
                }
            }
            if now >= before {
                return now.0;
            }
        }
    }

    /// The hosts of a placement, ascending.
    pub fn hosts(&self, counts: &[usize]) -> Vec<VertexId> {
        let of = self.members.iter().zip(counts);
        let mut hosts: Vec<VertexId> =
            of.flat_map(|(members, &count)| &members[..count]).copied().collect();
        hosts.sort_unstable();
        hosts
    }
}

/// The loads of a message from the base of the layers to a vertex, divided among its shortest paths.
fn shares(network: &Network, layers: &Layers, to: VertexId) -> Loads {
    let distance = |v: VertexId| layers.distance[v as usize];
    let mut flow: HashMap<VertexId, f64> = HashMap::from([(to, 1.0)]);
    let mut layer = vec![to];
    let mut loads = Loads::new();
    while let Some(&first) = layer.first() {
        let mut before = Vec::new();
        for &v in &layer {
            let through = flow.remove(&v).unwrap_or(0.0);
            let ways = network.incoming(v).iter().copied();
            let nearer = |&c: &ChannelId| distance(network.channel(c).from) + 1 == distance(v);
            let ways: Vec<ChannelId> = ways.filter(nearer).collect();
            let capacity: u32 = ways.iter().map(|&c| network.channel(c).capacity).sum();
            for c in ways {
                let channel = network.channel(c);
                let share = through * f64::from(channel.capacity) / f64::from(capacity);
                loads.push((c, share / f64::from(channel.capacity)));
                *flow.entry(channel.from).or_insert_with(|| {
                    before.push(channel.from);
                    0.0
                }) += share;
            }
        }
        if distance(first) == 0 {
            break;
        }
        layer = before;
    }
    loads
}
