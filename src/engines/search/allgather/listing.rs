//! Lists the hops: all of them, or a fair sample if they exceed a limit. A hop brings one message
//! per step, so a path of capacity c is listed c times, like parallel links.

use crate::PathsFound;
use ccsched_base::rng::rng_of;
use ccsched_model::problem::{Demand, Problem};
use ccsched_model::routing::PathTable;
use ccsched_network::{ChannelId, Network, VertexId};
use rand::seq::SliceRandom;
use std::collections::VecDeque;

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
pub struct Listed {
    /// Its last vertex.
    pub to: VertexId,
    /// Whether it passes through terminals.
    pub long: bool,
    /// Number of its channels.
    pub length: usize,
    /// Its first vertex.
    pub from: VertexId,
    /// Its path.
    pub channels: Vec<ChannelId>,
}

/// Lists the hops of a problem, in order, and the number of paths they were chosen from.
pub fn list(problem: &Problem, seed: u64) -> (Vec<Listed>, PathsFound) {
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
