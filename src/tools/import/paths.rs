//! The channels of a transfer whose file has only the vertices of its path, or only its ends.

use ccsched_model::problem::Problem;
use ccsched_network::{ChannelId, VertexId};
use std::collections::HashMap;

/// Chooses channels, and remembers their use by step: of parallel channels a transfer takes the one
/// with the most room.
pub(super) struct Paths<'p> {
    problem: &'p Problem,
    /// By step and resource, the transfers so far.
    used: HashMap<(usize, u32), u32>,
}

impl<'p> Paths<'p> {
    /// No channel is in use.
    pub fn new(problem: &'p Problem) -> Self {
        Paths { problem, used: HashMap::new() }
    }

    /// The channels along these vertices in a step.
    pub fn along(&self, step: usize, vertices: &[VertexId]) -> Result<Vec<ChannelId>, String> {
        if let Some(route) = self.route(vertices) {
            return Ok(route);
        }
        let hop = |pair: &[VertexId]| self.between(step, pair[0], pair[1]);
        vertices.windows(2).map(hop).collect()
    }

    /// The channels of a transfer whose file has only its ends: its fixed route, or one channel.
    pub fn of_ends(
        &self,
        step: usize,
        from: VertexId,
        to: VertexId,
    ) -> Result<Vec<ChannelId>, String> {
        if let Some(route) = self.problem.fixed_route(from, to) {
            return Ok(route.to_vec());
        }
        let channel = self.between(step, from, to);
        channel.map(|c| vec![c]).map_err(|why| {
            format!("{why}; a transfer over several channels needs a path or channels")
        })
    }

    /// Notes that a transfer uses these channels in a step.
    pub fn take(&mut self, step: usize, channels: &[ChannelId]) {
        for &c in channels {
            *self.used.entry((step, self.problem.resources().of_channel(c))).or_default() += 1;
        }
    }

    /// The fixed route between the ends of a path, if it has the same vertices.
    fn route(&self, vertices: &[VertexId]) -> Option<Vec<ChannelId>> {
        let ([first, ..], [.., last]) = (vertices, vertices) else { return None };
        let route = self.problem.fixed_route(*first, *last)?;
        let network = self.problem.network();
        let is_same = route.len() + 1 == vertices.len()
            && route.iter().zip(&vertices[1..]).all(|(&c, &v)| network.channel(c).to == v);
        is_same.then(|| route.to_vec())
    }

    /// The channel with the most room of those from one vertex to another.
    fn between(&self, step: usize, from: VertexId, to: VertexId) -> Result<ChannelId, String> {
        let (network, resources) = (self.problem.network(), self.problem.resources());
        let room = |c: ChannelId| {
            let resource = resources.of_channel(c);
            let used = self.used.get(&(step, resource)).copied().unwrap_or(0);
            i64::from(resources.capacity(resource)) - i64::from(used)
        };
        let parallel = network.outgoing(from).iter().copied();
        let parallel = parallel.filter(|&c| network.channel(c).to == to);
        // The first of those with equal room.
        parallel.rev().max_by_key(|&c| room(c)).ok_or_else(|| {
            let [from, to] = [from, to].map(|v| network.vertex_name(v));
            format!("the network has no channel from '{from}' to '{to}'")
        })
    }
}
