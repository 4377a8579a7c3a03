//! The lightest allowed paths of all demands under weights of links and ports.
//!
//! A walk may visit a vertex twice; as every path is a walk, the lightest walk is no heavier than the
//! lightest path, and the bound stays valid.
//!
//! Where the network has classes of equal terminals, one source of every class stands for all. All
//! cores work on the sources; messages are counted in integers, so that the number of cores makes no
//! difference.

use super::classes::Classes;
use ccsched_base::cores;
use ccsched_model::problem::{Demand, Problem, ResourceId, Routing};
use ccsched_model::routing::Layers;
use ccsched_network::metrics::UNREACHABLE;
use ccsched_network::{ChannelId, Network, VertexId};
use std::ops::{Add, Range};
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
    at_ends: Vec<u64>,
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
    fn load_hop(&self, channel: ChannelId, messages: f64, load: &mut [f64]) {
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
    fn level(&self, load: &mut [f64]) {
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

// Divides every message evenly among all its shortest paths. Where a symmetry maps every channel
// to every other, all channels then have the same load, and no other division has a smaller
// largest load: total distance over channels (umda-diameter-degree-networks, section 3) is then
// the best that congestion can prove.

/// The load of every resource.
pub fn loads(lightest: &Lightest<'_>) -> Vec<f64> {
    let mut load: Vec<f64> = lightest.at_ends.iter().map(|&messages| messages as f64).collect();
    for source in &lightest.sources {
        spread(lightest, source, &mut load);
    }
    lightest.level(&mut load);
    load
}

/// Adds the load of one source: counts shortest paths outwards, then divides the messages
/// backwards.
fn spread(lightest: &Lightest<'_>, source: &Source<'_>, load: &mut [f64]) {
    let Source { demands, walks, alike } = source;
    let network = lightest.problem.network();
    let n = network.vertices().len();
    let shortest =
        walks.are_free().then(|| Walks::of(network, &Layers::from(network, walks.start), 0));
    let walks = shortest.as_ref().unwrap_or(walks);
    // Walks of the first cells are shortest paths.
    let cells = || walks.cells().filter(|&(cell, ..)| (cell as usize) < n);
    let mut paths = vec![0.0; n];
    let mut flow = paths.clone();
    paths[walks.start as usize] = 1.0;
    for (cell, _, hops) in cells() {
        paths[cell as usize] = hops.iter().map(|hop| paths[hop.before as usize]).sum();
    }
    for d in *demands {
        flow[d.destination as usize] += f64::from(*alike) * lightest.problem.volume(d) as f64;
    }
    for (cell, _, hops) in cells().rev() {
        let share = flow[cell as usize] / paths[cell as usize];
        for hop in hops {
            let before = hop.before as usize;
            lightest.load_hop(hop.channel, share * paths[before], load);
            flow[before] += share * paths[before];
        }
    }
}

// The walks from one source that routing allows, hop by hop.
//
// Cell `e * vertices + v` is for the walks to v that are e channels longer than a shortest one.
// Every reachable cell lists its last hops, so that a pass over all walks reads two arrays
// sequentially. Paths of any length have one cell a vertex, whose last hops come from all its
// neighbours; then passes are repeated until none finds a lighter path.

/// The number of a cell.
pub type Cell = u32;

/// The weight of a walk.
trait Weight: Copy + Default + PartialOrd + Add<Output = Self> + Send + Sync {
    /// Where no walk leads.
    const NONE: Self;
}

impl Weight for u64 {
    const NONE: Self = u64::MAX;
}

impl Weight for f64 {
    const NONE: Self = f64::INFINITY;
}

/// The last hop of walks to a cell.
#[derive(Clone, Copy)]
pub struct Hop {
    pub before: Cell,
    pub channel: ChannelId,
}

/// The walks from one source.
pub struct Walks {
    /// The cell of the walk without a hop.
    pub start: Cell,
    /// The other cells that walks lead to, those after fewer hops first, each with the end of its hops in the list of all.
    ends: Vec<(Cell, u32)>,
    /// Of one cell, those from vertices near the source first.
    hops: Vec<Hop>,
    /// Whether they are paths of any length.
    are_free: bool,
}

impl Walks {
    /// The walks that are at most `slack` channels longer than a shortest one.
    fn of(network: &Network, layers: &Layers, slack: u32) -> Self {
        let n = layers.distance.len();
        let cell = |v: u32, hops: u32| {
            let extra = layers.detour(v, hops).filter(|&extra| extra <= slack)?;
            // Walks do not return to the source.
            let simple = extra < hops || hops == 0;
            simple.then(|| (extra as usize * n + v as usize) as Cell)
        };
        let start = layers.order[0];
        let mut walks = Walks { start, ends: Vec::new(), hops: Vec::new(), are_free: false };
        let mut is_reached = vec![false; (slack as usize + 1) * n];
        is_reached[start as usize] = true;
        for hops in 1..=layers.longest(slack) {
            for &v in layers.within(hops, slack) {
                let Some(to) = cell(v, hops) else { continue };
                let begin = walks.hops.len();
                for &channel in network.incoming(v) {
                    let from = network.channel(channel).from;
                    let before = cell(from, hops - 1).filter(|&cell| is_reached[cell as usize]);
                    walks.hops.extend(before.map(|before| Hop { before, channel }));
                }
                if walks.hops.len() > begin {
                    let key = |hop: &Hop| {
                        let from = network.channel(hop.channel).from;
                        (layers.distance[from as usize], from, hop.channel)
                    };
                    walks.hops[begin..].sort_unstable_by_key(key);
                    walks.ends.push((to, walks.hops.len() as u32));
                    is_reached[to as usize] = true;
                }
            }
        }
        walks.hops.shrink_to_fit();
        walks
    }

    /// The paths of any length.
    fn free(network: &Network, layers: &Layers) -> Self {
        let start = layers.order[0];
        let mut walks = Walks { start, ends: Vec::new(), hops: Vec::new(), are_free: true };
        for &v in &layers.order[1..] {
            let from = |&channel: &ChannelId| network.channel(channel).from;
            let is_reached = |c: &&ChannelId| layers.distance[from(c) as usize] != UNREACHABLE;
            let hop = |&channel: &ChannelId| Hop { before: from(&channel), channel };
            walks.hops.extend(network.incoming(v).iter().filter(is_reached).map(hop));
            walks.ends.push((v, walks.hops.len() as u32));
        }
        walks
    }

    /// Whether they are paths of any length.
    pub fn are_free(&self) -> bool {
        self.are_free
    }

    /// Hops of all cells.
    fn len(&self) -> usize {
        self.hops.len()
    }

    /// The cells that walks lead to, after more and more hops, each with the number of its first hop and its hops.
    pub fn cells(&self) -> impl DoubleEndedIterator<Item = (Cell, usize, &[Hop])> {
        (0..self.ends.len()).map(|at| {
            let begin = at.checked_sub(1).map_or(0, |before| self.ends[before].1) as usize;
            let (cell, end) = self.ends[at];
            (cell, begin, &self.hops[begin..end as usize])
        })
    }

    /// Finds the lightest walks: by cell, their weight and the number of their last hop, the first of equals.
    fn weigh<W: Weight>(&self, by_channel: &[W], best: &mut [W], last: &mut [u32]) {
        best.fill(W::NONE);
        best[self.start as usize] = W::default();
        while self.lighten(by_channel, best, last) && self.are_free {}
    }

    /// One pass over all cells. Returns whether it has found a lighter walk.
    fn lighten<W: Weight>(&self, by_channel: &[W], best: &mut [W], last: &mut [u32]) -> bool {
        let mut is_lighter = false;
        for (cell, begin, hops) in self.cells() {
            // Only a lighter walk replaces one, so that the last hops form no cycle.
            let before = best[cell as usize];
            let mut lightest = (before, last[cell as usize]);
            for (at, hop) in (begin as u32..).zip(hops) {
                let so_far = best[hop.before as usize];
                if so_far < lightest.0 && so_far + by_channel[hop.channel as usize] < lightest.0 {
                    lightest = (so_far + by_channel[hop.channel as usize], at);
                }
            }
            is_lighter |= lightest.0 < before;
            (best[cell as usize], last[cell as usize]) = lightest;
        }
        is_lighter
    }

    /// Moves messages from the cells of their destinations back to the source, each along the last hops that were found,
    /// and counts those that take each channel.
    fn carry(&self, last: &[u32], messages: &mut [f64], by_channel: &mut [f64]) {
        if self.are_free {
            for (cell, ..) in self.cells() {
                let through = std::mem::take(&mut messages[cell as usize]);
                let mut at = if through > 0.0 { cell } else { self.start };
                while at != self.start {
                    let hop = self.hops[last[at as usize] as usize];
                    by_channel[hop.channel as usize] += through;
                    at = hop.before;
                }
            }
            return;
        }
        // The messages through a cell are complete before they move on to the previous one.
        for (cell, ..) in self.cells().rev() {
            let through = std::mem::take(&mut messages[cell as usize]);
            if through > 0.0 {
                let hop = self.hops[last[cell as usize] as usize];
                by_channel[hop.channel as usize] += through;
                messages[hop.before as usize] += through;
            }
        }
        messages[self.start as usize] = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::spec;

    #[test]
    fn walks_of_a_ring() {
        let ring = spec::parse("ring:6").unwrap();
        let cells = |slack| {
            let walks = Walks::of(&ring, &Layers::from(&ring, 0), slack);
            let cells: Vec<_> = walks.cells().map(|(cell, _, hops)| (cell, hops.len())).collect();
            assert_eq!(walks.len(), cells.iter().map(|(_, hops)| hops).sum::<usize>());
            cells
        };
        assert_eq!(cells(0), [(1, 1), (5, 1), (2, 1), (4, 1), (3, 2)]);
        // Two channels more, there and back, but not to the source.
        let longer = cells(2);
        assert_eq!(longer.len(), 5 + 5);
        assert!(longer.contains(&(12 + 1, 1)) && longer.contains(&(12 + 3, 2)), "{longer:?}");
    }

    #[test]
    fn messages_take_the_lightest_walks() {
        let mesh = spec::parse("mesh:2x2").unwrap();
        let walks = Walks::of(&mesh, &Layers::from(&mesh, 0), 0);
        let channels = mesh.channels().len();
        let heavy = mesh.outgoing(0)[0];
        let mut weights = vec![1_u64; channels];
        weights[heavy as usize] = 3;
        let (mut best, mut last) = (vec![0; 4], vec![0; 4]);
        walks.weigh(&weights, &mut best, &mut last);
        let near = mesh.channel(heavy).to as usize;
        assert_eq!((best[0], best[near], best[3], best[3 - near]), (0, 3, 2, 1));
        let (mut messages, mut loads) = (vec![0.0, 1.0, 1.0, 1.0], vec![0.0; channels]);
        walks.carry(&last, &mut messages, &mut loads);
        assert_eq!((loads[heavy as usize], loads.iter().sum::<f64>()), (1.0, 4.0));
        assert!(messages.iter().all(|&m| m == 0.0));
    }
}
