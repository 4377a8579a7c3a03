//! Hops: the paths of a single transfer, listed once.
//!
//! In store-and-forward networks a hop is a channel. In wormhole networks it is a path from a
//! terminal to a terminal: a *direct* hop passes through switches only; a *long* hop also passes
//! through terminals, and is listed in small networks or where there are few messages.

use crate::PathsFound;
use ccsched_base::rng::rng_of;
use ccsched_model::problem::{Demand, Problem, ResourceId};
use ccsched_model::routing::PathTable;
use ccsched_network::{ChannelId, Network, VertexId};
use rand::seq::SliceRandom;
use std::collections::VecDeque;
use std::ops::Range;

/// Index of a hop; hops to the same vertex are neighbours, direct ones first, short ones first.
pub type HopId = u32;

/// All hops of a problem, stored flat.
#[derive(Clone, Debug)]
pub struct Hops {
    from: Vec<VertexId>,
    to: Vec<VertexId>,
    /// `channel_starts[h]..channel_starts[h + 1]` is the range of hop `h` in `channels`.
    channel_starts: Vec<u32>,
    channels: Vec<ChannelId>,
    use_starts: Vec<u32>,
    uses: Vec<ResourceId>,
    /// `into[v]..into[v + 1]` are the hops to `v`, direct ones up to `direct[v]`.
    into: Vec<HopId>,
    direct: Vec<HopId>,
    out_starts: Vec<u32>,
    out: Vec<HopId>,
    coupled: bool,
    /// A resource that all hops to a vertex use, if there is one.
    gates: Vec<Option<ResourceId>>,
    /// The last vertex of each channel.
    ends: Vec<VertexId>,
    found: PathsFound,
}

impl Hops {
    /// Lists the hops of a problem, or beyond a limit a sample drawn from `seed`.
    pub fn of(problem: &Problem, seed: u64) -> Self {
        let (listed, found) = list(problem, seed);
        Self::flat(problem, &listed, found)
    }

    fn flat(problem: &Problem, listed: &[Listed], found: PathsFound) -> Self {
        let vertices = problem.network().vertices().len();
        let mut hops = Hops {
            from: Vec::new(),
            to: Vec::new(),
            channel_starts: vec![0],
            channels: Vec::new(),
            use_starts: vec![0],
            uses: Vec::new(),
            into: Vec::with_capacity(vertices + 1),
            direct: Vec::with_capacity(vertices),
            out_starts: vec![0; vertices + 1],
            out: Vec::new(),
            coupled: false,
            gates: Vec::new(),
            ends: problem.network().channels().iter().map(|c| c.to).collect(),
            found,
        };
        let mut rest = listed;
        for v in 0..vertices as VertexId {
            let (mine, others) = rest.split_at(rest.partition_point(|l| l.to <= v));
            rest = others;
            hops.into.push(hops.to.len() as HopId);
            hops.direct.push((hops.to.len() + mine.iter().filter(|l| !l.long).count()) as HopId);
            mine.iter().for_each(|l| hops.add(problem, l));
        }
        hops.into.push(hops.to.len() as HopId);
        hops.list_outgoing(vertices);
        hops.gates = (0..vertices as VertexId).map(|v| hops.common(v)).collect();
        hops.coupled = hops.is_coupled(problem.resources().capacities().len());
        hops
    }

    fn add(&mut self, problem: &Problem, listed: &Listed) {
        let (network, switching, resources) =
            (problem.network(), problem.switching(), problem.resources());
        self.from.push(listed.from);
        self.to.push(listed.to);
        self.channels.extend(&listed.channels);
        self.channel_starts.push(self.channels.len() as u32);
        resources.uses(network, switching, &listed.channels, |r, _| self.uses.push(r));
        self.use_starts.push(self.uses.len() as u32);
    }

