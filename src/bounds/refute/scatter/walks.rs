//! The walks that a message may take, each hop with the resources that it takes, so that hops can
//! be weighed and useless ones removed.

use crate::refute::meaning::Slot;
use ccsched_model::problem::{Problem, ResourceId};
use ccsched_model::routing;
use ccsched_model::routing::{WalkFinder, WalkGraph};
use ccsched_network::metrics::distances_to;
use ccsched_network::{ChannelId, VertexId};
use std::collections::BTreeMap;

/// One hop from slot to slot.
#[derive(Clone, Debug)]
pub struct Hop {
    /// Slot it starts from.
    pub from: usize,
    /// Slot it leads to, a later one.
    pub to: usize,
    /// The channel that it crosses.
    pub channel: ChannelId,
    /// The resources that it takes: its link and, with store-and-forward switching, the ports at
    /// both ends.
    pub takes: Vec<ResourceId>,
}

/// The walks of one demand. Slot 0 is its source, the last slot its destination.
#[derive(Clone, Debug)]
pub struct Walks {
    /// Number of slots.
    pub slots: usize,
    /// All hops.
    pub hops: Vec<Hop>,
    /// The resources that every walk takes besides those of its hops.
    pub at_ends: Vec<ResourceId>,
}

impl Walks {
    /// The walks of all demands, in their order; none if they have more than `most_hops` hops in
    /// all, or it is stopped.
    pub fn all(problem: &Problem, most_hops: usize, stop: &dyn Fn() -> bool) -> Option<Vec<Walks>> {
        let (network, resources, switching) =
            (problem.network(), problem.resources(), problem.switching());
        // A path visits no vertex twice.
        let most = network.vertices().len() as u32 - 1;
        let mut distances: BTreeMap<VertexId, Vec<u32>> = BTreeMap::new();
        let mut finder = WalkFinder::default();
        let mut all = Vec::new();
        let mut hops = 0;
        for d in problem.demands() {
            let (from, to) = (d.source, d.destination);
            let graph = match problem.fixed_route(from, to) {
                Some(route) => finder.follow(route),
                None => {
                    let distance = distances.entry(to).or_insert_with(|| distances_to(network, to));
                    let longest = distance[from as usize].saturating_add(problem.routing().slack());
                    finder.find(network, (from, to), distance, longest.min(most))
                }
            };
            hops += graph.hops();
            if hops > most_hops || stop() {
                return None;
            }
            let at_ends = resources.at_ends(switching, from, to).collect();
            all.push(Walks { at_ends, ..Walks::of(problem, graph) });
        }
        Some(all)
    }

    /// The hops of a graph in the order of the slots that they start from, with slots renumbered in
    /// the order in which these hops reach them.
    fn of(problem: &Problem, graph: WalkGraph<'_>) -> Walks {
        let (network, resources, switching) =
            (problem.network(), problem.resources(), problem.switching());
        let into = |slot| graph.into_slot(slot).iter().map(move |&hop| (hop, slot));
        let mut hops: Vec<(routing::Hop, usize)> = (1..graph.slots()).flat_map(into).collect();
        hops.sort_unstable_by_key(|(hop, _)| (hop.from, hop.channel));
        let last = graph.slots() - 1;
        let mut numbers = vec![0; graph.slots()];
        numbers[last] = last;
        let mut next = 1;
        for &(_, to) in &hops {
            if numbers[to] == 0 {
                numbers[to] = next;
                next += 1;
            }
        }
        let hop = |(hop, to): (routing::Hop, usize)| {
            let (link, ports) = resources.of_hop(network, switching, hop.channel);
            let takes = std::iter::once(link).chain(ports.into_iter().flatten()).collect();
            let (from, to) = (numbers[hop.from as usize], numbers[to]);
            Hop { from, to, channel: hop.channel, takes }
        };
        Walks { slots: graph.slots(), hops: hops.into_iter().map(hop).collect(), at_ends: vec![] }
    }

    /// Removes the hops that fail a test, and those that are then on no walk.
    pub fn keep(&mut self, passes: impl Fn(&Hop) -> bool) {
        self.hops.retain(passes);
        let (before, after) = (self.hops_before(), self.hops_after());
        self.hops.retain(|hop| before[hop.from].is_some() && after[hop.to].is_some());
    }

    /// Whether every walk takes a resource.
    pub fn needs(&self, resource: ResourceId) -> bool {
        let takes = |hop: &Hop| u64::from(hop.takes.contains(&resource));
        self.at_ends.contains(&resource) || self.least(takes) > 0
    }

    /// By slot, what it is; the source for slots without hops.
    pub fn places(&self, problem: &Problem) -> Vec<Slot> {
        let made = self.hops_before();
        let ends = |hop: &Hop| problem.network().channel(hop.channel);
        let source = self.hops.first().map_or(0, |hop| ends(hop).from);
        let mut places = vec![Slot { vertex: source, made: Some(0) }; self.slots];
        for hop in &self.hops {
            let made = made[hop.to].filter(|_| hop.to + 1 < self.slots);
            places[hop.to] = Slot { vertex: ends(hop).to, made };
        }
        places
    }

    /// The least weight of a walk, ends not counted.
    pub fn least(&self, weight: impl Fn(&Hop) -> u64) -> u64 {
        self.lightest_before(weight)[self.slots - 1].unwrap_or(0)
    }

    /// By slot, the least weight of hops from the source to there.
    pub fn lightest_before(&self, weight: impl Fn(&Hop) -> u64) -> Vec<Option<u64>> {
        let mut least = vec![None; self.slots];
        least[0] = Some(0);
        for hop in &self.hops {
            lower(&mut least, (hop.from, hop.to), weight(hop));
        }
        least
    }

    /// By slot, the least weight of hops from there to the destination.
    pub fn lightest_after(&self, weight: impl Fn(&Hop) -> u64) -> Vec<Option<u64>> {
        let mut least = vec![None; self.slots];
        least[self.slots - 1] = Some(0);
        for hop in self.hops.iter().rev() {
            lower(&mut least, (hop.to, hop.from), weight(hop));
        }
        least
    }

    /// By slot, the fewest hops from the source to there.
    pub fn hops_before(&self) -> Vec<Option<u64>> {
        self.lightest_before(|_| 1)
    }

    /// By slot, the fewest hops from there to the destination.
    pub fn hops_after(&self) -> Vec<Option<u64>> {
        self.lightest_after(|_| 1)
    }
}

/// Lowers the weight of a slot by one hop. Hops are listed from earlier slots to later ones, so all
/// hops before this one are done.
fn lower(least: &mut [Option<u64>], (from, to): (usize, usize), weight: u64) {
    if let Some(so_far) = least[from] {
        let sum = so_far + weight;
        least[to] = Some(least[to].map_or(sum, |least| least.min(sum)));
    }
}
