//! The transfers that a step of an all-reduce can have: paths between vertices that store, listed once.

use crate::search::hops::listed;
use ccsched_model::problem::{Problem, ResourceId};
use ccsched_network::{ChannelId, VertexId};
use std::ops::Range;

/// Index of a hop.
pub type HopId = u32;

/// The hops of a problem, stored flat.
#[derive(Default)]
pub struct Hops {
    ends: Vec<[VertexId; 2]>,
    /// `channels[starts[h]..starts[h + 1]]` is the path of hop `h`.
    starts: Vec<u32>,
    channels: Vec<ChannelId>,
    /// `uses[use_starts[h]..use_starts[h + 1]]` are the resources of hop `h`.
    use_starts: Vec<u32>,
    uses: Vec<ResourceId>,
    /// By direction (out, into) and vertex, its hops.
    beside: [Vec<Vec<HopId>>; 2],
    /// By resource, the transfers that it carries in a step.
    capacity: Vec<u32>,
    /// Whether hops to different vertices can be in each other's way.
    compete: bool,
    vertices: usize,
}

impl Hops {
    /// Lists the hops; none if they are too many.
    pub fn of(problem: &Problem) -> Option<Self> {
        let (network, resources) = (problem.network(), problem.resources());
        let n = network.vertices().len();
        let mut hops = Hops {
            starts: vec![0],
            use_starts: vec![0],
            beside: [vec![Vec::new(); n], vec![Vec::new(); n]],
            capacity: resources.capacities().to_vec(),
            compete: problem.switching().holds_paths() || resources.have_ports(),
            vertices: n,
            ..Hops::default()
        };
        if problem.switching().stores() {
            for (id, c) in (0..).zip(network.channels()) {
                hops.push(problem, [c.from, c.to], &[id]);
            }
            return Some(hops);
        }
        let stops: Vec<VertexId> = network.terminals().collect();
        let others = |&a: &VertexId| {
            stops.iter().copied().filter(move |&b| b != a).map(move |b| (a, b)).collect::<Vec<_>>()
        };
        let mut pairs: Vec<(VertexId, VertexId)> = stops.iter().flat_map(others).collect();
        if let Some(groups) = problem.groups() {
            let of = groups.spreading(n);
            let share = |[a, b]: [VertexId; 2]| {
                of[a as usize].iter().any(|group| of[b as usize].contains(group))
            };
            pairs.retain(|&(a, b)| share([a, b]));
        }
        for (&(from, to), paths) in pairs.iter().zip(listed(problem, &pairs)?) {
            paths.iter().for_each(|path| hops.push(problem, [from, to], path));
        }
        Some(hops)
    }

    fn push(&mut self, problem: &Problem, ends: [VertexId; 2], path: &[ChannelId]) {
        let id = self.ends.len() as HopId;
        self.ends.push(ends);
        self.channels.extend_from_slice(path);
        self.starts.push(self.channels.len() as u32);
        let (network, switching) = (problem.network(), problem.switching());
        problem.resources().uses(network, switching, path, |r, _| self.uses.push(r));
        self.use_starts.push(self.uses.len() as u32);
        for (beside, v) in self.beside.iter_mut().zip(ends) {
            beside[v as usize].push(id);
        }
    }

    /// Number of hops.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Number of vertices of the network.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Whether hops to different vertices can be in each other's way.
    pub fn compete(&self) -> bool {
        self.compete
    }

    /// The first and the last vertex of a hop.
    #[inline]
    pub fn ends(&self, hop: HopId) -> [VertexId; 2] {
        self.ends[hop as usize]
    }

    fn range(starts: &[u32], hop: HopId) -> Range<usize> {
        starts[hop as usize] as usize..starts[hop as usize + 1] as usize
    }

    /// The path of a hop.
    pub fn channels(&self, hop: HopId) -> &[ChannelId] {
        &self.channels[Hops::range(&self.starts, hop)]
    }

    /// The resources that a hop uses.
    #[inline]
    pub fn uses(&self, hop: HopId) -> &[ResourceId] {
        &self.uses[Hops::range(&self.use_starts, hop)]
    }

    /// The hops that leave a vertex (`way` 0), or lead to it (1).
    #[inline]
    pub fn beside(&self, way: usize, v: VertexId) -> &[HopId] {
        &self.beside[way][v as usize]
    }

    /// By resource, the transfers that it carries in a step.
    pub fn capacities(&self) -> &[u32] {
        &self.capacity
    }
}
