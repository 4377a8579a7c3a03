//! The cost of a solution, counted naively: all uses are listed, all excesses summed.

use ccsched::engines::Gene;
use ccsched::engines::Routes;
use ccsched::engines::hgsa::genes::LATE;
use ccsched::network::{ChannelId, VertexId};
use ccsched::problem::{Problem, Switching};
use std::collections::{BTreeMap, BTreeSet};

/// A resource: a link, or a terminal's ports for sending or for receiving.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Link(ChannelId),
    Send(VertexId),
    Receive(VertexId),
}

/// The number of uses of each resource in each step.
struct Uses<'a> {
    problem: &'a Problem,
    counts: BTreeMap<(u32, Thing), u64>,
}

impl<'a> Uses<'a> {
    fn new(problem: &'a Problem) -> Self {
        Uses { problem, counts: BTreeMap::new() }
    }

    /// One transfer within one step.
    fn add(&mut self, path: &[ChannelId], step: u32) {
        let network = self.problem.network();
        let mut things: Vec<Thing> = path
            .iter()
            .map(|&c| Thing::Link(network.channel(c).excludes().map_or(c, |other| c.min(other))))
            .collect();
        let (from, to) = (network.channel(path[0]).from, network.channel(path[path.len() - 1]).to);
        things.extend([Thing::Send(from), Thing::Receive(to)]);
        for thing in things {
            *self.counts.entry((step, thing)).or_default() += 1;
        }
    }

    fn capacity(&self, thing: Thing) -> u64 {
        let network = self.problem.network();
        let (v, channels) = match thing {
            Thing::Link(_) => return 1,
            Thing::Send(v) => (v, network.outgoing(v).len()),
            Thing::Receive(v) => (v, network.incoming(v).len()),
        };
        match self.problem.ports().0 {
            // With a port for every channel, the channels limit enough.
            Some(k) if network.is_terminal(v) && (k as usize) < channels => u64::from(k),
            _ => u64::MAX,
        }
    }

    /// Pairs among the excess uses and one more: n uses of capacity c cost (n - c)(n - c + 1) / 2.
    fn cost(&self) -> u64 {
        let excess = |(&(_, thing), &n): (&(u32, Thing), &u64)| {
            let over = n.saturating_sub(self.capacity(thing));
            over * (over + 1) / 2
        };
        self.counts.iter().map(excess).sum()
    }
}

fn hops(problem: &Problem, path: &[ChannelId], step: u32) -> Vec<(Vec<ChannelId>, u32)> {
    match problem.switching() {
        Switching::Wormhole | Switching::Hosts => vec![(path.to_vec(), step)],
        Switching::StoreAndForward => {
            (step..).zip(path).map(|(step, &channel)| (vec![channel], step)).collect()
        }
    }
}

/// A scatter: pairs of transfers in conflict.
pub fn scatter(problem: &Problem, routes: &Routes, genes: &[Gene]) -> u64 {
    let mut uses = Uses::new(problem);
    for gene in genes {
        for (path, step) in hops(problem, routes.table().channels(gene.path), gene.step) {
            uses.add(&path, step);
        }
    }
    uses.cost()
}

/// A wormhole broadcast: conflicts, and transfers by senders that do not have the message yet.
pub fn forest(problem: &Problem, routes: &Routes, genes: &[Gene]) -> u64 {
    let mut uses = Uses::new(problem);
    let mut late = 0;
    for (gene, demand) in genes.iter().zip(problem.demands()) {
        let path = routes.table().channels(gene.path);
        uses.add(path, gene.step);
        let sender = problem.network().channel(path[0]).from;
        let gets = |(g, d): (&Gene, &ccsched::problem::Demand)| {
            d.message == demand.message && d.destination == sender && g.step < gene.step
        };
        let has = sender == demand.source || genes.iter().zip(problem.demands()).any(gets);
        late += u64::from(!has);
    }
    uses.cost() + LATE * late
}

/// A store-and-forward broadcast whose genes occupy all hops of their paths; genes of one message
/// share a hop.
pub fn plain_flood(problem: &Problem, routes: &Routes, genes: &[Gene]) -> u64 {
    let mut made = BTreeSet::new();
    for (gene, demand) in genes.iter().zip(problem.demands()) {
        for (path, step) in hops(problem, routes.table().channels(gene.path), gene.step) {
            made.insert((demand.message, step, path[0]));
        }
    }
    let mut uses = Uses::new(problem);
    for (_, step, channel) in made {
        uses.add(&[channel], step);
    }
    uses.cost()
}

/// A store-and-forward broadcast: conflicts among first arrivals; among arrivals in the same step,
/// the one over the lowest channel counts.
pub fn flood(problem: &Problem, routes: &Routes, genes: &[Gene]) -> u64 {
    let mut arrivals = BTreeSet::new();
    for (gene, demand) in genes.iter().zip(problem.demands()) {
        for (path, step) in hops(problem, routes.table().channels(gene.path), gene.step) {
            let to = problem.network().channel(path[0]).to;
            arrivals.insert((demand.message, to, step, path[0]));
        }
    }
    let mut uses = Uses::new(problem);
    let mut reached = BTreeSet::new();
    for (message, to, step, channel) in arrivals {
        if reached.insert((message, to)) {
            uses.add(&[channel], step);
        }
    }
    uses.cost()
}