    fn list_outgoing(&mut self, vertices: usize) {
        for &v in &self.from {
            self.out_starts[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            self.out_starts[v + 1] += self.out_starts[v];
        }
        let mut next = self.out_starts.clone();
        self.out = vec![0; self.from.len()];
        for (h, &v) in self.from.iter().enumerate() {
            self.out[next[v as usize] as usize] = h as HopId;
            next[v as usize] += 1;
        }
    }

    fn common(&self, v: VertexId) -> Option<ResourceId> {
        let mut hops = self.into(v);
        let first = self.uses(hops.next()?);
        first.iter().copied().find(|r| hops.clone().all(|h| self.uses(h).contains(r)))
    }

    /// Whether hops to different vertices use the same resource.
    fn is_coupled(&self, resources: usize) -> bool {
        let mut user = vec![None; resources];
        (0..self.len() as HopId).any(|h| {
            self.uses(h).iter().any(|&r| {
                let to = self.to(h);
                *user[r as usize].get_or_insert(to) != to
            })
        })
    }

    /// Number of hops.
    pub fn len(&self) -> usize {
        self.to.len()
    }

    /// The number of paths that the hops were chosen from.
    pub fn found(&self) -> PathsFound {
        self.found
    }

    /// The hop along these channels, if it is listed.
    pub fn find(&self, channels: &[ChannelId]) -> Option<HopId> {
        let to = *self.ends.get(*channels.last()? as usize)?;
        self.into(to).find(|&h| self.channels(h) == channels)
    }

    /// The first vertex of a hop.
    pub fn from(&self, h: HopId) -> VertexId {
        self.from[h as usize]
    }

    /// The last vertex of a hop.
    pub fn to(&self, h: HopId) -> VertexId {
        self.to[h as usize]
    }

    /// The path of a hop.
    pub fn channels(&self, h: HopId) -> &[ChannelId] {
        let h = h as usize;
        &self.channels[self.channel_starts[h] as usize..self.channel_starts[h + 1] as usize]
    }

    /// The resources that a hop occupies in its step.
    pub fn uses(&self, h: HopId) -> &[ResourceId] {
        let h = h as usize;
        &self.uses[self.use_starts[h] as usize..self.use_starts[h + 1] as usize]
    }

    /// All hops to a vertex.
    pub fn into(&self, v: VertexId) -> Range<HopId> {
        self.into[v as usize]..self.into[v as usize + 1]
    }

    /// The direct hops to a vertex.
    pub fn direct_into(&self, v: VertexId) -> Range<HopId> {
        self.into[v as usize]..self.direct[v as usize]
    }

    /// Whether a hop passes through terminals.
    pub fn is_long(&self, h: HopId) -> bool {
        h >= self.direct[self.to(h) as usize]
    }

    /// Whether any hop is long.
    pub fn any_long(&self) -> bool {
        (0..self.direct.len()).any(|v| self.direct[v] < self.into[v + 1])
    }

    /// A resource that all hops to a vertex use, if there is one.
    pub fn gate(&self, v: VertexId) -> Option<ResourceId> {
        self.gates[v as usize]
    }

    /// All hops from a vertex.
    pub fn out_of(&self, v: VertexId) -> &[HopId] {
        let v = v as usize;
        &self.out[self.out_starts[v] as usize..self.out_starts[v + 1] as usize]
    }

    /// Whether hops to different vertices share resources, so that they can block each other.
    pub fn coupled(&self) -> bool {
        self.coupled
    }
}

// Lists the hops: all of them, or a fair sample if they exceed a limit. A hop brings one message
// per step, so a path of capacity c is listed c times, like parallel links.

/// Long hops are listed in networks of at most this number of terminals.
const MOST_FOR_LONG: usize = 24;
/// In larger networks, they are listed only with at least this number of terminals per message.
const FEW: usize = 4;
/// Beyond this number of pairs of terminals, pairs that are not neighbours are sampled.
const MOST_PAIRS: usize = 1 << 13;
/// The fewest senders in the sample, per terminal.
const LEAST_SENDERS: usize = 16;
/// The most hops to one terminal, approximately, shared fairly among the senders.
const MOST_INTO: usize = 512;

/// A hop before it is numbered; hops are numbered in the order of this type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Listed {
    /// Its last vertex.
    to: VertexId,
    /// Whether it passes through terminals.
    long: bool,
    /// Number of its channels.
    length: usize,
    /// Its first vertex.
    from: VertexId,
    /// Its path.
    channels: Vec<ChannelId>,
}

