//! The lightest allowed paths of all demands under weights of links and ports.
//!
//! For one source, `best[h][v]` is the weight of the lightest walk of h channels to v, for those h
//! that routing allows. A walk that meets a vertex twice is no path, but is no heavier than the path
//! it contains, so the bound stays one.

use crate::network::metrics::{UNREACHABLE, distances_from};
use crate::problem::{Demand, Problem, Switching};
use std::ops::{Add, RangeInclusive};

/// Lightest paths, source by source.
pub struct Lightest<'p> {
    problem: &'p Problem,
    /// Distances from the source of every group of demands.
    groups: Vec<(&'p [Demand], Vec<u32>)>,
    hops: usize,
}

/// The walks of one source.
struct Walks<W> {
    vertices: usize,
    /// Weight by hops, vertex.
    best: Vec<Option<W>>,
    /// Last channel by hops, vertex.
    last: Vec<u32>,
}

impl<'p> Lightest<'p> {
    /// Prepares the demands of a problem.
    pub fn new(problem: &'p Problem) -> Self {
        let by_source = problem.demands.chunk_by(|a, b| a.source == b.source);
        let groups: Vec<_> = by_source
            .map(|demands| (demands, distances_from(&problem.network, demands[0].source)))
            .collect();
        let distances = groups.iter().flat_map(|(_, distance)| distance);
        let farthest = distances.copied().filter(|&d| d != UNREACHABLE).max().unwrap_or(0);
        // A path meets no vertex twice.
        let most = problem.network.vertices().len() - 1;
        let hops = ((farthest + problem.routing.slack()) as usize).min(most);
        Lightest { problem, groups, hops }
    }

    /// Channels looked at in one round over all sources.
    pub fn work(&self) -> u64 {
        (self.groups.len() * self.hops * self.problem.network.channels().len()) as u64
    }

    /// The bound that integer weights give; none if they are all zero.
    pub fn steps(&self, weights: &[u64]) -> Option<u32> {
        let mut demand: u128 = 0;
        for (demands, distance) in &self.groups {
            let walks = self.walks(demands[0].source, distance, weights);
            for d in *demands {
                let (_, path) = self.choose(&walks, distance, d)?;
                demand += u128::from(path + self.ends(d, weights));
            }
        }
        let capacity = self.problem.resources.capacities().iter();
        let supply: u128 =
            capacity.zip(weights).map(|(&c, &w)| u128::from(c) * u128::from(w)).sum();
        (supply > 0).then(|| demand.div_ceil(supply) as u32)
    }

    /// Sends every message along its lightest path: adds to the load of every resource.
    pub fn add_loads(&self, weights: &[f64], load: &mut [u64]) {
        let mut path = Vec::new();
        for (demands, distance) in &self.groups {
            let walks = self.walks(demands[0].source, distance, weights);
            for d in *demands {
                let Some((hops, _)) = self.choose(&walks, distance, d) else { continue };
                path.clear();
                let mut v = d.destination;
                for h in (1..=hops).rev() {
                    let c = walks.last[h * walks.vertices + v as usize];
                    path.push(c);
                    v = self.problem.network.channel(c).from;
                }
                path.reverse();
                let add = |resource: u32, _| load[resource as usize] += 1;
                let Problem { network, switching, resources, .. } = self.problem;
                resources.uses(network, *switching, &path, add);
            }
        }
    }

    /// Lightest walks from one source.
    fn walks<W>(&self, source: u32, distance: &[u32], weights: &[W]) -> Walks<W>
    where
        W: Copy + Default + PartialOrd + Add<Output = W>,
    {
        let vertices = distance.len();
        let cells = (self.hops + 1) * vertices;
        let mut walks = Walks { vertices, best: vec![None; cells], last: vec![0; cells] };
        walks.best[source as usize] = Some(W::default());
        for h in 1..=self.hops {
            for (id, c) in (0..).zip(self.problem.network.channels()) {
                let from = walks.best[(h - 1) * vertices + c.from as usize];
                let Some(so_far) = from.filter(|_| self.allowed(distance, c.to).contains(&h))
                else {
                    continue;
                };
                let weight = so_far + self.hop(id, weights);
                let cell = h * vertices + c.to as usize;
                if walks.best[cell].is_none_or(|best| weight < best) {
                    walks.best[cell] = Some(weight);
                    walks.last[cell] = id;
                }
            }
        }
        walks
    }

    /// Numbers of hops after which a path may be at a vertex.
    fn allowed(&self, distance: &[u32], v: u32) -> RangeInclusive<usize> {
        match distance[v as usize] {
            // Nowhere, and not back at the source.
            UNREACHABLE | 0 => RangeInclusive::new(1, 0),
            d => d as usize..=((d + self.problem.routing.slack()) as usize).min(self.hops),
        }
    }

    /// Hops and weight of the lightest path of a demand, its ends not counted.
    fn choose<W: Copy + PartialOrd>(
        &self,
        walks: &Walks<W>,
        distance: &[u32],
        d: &Demand,
    ) -> Option<(usize, W)> {
        let mut lightest = None;
        for hops in self.allowed(distance, d.destination) {
            let Some(weight) = walks.best[hops * walks.vertices + d.destination as usize] else {
                continue;
            };
            if lightest.is_none_or(|(_, least)| weight < least) {
                lightest = Some((hops, weight));
            }
        }
        lightest
    }

    /// Weight of one hop: its link, and the ports it takes where messages stop at every vertex.
    fn hop<W: Copy + Default + Add<Output = W>>(&self, channel: u32, weights: &[W]) -> W {
        let Problem { network, switching, resources, .. } = self.problem;
        if *switching == Switching::Wormhole {
            return weights[resources.of_channel(channel) as usize];
        }
        let mut weight = W::default();
        let add = |resource: u32, _| weight = weight + weights[resource as usize];
        resources.uses(network, *switching, &[channel], add);
        weight
    }

    /// Weight of the ports at the ends of a wormhole transfer.
    fn ends(&self, d: &Demand, weights: &[u64]) -> u64 {
        if self.problem.switching == Switching::StoreAndForward {
            return 0;
        }
        let resources = &self.problem.resources;
        let ports = [resources.send_port(d.source), resources.receive_port(d.destination)];
        ports.into_iter().flatten().map(|port| weights[port as usize]).sum()
    }
}
