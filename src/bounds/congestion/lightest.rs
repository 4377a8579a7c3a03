//! The lightest allowed paths of all demands under weights of links and ports.
//!
//! A walk may visit a vertex twice; as every path is a walk, the lightest walk is no heavier than the
//! lightest path, and the bound stays valid.
//!
//! Where the network has classes of equal terminals, one source of every class stands for all. All
//! cores work on the sources; messages are counted in integers, so that the number of cores makes no
//! difference.

use super::classes::Classes;
use super::walks::{Walks, Weight};
use ccsched_base::cores;
use ccsched_model::problem::{Demand, Problem, ResourceId, Routing};
use ccsched_model::routing::Layers;
use ccsched_network::{ChannelId, VertexId};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Channels examined to find the walks of all sources, at most.
const MOST_LOOKS: usize = 1 << 30;
/// Hops of all these walks, at most; they take eight bytes each.
const MOST_HOPS: usize = 1 << 26;

/// Lightest paths, source by source.
pub struct Lightest<'p> {
    pub(super) problem: &'p Problem,
    pub(super) sources: Vec<Source<'p>>,
    classes: Option<&'p Classes>,
    /// Channels by which a path may be longer than a shortest one; 0 if they have any length.
    slack: u32,
    /// By resource, the messages that take it as a port at their ends, over whatever paths.
    pub(super) at_ends: Vec<u64>,
}

/// One source and what it sends.
pub(super) struct Source<'p> {
    pub(super) demands: &'p [Demand],
    pub(super) walks: Walks,
    /// The number of sources that it stands for.
    pub(super) alike: u32,
}

impl<'p> Lightest<'p> {
    /// Prepares the demands of a problem; with its classes, those of one source of every class. None if
    /// the network is too large.
    pub fn new(problem: &'p Problem, classes: Option<&'p Classes>) -> Option<Self> {
        let network = problem.network();
        let are_free = problem.routing() == Routing::Any;
        let slack = if are_free { 0 } else { problem.routing().slack() };
        let by_source = problem.demands().chunk_by(|a, b| a.source == b.source);
        let alike = |demands: &'p [Demand]| (demands, stands_for(classes, demands[0].source));
        let senders: Vec<_> = by_source.map(alike).filter(|&(_, alike)| alike > 0).collect();
        let looks = network.channels().len().saturating_mul(slack as usize + 1);
        if looks.saturating_mul(senders.len()) > MOST_LOOKS {
            return None;
        }
        let hops = AtomicUsize::new(0);
        let find = |part: Range<usize>| {
            let source = |&(demands, alike): &(&'p [Demand], u32)| {
                let layers = Layers::from(network, demands[0].source);
                let walks = match are_free {
                    true => Walks::free(network, &layers),
                    false => Walks::of(network, &layers, slack),
                };
                let before = hops.fetch_add(walks.len(), Ordering::Relaxed);
                (before + walks.len() <= MOST_HOPS).then_some(Source { demands, walks, alike })
            };
            senders[part].iter().map(source).collect::<Option<Vec<_>>>()
        };
        let parts = cores::parts(senders.len(), |n| (n + 1) * looks);
        let sources: Option<Vec<_>> = cores::each(parts, find).into_iter().collect();
        let mut at_ends = vec![0; problem.resources().capacities().len()];
        for (demands, alike) in senders {
            for d in demands {
                let volume = problem.volume(d) * u64::from(alike);
                end_ports(problem, d).for_each(|port| at_ends[port] += volume);
            }
        }
        let sources = sources?.into_iter().flatten().collect();
        Some(Lightest { problem, sources, classes, slack, at_ends })
    }

    /// Hops of the walks of all sources.
    pub fn hops(&self) -> usize {
        self.sources.iter().map(|source| source.walks.len()).sum()
    }

    /// Whether one source of every class is enough for these weights.
    pub fn fits(&self, weights: &[u64]) -> bool {
        self.classes.is_none_or(|classes| classes.are_level(weights))
    }

    /// Total weight of the lightest paths of all demands, and the weight that one step can carry.
    pub fn weigh(&self, weights: &[u64]) -> (u128, u128) {
        let demand = self.each(weights, u128::default, |sum, source, best, _| {
            let weight = |d: &Demand| u128::from(self.choose(best, d.destination).1);
            let volume = |d: &Demand| u128::from(self.problem.volume(d));
            let all = source.demands.iter().map(|d| weight(d) * volume(d));
            *sum += u128::from(source.alike) * all.sum::<u128>();
        });
        let weigh = |messages: u64, weight: u64| u128::from(messages) * u128::from(weight);
        let at_ends = self.at_ends.iter().zip(weights).map(|(&messages, &w)| weigh(messages, w));
        let capacity = self.problem.resources().capacities().iter();
        let supply = capacity.zip(weights).map(|(&c, &w)| weigh(u64::from(c), w)).sum();
        (demand.into_iter().chain(at_ends).sum(), supply)
    }

    /// The weight of the lightest path of every message, with the ports at its ends.
    pub fn of_messages(&self, weights: &[u64]) -> Vec<u64> {
        let found = self.each(weights, Vec::new, |all: &mut Vec<(u32, u64)>, source, best, _| {
            let of = |d: &Demand| {
                let ports: u64 = end_ports(self.problem, d).map(|port| weights[port]).sum();
                (d.message, self.choose(best, d.destination).1 + ports)
            };
            all.extend(source.demands.iter().map(of));
        });
        let mut of_message = vec![0; self.problem.messages()];
        found.into_iter().flatten().for_each(|(m, weight)| of_message[m as usize] = weight);
        of_message
    }

