//! What delays of channels add to the bounds: in a timed schedule a message takes the least delay of its paths beside
//! its bytes; of steps, some are as long as the links that messages must take.

use super::{ByteBound, Evidence, load};
use ccsched_base::cores;
use ccsched_model::problem::{Demand, Problem};
use ccsched_network::VertexId;
use ccsched_network::metrics::distances_from;
use std::collections::HashSet;

/// The least delays of all messages, in bytes.
pub struct Delays {
    /// By channel.
    channels: Vec<u64>,
    /// By demand.
    least: Vec<u64>,
}

impl Delays {
    /// Those of a timed schedule; none without delays.
    pub fn of(problem: &Problem, timed: bool) -> Option<Self> {
        let channels = problem.network().delays_in_bytes();
        if !timed || channels.is_empty() {
            return None;
        }
        let by_source: Vec<&[Demand]> =
            problem.demands().chunk_by(|a, b| a.source == b.source).collect();
        let size = problem.network().channels().len();
        let parts = cores::parts(by_source.len(), |source| (source + 1) * size);
        let of_part = |part: std::ops::Range<usize>| {
            let of_source = |demands: &&[Demand]| least(problem, &channels, demands);
            by_source[part].iter().flat_map(of_source).collect::<Vec<u64>>()
        };
        let least = cores::each(parts, of_part).into_iter().flatten().collect();
        Some(Delays { channels, least })
    }

    /// No schedule is over before the last byte of a message has come through.
    pub fn longest(&self, problem: &Problem) -> Option<u64> {
        let lengths = problem.lengths()?;
        let demands = problem.demands().iter().zip(&self.least);
        demands.map(|(d, delay)| lengths[d.message as usize].saturating_add(*delay)).max()
    }

    /// What a bound gains: the bytes of a terminal travel the least delay of its messages, those that cross a cut
    /// come through one of its channels. Not at a terminal whose links share their directions: what is sent first
    /// and what is received last have other ways before and behind.
    pub fn gain(&self, problem: &Problem, bound: &ByteBound) -> u64 {
        let network = problem.network();
        match (bound.name, &bound.evidence) {
            ("ports", Evidence::Vertex(v)) if !load::has_half_duplex(problem, *v) => {
                let demands = problem.demands().iter().zip(&self.least);
                let own = demands.filter(|(d, _)| d.source == *v || d.destination == *v);
                own.map(|(_, &delay)| delay).min().unwrap_or(0)
            }
            ("cut", Evidence::Side(side)) => {
                let mut inside = vec![false; network.vertices().len()];
                side.iter().for_each(|&v| inside[v as usize] = true);
                let across = network.channels().iter().zip(&self.channels);
                let across =
                    across.filter(|(c, _)| inside[c.from as usize] != inside[c.to as usize]);
                across.map(|(_, &delay)| delay).min().unwrap_or(0)
            }
            _ => 0,
        }
    }
}

/// The least delay of each message of one source.
fn least(problem: &Problem, delays: &[u64], demands: &[Demand]) -> Vec<u64> {
    let source = demands[0].source;
    let free = match problem.has_fixed_routes() {
        true => Vec::new(),
        false => from(problem, delays, source),
    };
    let of = |d: &Demand| match problem.fixed_route(source, d.destination) {
        Some(route) => route.iter().map(|&c| delays[c as usize]).sum(),
        None => free.get(d.destination as usize).copied().unwrap_or(0),
    };
    demands.iter().map(of).collect()
}

