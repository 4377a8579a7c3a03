//! The hosts for a number of ranks: those between which an all-to-all loads the busiest link least.
//!
//! Every message is divided among its shortest paths, in proportion to the capacity of the links, and
//! the largest load of a link decides. Hosts with the same links to the same switches are alike, so a
//! placement is a number of ranks for every group of such hosts. Greedy placements, one from every
//! group, are improved by moving one rank at a time; the best ones are compared by all lower bounds.

use super::{Bound, all};
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Problem, Request};
use ccsched_model::routing::Layers;
use ccsched_network::{ChannelId, Network, VertexId};
use std::collections::HashMap;

/// Placements that are compared by all bounds.
const COMPARED: usize = 4;
/// Greedy placements at most; each starts with another group.
const STARTS: usize = 64;

/// A placement, and the lower bounds of its problem, the largest first.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The hosts of the ranks, ascending.
    pub hosts: Vec<VertexId>,
    /// The bounds.
    pub bounds: Vec<Bound>,
}

/// The best placement of a number of ranks on some of the hosts. The request's senders and receivers
/// become those chosen.
///
/// # Errors
/// Fewer than two ranks, more ranks than hosts, hosts that cannot reach each other.
pub fn place(
    network: &Network,
    free: &[VertexId],
    ranks: usize,
    pose: impl Fn(Vec<VertexId>) -> Result<Problem>,
) -> Result<Placement> {
    if ranks < 2 || ranks > free.len() {
        let hosts = free.len();
        let why = format!("{ranks} ranks on {hosts} free hosts: 2 to {hosts} fit");
        return Err(Error::field("place", why));
    }
    // All hosts must reach each other, and what is told of them otherwise is of use.
    pose(free.to_vec())?;
    let groups = Groups::of(network, free);
    let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
    let starts = groups.members.len().min(STARTS);
    for start in 0..starts {
        let mut counts = vec![0; groups.members.len()];
        counts[start * groups.members.len() / starts] = 1;
        for _ in 1..ranks {
            groups.add_one(&mut counts);
        }
        let load = groups.improve(&mut counts);
        if !found.iter().any(|(_, other)| *other == counts) {
            found.push((load, counts));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(COMPARED);
    let mut best: Option<Placement> = None;
    let mut refused = None;
    for (_, counts) in found {
        let hosts = groups.hosts(&counts);
        // Where nothing passes the others, some hosts may not reach each other.
        let bounds = match pose(hosts.clone()) {
            Ok(problem) => all(&problem),
            Err(why) => {
                refused.get_or_insert(why);
                continue;
            }
        };
        let steps = |bounds: &[Bound]| bounds.first().map_or(0, |b| b.steps);
        if best.as_ref().is_none_or(|best| steps(&bounds) < steps(&best.bounds)) {
            best = Some(Placement { hosts, bounds });
        }
    }
    best.ok_or_else(|| refused.expect("there is at least one placement"))
}

/// The request of a placement: these hosts send and receive.
pub fn between(request: &Request, network: &Network, hosts: &[VertexId]) -> Request {
    let names: Vec<String> = hosts.iter().map(|&v| network.vertex_name(v).to_string()).collect();
    Request { senders: Some(names.clone()), receivers: Some(names), ..request.clone() }
}

// Hosts in groups of those alike, and the loads of a number of ranks in every group.

/// The loads of one message: channels, each with its share of the message over its capacity.
type Loads = Vec<(ChannelId, f64)>;

/// Hosts with the same links to the same switches, in groups.
pub struct Groups {
    members: Vec<Vec<VertexId>>,
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
    fn add_one(&self, counts: &mut [usize]) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::Collective;
    use ccsched_network::{LinkKind, NetworkBuilder, spec};

    fn placed(network: &Network, ranks: usize) -> Placement {
        let free: Vec<VertexId> = network.terminals().collect();
        let request = Request::new(Collective::Aas);
        let pose =
            |hosts: Vec<VertexId>| between(&request, network, &hosts).pose(network.clone(), vec![]);
        place(network, &free, ranks, pose).unwrap()
    }

    /// Three leaves of 4, 6 and 8 hosts with 1, 2 and 8 links to the spine.
    fn fabric() -> Network {
        let mut net = NetworkBuilder::new("fabric");
        let spine = net.switch("spine");
        for (leaf, hosts, width) in [("a", 4, 1), ("b", 6, 2), ("c", 8, 8)] {
            let switch = net.switch(leaf);
            net.wide_link(switch, spine, LinkKind::FullDuplex, width);
            for number in 0..hosts {
                let v = net.terminal(format!("{leaf}{number}"));
                net.link(v, switch, LinkKind::FullDuplex);
            }
        }
        net.build().unwrap()
    }

    #[test]
    fn ranks_stay_together_while_they_fit() {
        let net = fabric();
        for ranks in [2, 5, 8] {
            let placement = placed(&net, ranks);
            assert_eq!(placement.bounds[0].steps as usize, ranks - 1, "{ranks}");
        }
    }

    #[test]
    fn no_placement_is_better_where_all_can_be_tried() {
        let net = fabric();
        let free: Vec<VertexId> = net.terminals().collect();
        let request = Request::new(Collective::Aas);
        for ranks in [9, 11, 14, 17] {
            // The number of hosts at every leaf decides.
            let mut least = u32::MAX;
            for a in 0..=4 {
                for b in 0..=6_usize.min(ranks - a) {
                    let c = ranks - a - b;
                    if c > 8 {
                        continue;
                    }
                    let hosts = [&free[..a], &free[4..4 + b], &free[10..10 + c]].concat();
                    let problem = between(&request, &net, &hosts).pose(net.clone(), vec![]);
                    least = least.min(all(&problem.unwrap())[0].steps);
                }
            }
            assert_eq!(placed(&net, ranks).bounds[0].steps, least, "{ranks} ranks");
        }
    }

    #[test]
    fn placements_on_any_network_and_impossible_ones() {
        assert_eq!(placed(&spec::parse("mesh:4x4").unwrap(), 4).hosts.len(), 4);
        let net = fabric();
        let free: Vec<VertexId> = net.terminals().collect();
        for ranks in [0, 1, 19] {
            let why = place(&net, &free, ranks, |_| unreachable!("refused before")).unwrap_err();
            assert!(why.to_string().contains("18"), "{why}");
        }
    }
}