    /// Routes every message along its lightest path and adds it to the loads of the resources.
    /// Returns the total weight of these paths.
    pub fn add_loads(&self, weights: &[f64], load: &mut [f64]) -> f64 {
        let cells = self.cells();
        let none = || (vec![0.0; cells], vec![0.0; self.problem.network().channels().len()]);
        let carried = self.each(weights, none, |(messages, by_channel), source, best, last| {
            for d in source.demands {
                let (cell, _) = self.choose(best, d.destination);
                messages[cell] += f64::from(source.alike) * self.problem.volume(d) as f64;
            }
            source.walks.carry(last, messages, by_channel);
        });
        let mut added: Vec<f64> = self.at_ends.iter().map(|&messages| messages as f64).collect();
        for (c, _) in (0..).zip(self.problem.network().channels()) {
            let messages: f64 = carried.iter().map(|(_, by_channel)| by_channel[c as usize]).sum();
            self.load_hop(c, messages, &mut added);
        }
        load.iter_mut().zip(&added).for_each(|(load, added)| *load += added);
        self.level(load);
        weights.iter().zip(&added).map(|(weight, added)| weight * added).sum()
    }

    /// Finds the lightest walks of all sources, and passes them to `take`: by cell, their weight and last hop. Returns
    /// what it makes of several parts of the sources.
    fn each<W: Weight, R: Send>(
        &self,
        weights: &[W],
        none: impl Fn() -> R + Sync,
        take: impl Fn(&mut R, &Source<'_>, &[W], &[u32]) + Sync,
    ) -> Vec<R> {
        let channels = 0..self.problem.network().channels().len() as ChannelId;
        let by_channel: Vec<W> = channels.map(|c| self.hop(c, weights)).collect();
        let ends = cores::ends(self.sources.iter().map(|source| source.walks.len()));
        cores::each(cores::parts(ends.len(), |n| ends[n]), |part| {
            let (mut best, mut last) = (vec![W::NONE; self.cells()], vec![0; self.cells()]);
            let mut made = none();
            for source in &self.sources[part] {
                source.walks.weigh(&by_channel, &mut best, &mut last);
                take(&mut made, source, &best, &last);
            }
            made
        })
    }

    /// Cells of the walks of one source.
    fn cells(&self) -> usize {
        (self.slack as usize + 1) * self.problem.network().vertices().len()
    }

    /// The cells of all walks to a vertex.
    pub(super) fn cells_of(&self, v: VertexId) -> impl Iterator<Item = usize> + use<> {
        (v as usize..self.cells()).step_by(self.problem.network().vertices().len())
    }

    /// By resource, the number of its class, and the number of classes.
    pub(super) fn classes_of_resources(&self) -> (Vec<usize>, usize) {
        let resources = self.problem.resources().capacities().len();
        match self.classes {
            Some(classes) => classes.numbers(resources),
            None => ((0..resources).collect(), resources),
        }
    }

    /// Cell and weight of the lightest path to a vertex, without the ports at its ends; the shortest of
    /// equals. There is one: posing a problem refuses demands that cannot be met.
    fn choose<W: Weight>(&self, best: &[W], v: VertexId) -> (usize, W) {
        let lighter = |lightest: (usize, W), cell: usize| {
            if best[cell] < lightest.1 { (cell, best[cell]) } else { lightest }
        };
        self.cells_of(v).fold((v as usize, W::NONE), lighter)
    }

    /// Weight of one hop.
    fn hop<W: Weight>(&self, channel: ChannelId, weights: &[W]) -> W {
        let (link, [send, receive]) = self.of_hop(channel);
        let mut weight = weights[link as usize];
        if let Some(port) = send {
            weight = weight + weights[port as usize];
        }
        if let Some(port) = receive {
            weight = weight + weights[port as usize];
        }
        weight
    }

    /// Adds a number of messages to the load of every resource of one hop.
    pub(super) fn load_hop(&self, channel: ChannelId, messages: f64, load: &mut [f64]) {
        let (link, ports) = self.of_hop(channel);
        load[link as usize] += messages;
        ports.into_iter().flatten().for_each(|port| load[port as usize] += messages);
    }

    pub(super) fn of_hop(&self, channel: ChannelId) -> (ResourceId, [Option<ResourceId>; 2]) {
        let (network, switching, resources) =
            (self.problem.network(), self.problem.switching(), self.problem.resources());
        resources.of_hop(network, switching, channel)
    }

    /// Divides the loads among equal resources, where some sources stand for others.
    pub(super) fn level(&self, load: &mut [f64]) {
        if let Some(classes) = self.classes {
            classes.level(load);
        }
    }
}

/// The ports at the ends of a wormhole transfer.
pub(super) fn end_ports(problem: &Problem, d: &Demand) -> impl Iterator<Item = usize> + use<> {
    let (switching, resources) = (problem.switching(), problem.resources());
    resources.at_ends(switching, d.source, d.destination).map(|port| port as usize)
}

/// The number of senders that a sender stands for.
fn stands_for(classes: Option<&Classes>, sender: VertexId) -> u32 {
    classes.map_or(1, |classes| classes.stands_for(sender))
}