/// The least delay of the walks from a vertex to each other one that are no longer than the routing allows: hop by
/// hop, until none gets better.
fn from(problem: &Problem, delays: &[u64], source: VertexId) -> Vec<u64> {
    let network = problem.network();
    let slack = problem.routing().slack();
    let most: Vec<u32> =
        distances_from(network, source).into_iter().map(|d| d.saturating_add(slack)).collect();
    let mut walks = vec![u64::MAX; network.vertices().len()];
    walks[source as usize] = 0;
    let mut least = walks.clone();
    let mut open = vec![source];
    let mut hops = 0;
    while !open.is_empty() {
        hops += 1;
        let reached: Vec<(VertexId, u64)> =
            open.drain(..).map(|v| (v, walks[v as usize])).collect();
        for (v, so_far) in reached {
            for &c in network.outgoing(v) {
                let to = network.channel(c).to;
                let there = so_far.saturating_add(delays[c as usize]);
                if there < walks[to as usize] {
                    walks[to as usize] = there;
                    open.push(to);
                }
            }
        }
        open.sort_unstable();
        open.dedup();
        for &v in open.iter().filter(|&&v| hops <= most[v as usize]) {
            least[v as usize] = walks[v as usize];
        }
    }
    least
}

/// The least sum over the steps of a schedule of the largest delay of a path in each, with these delays by channel
/// and at least `steps` steps. For each length of a channel: messages between parts of the network that only
/// channels as long join take steps that are as long, as many as enter a part over what its channels carry at once.
pub fn of_steps(problem: &Problem, delays: &[u64], steps: u32) -> u64 {
    let mut lengths: Vec<u64> = delays.iter().copied().filter(|&delay| delay > 0).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let (mut sum, mut shorter) = (0u64, 0);
    for length in lengths.into_iter().take(MOST_LENGTHS) {
        let parts = parts(problem, |c| delays[c] < length);
        let all = parts.iter().map(|&part| part as usize + 1).max().unwrap_or(0);
        // Where each channel is as long, each step is.
        let least = if all == parts.len() { u64::from(steps) } else { 0 };
        let number = least.max(entering(problem, &parts, all));
        sum = sum.saturating_add((length - shorter).saturating_mul(number));
        shorter = length;
    }
    sum
}

/// Lengths of channels that are looked at, the shortest first.
const MOST_LENGTHS: usize = 32;

/// By vertex, the number of its part of the network of those channels that a condition names.
fn parts(problem: &Problem, joins: impl Fn(usize) -> bool) -> Vec<u32> {
    let network = problem.network();
    let mut parts = vec![u32::MAX; network.vertices().len()];
    let mut number = 0;
    for start in 0..parts.len() as VertexId {
        if parts[start as usize] != u32::MAX {
            continue;
        }
        parts[start as usize] = number;
        let mut open = vec![start];
        while let Some(v) = open.pop() {
            let out = network.outgoing(v).iter().map(|&c| (c, network.channel(c).to));
            let into = network.incoming(v).iter().map(|&c| (c, network.channel(c).from));
            for (c, next) in out.chain(into) {
                if parts[next as usize] == u32::MAX && joins(c as usize) {
                    parts[next as usize] = number;
                    open.push(next);
                }
            }
        }
        number += 1;
    }
    parts
}

/// The most steps in which messages from elsewhere enter, or leave, one of the parts.
fn entering(problem: &Problem, parts: &[u32], all: usize) -> u64 {
    let network = problem.network();
    let mut carried = vec![[0u64; 2]; all];
    for c in network.channels() {
        let [from, to] = [c.from, c.to].map(|v| parts[v as usize] as usize);
        if from != to {
            carried[from][0] += u64::from(c.capacity);
            carried[to][1] += u64::from(c.capacity);
        }
    }
    let mut entered: HashSet<(u32, u32, bool)> = HashSet::new();
    let mut number = vec![[0u64; 2]; all];
    // Messages that join need one transfer together.
    let is_one = !problem.is_plain();
    for d in problem.demands() {
        let [from, to] = [d.source, d.destination].map(|v| parts[v as usize]);
        if from == to {
            continue;
        }
        let message = if is_one { 0 } else { d.message };
        for (part, is_in) in [(from, false), (to, true)] {
            if entered.insert((message, part, is_in)) {
                number[part as usize][usize::from(is_in)] += 1;
            }
        }
    }
    let of_part = |(number, carried): (&[u64; 2], &[u64; 2])| {
        load::time(number[0], carried[0] as usize).max(load::time(number[1], carried[1] as usize))
    };
    number.iter().zip(&carried).map(of_part).max().unwrap_or(0)
}
