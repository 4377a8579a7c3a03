//! The listing of hops: all there are, or where they are too many a fair sample. A hop brings one
//! message a step, so a path that carries several is listed as often, as parallel links would be.

use crate::engines::PathsFound;
use crate::network::{ChannelId, Network, VertexId};
use crate::problem::{Problem, Switching};
use crate::rng::rng_of;
use crate::routing::PathTable;
use rand::seq::SliceRandom;
use std::collections::VecDeque;

/// Long hops are listed in networks of up to so many terminals.
const MOST_FOR_LONG: usize = 24;
/// In larger ones only where at least so many terminals come to a message.
const FEW: usize = 4;
/// Beyond so many pairs of terminals a sample of those that are not neighbours will do.
const MOST_PAIRS: usize = 1 << 13;
/// But at least so many to every terminal.
const LEAST_SENDERS: usize = 16;
/// About so many hops to one terminal at most, shared fairly among the senders.
const MOST_INTO: usize = 512;

/// A hop before it has a number; in the order of numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// Where it ends.
    pub to: VertexId,
    /// Whether it passes terminals.
    pub long: bool,
    /// Number of its channels.
    pub length: usize,
    /// Where it starts.
    pub from: VertexId,
    /// Its path.
    pub channels: Vec<ChannelId>,
}

/// Lists the hops of a problem, in order, and says how many paths they were chosen from.
pub fn list(problem: &Problem, seed: u64) -> (Vec<Listed>, PathsFound) {
    let network = &problem.network;
    let terminals = network.terminals().count();
    let all_terminals = terminals == network.vertices().len();
    // Few messages have room to go far, and little time to go from neighbour to neighbour.
    let few = problem.messages() * FEW <= terminals && terminals * terminals <= MOST_PAIRS;
    let with_long = terminals <= MOST_FOR_LONG || few;
    let by_channel =
        problem.switching == Switching::StoreAndForward || (all_terminals && !with_long);
    let channels = network.channels().len();
    let mut found = PathsFound { paths: channels, sampled_pairs: 0, cap: MOST_INTO };
    let mut listed = Vec::new();
    if by_channel {
        for (id, c) in (0..).zip(network.channels()) {
            let (from, to) = (c.from, c.to);
            listed.push(Listed { to, long: false, length: 1, from, channels: vec![id] });
        }
    } else {
        let pairs = pairs(network, seed);
        let table = PathTable::find(network, &pairs, problem.routing.slack(), seed);
        found = PathsFound::of(&table);
        let cap = (MOST_INTO * terminals / pairs.len().max(1)).max(1);
        for (pair, &(from, to)) in pairs.iter().enumerate() {
            let paths = table.of_pair(pair);
            // The first and others at even distances: neighbours in the list have most in common.
            let every = paths.len();
            let is_kept = |(i, _): &(usize, u32)| i * cap % every < cap;
            for (_, path) in paths.enumerate().filter(is_kept) {
                let channels = table.channels(path).to_vec();
                let passed = &channels[..channels.len() - 1];
                let long = passed.iter().any(|&c| network.is_terminal(network.channel(c).to));
                if !long || with_long {
                    listed.push(Listed { to, long, length: channels.len(), from, channels });
                }
            }
        }
    }
    listed.sort();
    (as_often_as_carried(problem, listed), found)
}

/// Every hop as often as its path carries a message in one step; more than there are messages bring
/// nothing.
fn as_often_as_carried(problem: &Problem, listed: Vec<Listed>) -> Vec<Listed> {
    let network = &problem.network;
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

/// The pairs of terminals to find paths for: all, or where they are too many those with nothing but
/// switches between them, the nearest first, and a random sample of the others.
fn pairs(network: &Network, seed: u64) -> Vec<(VertexId, VertexId)> {
    let terminals: Vec<VertexId> = network.terminals().collect();
    let others =
        |to| terminals.iter().filter(move |&&from| from != to).map(move |&from| (from, to));
    if terminals.len() * terminals.len() <= MOST_PAIRS {
        return terminals.iter().flat_map(|&to| others(to)).collect();
    }
    let sample = (MOST_PAIRS / terminals.len()).max(LEAST_SENDERS);
    let mut rng = rng_of(seed, 0, 2);
    let mut pairs = Vec::new();
    for &to in &terminals {
        let mut far: Vec<_> = others(to).collect();
        let near = nearest(network, to, sample).into_iter().map(|from| (from, to));
        let (drawn, _) = far.partial_shuffle(&mut rng, sample);
        pairs.extend(near.chain(drawn.iter().copied()));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The terminals, up to so many, that can send to another past nothing but switches, nearest first.
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