/// Lists the hops of a problem, in order, and the number of paths they were chosen from.
fn list(problem: &Problem, seed: u64) -> (Vec<Listed>, PathsFound) {
    let network = problem.network();
    let terminals = network.terminals().count();
    let all_terminals = terminals == network.vertices().len();
    // Few messages leave room for long hops, and long hops save steps.
    let few = problem.messages() * FEW <= terminals && terminals * terminals <= MOST_PAIRS;
    // What is for some terminals passes the others.
    let is_grouped = problem.groups().is_some();
    let with_long = terminals <= MOST_FOR_LONG || few || is_grouped;
    let by_channel = problem.switching().stores() || (all_terminals && !with_long);
    let channels = network.channels().len();
    let mut found = PathsFound { paths: channels, sampled_pairs: 0, cap: MOST_INTO };
    let mut listed = Vec::new();
    if by_channel {
        for (id, c) in (0..).zip(network.channels()) {
            let (from, to) = (c.from, c.to);
            listed.push(Listed { to, long: false, length: 1, from, channels: vec![id] });
        }
    } else {
        let terminals_of: Vec<VertexId> = network.terminals().collect();
        let spreading = problem.groups().map(|groups| groups.spreading(network.vertices().len()));
        let pairs = match &spreading {
            None => pairs(network, &terminals_of, seed),
            Some(of) => pairs_of_groups(problem, of, seed),
        };
        // Where a message may stop, or any might.
        let may_stop = |[from, to, v]: [VertexId; 3]| match &spreading {
            None => true,
            Some(of) => of[v as usize]
                .iter()
                .any(|g| [from, to].iter().all(|&end| of[end as usize].contains(g))),
        };
        let table = PathTable::find(network, &pairs, problem.routing().listed_slack(), seed);
        found = PathsFound::of(&table);
        let cap = (MOST_INTO * terminals / pairs.len().max(1)).max(1);
        for (pair, &(from, to)) in pairs.iter().enumerate() {
            let paths = table.of_pair(pair);
            // The first path and others at even distances: neighbours in the list share the most
            // channels.
            let every = paths.len();
            let is_kept = |(i, _): &(usize, u32)| i * cap % every < cap;
            for (_, path) in paths.enumerate().filter(is_kept) {
                let channels = table.channels(path).to_vec();
                let passed = &channels[..channels.len() - 1];
                let is_stop = |v| network.is_terminal(v) && may_stop([from, to, v]);
                let long = passed.iter().any(|&c| is_stop(network.channel(c).to));
                if !long || with_long {
                    listed.push(Listed { to, long, length: channels.len(), from, channels });
                }
            }
        }
    }
    listed.sort();
    (as_often_as_carried(problem, listed), found)
}

/// Repeats each hop by the number of messages that its path carries in one step, at most the number
/// of all messages.
fn as_often_as_carried(problem: &Problem, listed: Vec<Listed>) -> Vec<Listed> {
    let network = problem.network();
    if network.uniform_capacity() == Some(1) {
        return listed;
    }
    let most = problem.messages();
    let times = |hop: &Listed| {
        let carried = hop.channels.iter().map(|&c| network.channel(c).capacity as usize);
        carried.min().unwrap_or(1).min(most)
    };
    listed.into_iter().flat_map(|hop| std::iter::repeat_n(hop.clone(), times(&hop))).collect()
}

/// The pairs of terminals to find paths for: all, or beyond the limit the nearest pairs with only
/// switches between them, and a random sample of the others.
fn pairs(network: &Network, terminals: &[VertexId], seed: u64) -> Vec<(VertexId, VertexId)> {
    let others =
        |to| terminals.iter().filter(move |&&from| from != to).map(move |&from| (from, to));
    if terminals.len() * terminals.len() <= MOST_PAIRS {
        return terminals.iter().flat_map(|&to| others(to)).collect();
    }
    let sample = (MOST_PAIRS / terminals.len()).max(LEAST_SENDERS);
    let mut rng = rng_of(seed, 0, 2);
    let mut pairs = Vec::new();
    for &to in terminals {
        let mut far: Vec<_> = others(to).collect();
        let is_one = |from: &VertexId| terminals.binary_search(from).is_ok();
        let near = nearest(network, to, sample).into_iter().filter(is_one).map(|from| (from, to));
        let (drawn, _) = far.partial_shuffle(&mut rng, sample);
        pairs.extend(near.chain(drawn.iter().copied()));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The pairs that groups need: those of every message with one destination, and within a group whose
/// messages spread as above. The groups of each vertex that spread are given.
fn pairs_of_groups(problem: &Problem, of: &[Vec<u32>], seed: u64) -> Vec<(VertexId, VertexId)> {
    let is_single = |d: &&Demand| problem.message(d.message).destination.is_some();
    let single = problem.demands().iter().filter(is_single).map(|d| (d.source, d.destination));
    let mut all: Vec<(VertexId, VertexId)> = single.collect();
    let last = of.iter().flatten().max().map_or(0, |&last| last + 1);
    for group in 0..last {
        let is_member = |&v: &VertexId| of[v as usize].contains(&group);
        let members: Vec<VertexId> = (0..of.len() as VertexId).filter(is_member).collect();
        all.extend(pairs(problem.network(), &members, seed));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The nearest terminals, at most `most`, that can send to another through switches only.
fn nearest(network: &Network, to: VertexId, most: usize) -> Vec<VertexId> {
    let mut met = vec![false; network.vertices().len()];
    met[to as usize] = true;
    let (mut queue, mut found) = (VecDeque::from([to]), Vec::new());
    while let Some(v) = queue.pop_front() {
        for &c in network.incoming(v) {
            let from = network.channel(c).from;
            if std::mem::replace(&mut met[from as usize], true) {
                continue;
            }
            if !network.is_terminal(from) {
                queue.push_back(from);
            } else if found.len() < most {
                found.push(from);
            }
        }
    }
    found
}
