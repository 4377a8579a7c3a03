//! The lightest allowed paths of all demands under weights of links and ports.
//!
//! For one source, `best[e][v]` is the weight of the lightest walk to v that is e channels longer
//! than a shortest one, for every e that routing allows. A walk may visit a vertex twice; as every
//! path is a walk, the lightest walk is no heavier than the lightest path, and the bound stays
//! valid.
//!
//! Where the network has classes of equal terminals, one source of every class stands for all.

use super::classes::Classes;
use crate::network::{ChannelId, VertexId};
use crate::problem::{Demand, Problem, ResourceId};
use crate::routing::Layers;
use std::ops::Add;

/// Lightest paths, source by source.
pub struct Lightest<'p> {
    pub(super) problem: &'p Problem,
    pub(super) sources: Vec<Source<'p>>,
    classes: Option<&'p Classes>,
    /// Channels by which a path may be longer than a shortest one.
    pub(super) slack: u32,
}

/// One source and what it sends.
pub(super) struct Source<'p> {
    pub(super) demands: &'p [Demand],
    pub(super) layers: Layers,
    /// The number of sources that it stands for.
    pub(super) alike: u32,
}

/// The walks of one source. Cell `e * vertices + v` describes walks to v that are e channels longer
/// than a shortest one.
struct Walks<W> {
    /// Weight.
    best: Vec<Option<W>>,
    /// Last channel.
    last: Vec<ChannelId>,
}

