//! The walks that a message may take, all at once: a graph whose slots are (vertex, hops made so far),
//! in the order of hops made. No list of paths is needed. A walk that meets a vertex twice is no path,
//! but contains one that routing allows as well and that takes less.

use crate::network::metrics::{UNREACHABLE, distances_to};
use crate::network::{ChannelId, VertexId};
use crate::problem::{Demand, Problem, ResourceId, Switching};
use std::collections::BTreeMap;

/// One hop from slot to slot.
#[derive(Clone, Debug)]
pub struct Hop {
    /// Slot it starts from.
    pub from: usize,
    /// Slot it leads to, a later one.
    pub to: usize,
    /// What it takes: its link, and the ports at both ends where messages stop at every vertex.
    pub takes: Vec<ResourceId>,
}

/// The walks of one demand. Slot 0 is its source, the last slot its destination.
#[derive(Clone, Debug)]
pub struct Walks {
    /// Number of slots.
    pub slots: usize,
    /// All hops.
    pub hops: Vec<Hop>,
    /// What every walk takes besides its hops.
    pub at_ends: Vec<ResourceId>,
}

impl Walks {
    /// The walks of all demands, in their order; none if they have more than so many hops in all.
    pub fn all(problem: &Problem, most_hops: usize) -> Option<Vec<Walks>> {
        let mut distances: BTreeMap<VertexId, Vec<u32>> = BTreeMap::new();
        let mut all = Vec::new();
        let mut hops = 0;
        for d in &problem.demands {
            let walks = match problem.fixed_route(d.source, d.destination) {
                Some(route) => Walks::along(problem, route),
                None => {
                    let to = || distances_to(&problem.network, d.destination);
                    Walks::within(problem, d, distances.entry(d.destination).or_insert_with(to))
                }
            };
            hops += walks.hops.len();
            if hops > most_hops {
                return None;
            }
            all.push(Walks { at_ends: at_ends(problem, d), ..walks });
        }
        Some(all)
    }

    /// The one walk along a route.
    fn along(problem: &Problem, route: &[ChannelId]) -> Walks {
        let hop = |(from, &c)| Hop { from, to: from + 1, takes: taken(problem, c) };
        let hops = route.iter().enumerate().map(hop).collect();
        Walks { slots: route.len() + 1, hops, at_ends: vec![] }
    }

    /// The walks as long as routing allows, layer after layer: from every vertex of one to those from
    /// which the destination is still near enough.
    fn within(problem: &Problem, d: &Demand, distance: &[u32]) -> Walks {
        let network = &problem.network;
        // A path meets no vertex twice.
        let most = network.vertices().len() as u32 - 1;
        let longest = (distance[d.source as usize] + problem.routing.slack()).min(most);
        let destination = usize::MAX;
        let mut walks = Walks { slots: 1, hops: vec![], at_ends: vec![] };
        let mut layer = BTreeMap::from([(d.source, 0)]);
        for made in 1..=longest {
            let mut next = BTreeMap::new();
            for (&v, &from) in &layer {
                for &c in network.outgoing(v) {
                    let to = network.channel(c).to;
                    let left = distance[to as usize];
                    if to == d.source || left == UNREACHABLE || made + left > longest {
                        continue;
                    }
                    let slot = if to == d.destination {
                        destination
                    } else {
                        *next.entry(to).or_insert_with(|| {
                            walks.slots += 1;
                            walks.slots - 1
                        })
                    };
                    walks.hops.push(Hop { from, to: slot, takes: taken(problem, c) });
                }
            }
            layer = next;
        }
        let last = walks.slots;
        walks.hops.iter_mut().filter(|hop| hop.to == destination).for_each(|hop| hop.to = last);
        walks.slots += 1;
        walks
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

/// Hops are listed from earlier slots to later ones, so when one is looked at, all before it have been.
fn lower(least: &mut [Option<u64>], (from, to): (usize, usize), weight: u64) {
    if let Some(so_far) = least[from] {
        let sum = so_far + weight;
        least[to] = Some(least[to].map_or(sum, |least| least.min(sum)));
    }
}

/// The ports at the ends of a wormhole transfer.
fn at_ends(problem: &Problem, d: &Demand) -> Vec<ResourceId> {
    let resources = &problem.resources;
    match problem.switching {
        Switching::Wormhole => {
            let ports = [resources.send_port(d.source), resources.receive_port(d.destination)];
            ports.into_iter().flatten().collect()
        }
        Switching::StoreAndForward => vec![],
    }
}

/// What one hop takes.
fn taken(problem: &Problem, channel: ChannelId) -> Vec<ResourceId> {
    let Problem { network, resources, switching, .. } = problem;
    let mut taken = Vec::new();
    match switching {
        Switching::Wormhole => taken.push(resources.of_channel(channel)),
        Switching::StoreAndForward => {
            resources.uses(network, *switching, &[channel], |resource, _| taken.push(resource));
        }
    }
    taken
}