impl<'p> Lightest<'p> {
    /// Prepares the demands of a problem; with its classes, those of one source of every class.
    pub fn new(problem: &'p Problem, classes: Option<&'p Classes>) -> Self {
        let by_source = problem.demands.chunk_by(|a, b| a.source == b.source);
        let source = |demands: &'p [Demand]| {
            let alike = stands_for(classes, demands[0].source);
            let layers = || Layers::from(&problem.network, demands[0].source);
            (alike > 0).then(|| Source { demands, layers: layers(), alike })
        };
        let sources = by_source.filter_map(source).collect();
        Lightest { problem, sources, classes, slack: problem.routing.slack() }
    }

    /// Approximate number of channels examined to find all lightest paths of a problem.
    pub fn work(problem: &Problem, classes: Option<&Classes>) -> u64 {
        let channels = problem.network.channels().len() as u64;
        let senders = problem.senders.iter().filter(|&&v| stands_for(classes, v) > 0).count();
        senders as u64 * channels * u64::from(problem.routing.slack() + 1)
    }

    /// Whether one source of every class is enough for these weights.
    pub fn fits(&self, weights: &[u64]) -> bool {
        self.classes.is_none_or(|classes| classes.are_level(weights))
    }

    /// Total weight of the lightest paths of all demands, and the weight that one step can carry.
    pub fn weigh(&self, weights: &[u64]) -> (u128, u128) {
        let mut walks = self.empty();
        let mut demand: u128 = 0;
        for source in &self.sources {
            self.walk(source, weights, &mut walks);
            for d in source.demands {
                let (_, path) = self.choose(source, &walks, d.destination);
                demand += u128::from(source.alike) * u128::from(path + self.ends(d, weights));
            }
        }
        let capacity = self.problem.resources.capacities().iter();
        let supply = capacity.zip(weights).map(|(&c, &w)| u128::from(c) * u128::from(w)).sum();
        (demand, supply)
    }

    /// Routes every message along its lightest path and adds it to the loads of the resources.
    /// Returns the total weight of these paths.
    pub fn add_loads(&self, weights: &[f64], load: &mut [f64]) -> f64 {
        let n = self.problem.network.vertices().len();
        let mut walks = self.empty();
        let mut flow = vec![0.0; walks.best.len()];
        let mut total = 0.0;
        for source in &self.sources {
            self.walk(source, weights, &mut walks);
            for d in source.demands {
                let (extra, path) = self.choose(source, &walks, d.destination);
                total += f64::from(source.alike) * (path + self.ends(d, weights));
                flow[extra * n + d.destination as usize] += f64::from(source.alike);
            }
            // From the farthest vertices back to the source, so that the flow through a vertex is
            // complete before it moves on to the previous one.
            for hops in (1..=source.layers.longest(self.slack)).rev() {
                for &v in source.layers.within(hops, self.slack) {
                    let Some(cell) = self.cell(source, v, hops) else { continue };
                    let through = std::mem::take(&mut flow[cell]);
                    if through > 0.0 {
                        let c = walks.last[cell];
                        let before = self.problem.network.channel(c).from;
                        self.load_hop(c, through, load);
                        if let Some(cell) = self.cell(source, before, hops - 1) {
                            flow[cell] += through;
                        }
                    }
                }
            }
            flow[source.demands[0].source as usize] = 0.0;
        }
        self.load_ends(load);
        self.level(load);
        total
    }

    /// Empty cells for the walks of one source.
    fn empty<W: Copy>(&self) -> Walks<W> {
        let cells = (self.slack as usize + 1) * self.problem.network.vertices().len();
        Walks { best: vec![None; cells], last: vec![0; cells] }
    }

    /// Finds the lightest walks from one source.
    fn walk<W>(&self, source: &Source, weights: &[W], walks: &mut Walks<W>)
    where
        W: Copy + Default + PartialOrd + Add<Output = W>,
    {
        let network = &self.problem.network;
        walks.best.fill(None);
        walks.best[source.demands[0].source as usize] = Some(W::default());
        for hops in 0..source.layers.longest(self.slack) {
            for &v in source.layers.within(hops, self.slack) {
                let Some(so_far) = self.cell(source, v, hops).and_then(|cell| walks.best[cell])
                else {
                    continue;
                };
                for &c in network.outgoing(v) {
                    let to = network.channel(c).to;
                    let Some(cell) = self.cell(source, to, hops + 1) else { continue };
                    let weight = so_far + self.hop(c, weights);
                    if walks.best[cell].is_none_or(|best| weight < best) {
                        walks.best[cell] = Some(weight);
                        walks.last[cell] = c;
                    }
                }
            }
        }
    }

    /// The cell of walks of `hops` channels to a vertex, if routing allows them.
    pub(super) fn cell(&self, source: &Source, v: VertexId, hops: u32) -> Option<usize> {
        let extra = source.layers.detour(v, hops).filter(|&extra| extra <= self.slack)?;
        // Walks do not return to the source.
        let simple = extra < hops || hops == 0;
        simple.then(|| extra as usize * source.layers.distance.len() + v as usize)
    }

    /// The cells of all walks to a vertex.
    #[cfg(feature = "lp")]
    pub(super) fn cells(
        &self,
        source: &Source,
        v: VertexId,
    ) -> impl Iterator<Item = usize> + use<> {
        let n = source.layers.distance.len();
        (0..=self.slack as usize).map(move |extra| extra * n + v as usize)
    }

    /// By resource, the number of its class, and the number of classes.
    #[cfg(feature = "lp")]
    pub(super) fn classes_of_resources(&self) -> (Vec<usize>, usize) {
        let resources = self.problem.resources.capacities().len();
        match self.classes {
            Some(classes) => classes.numbers(resources),
            None => ((0..resources).collect(), resources),
        }
    }

    /// Extra channels and weight of the lightest path to a vertex, without the ports at its ends.
    /// There is one: posing a problem refuses demands that cannot be met.
    fn choose<W>(&self, source: &Source, walks: &Walks<W>, v: VertexId) -> (usize, W)
    where
        W: Copy + Default + PartialOrd,
    {
        let mut lightest = None;
        for extra in 0..=self.slack as usize {
            let Some(weight) = walks.best[extra * source.layers.distance.len() + v as usize] else {
                continue;
            };
            if lightest.is_none_or(|(_, least)| weight < least) {
                lightest = Some((extra, weight));
            }
        }
        lightest.unwrap_or_default()
    }

    /// Weight of one hop.
    fn hop<W: Copy + Default + Add<Output = W>>(&self, channel: ChannelId, weights: &[W]) -> W {
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
        let Problem { network, switching, resources, .. } = self.problem;
        resources.of_hop(network, *switching, channel)
    }

    /// The ports at the ends of a wormhole transfer.
    pub(super) fn end_ports(&self, d: &Demand) -> impl Iterator<Item = usize> + use<> {
        let Problem { switching, resources, .. } = self.problem;
        resources.at_ends(*switching, d.source, d.destination).map(|port| port as usize)
    }

    /// Weight of the ports at the ends of a wormhole transfer.
    fn ends<W: Copy + Default + Add<Output = W>>(&self, d: &Demand, weights: &[W]) -> W {
        self.end_ports(d).fold(W::default(), |sum, port| sum + weights[port])
    }

    /// Adds all messages to the loads of the ports at their ends.
    pub(super) fn load_ends(&self, load: &mut [f64]) {
        for source in &self.sources {
            for d in source.demands {
                self.end_ports(d).for_each(|port| load[port] += f64::from(source.alike));
            }
        }
    }

    /// Divides the loads among equal resources, where some sources stand for others.
    pub(super) fn level(&self, load: &mut [f64]) {
        if let Some(classes) = self.classes {
            classes.level(load);
        }
    }
}

/// The number of senders that a sender stands for.
fn stands_for(classes: Option<&Classes>, sender: VertexId) -> u32 {
    classes.map_or(1, |classes| classes.stands_for(sender))
}
