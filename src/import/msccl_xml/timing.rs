//! Steps and channels for transfers that have none, or those of the comments.

use super::flow::Transfer;
use crate::import::{Imported, Wrong};
use crate::network::metrics::distances_to;
use crate::network::{ChannelId, Network, VertexId};
use crate::problem::{Problem, Switching};
use std::collections::{HashMap, VecDeque};

/// The plan of the transfers.
pub(super) fn timed(problem: &Problem, transfers: &[Transfer]) -> Result<Imported, Wrong> {
    let mut imported = Imported::empty();
    let mut found: Vec<(usize, Vec<ChannelId>)> = Vec::with_capacity(transfers.len());
    let are_planned = transfers.iter().all(|t| t.planned.is_some());
    let mut timing = Timing { problem, used: HashMap::new(), distances: HashMap::new() };
    for t in transfers {
        let placed = match t.planned.filter(|_| are_planned) {
            Some((step, channels)) => {
                check(&problem.network, t, channels).map(|()| (*step, channels.clone()))
            }
            None => {
                let after = t.after.map_or(0, |other| found[other].0 + 1);
                let first = t.before.map_or(after, |other| found[other].0.max(after));
                timing.place(t, first)
            }
        };
        found.push(placed.map_err(|why| (t.line, why))?);
    }
    for (t, (step, channels)) in transfers.iter().zip(&found) {
        imported.push(*step, t.message, channels, t.line);
    }
    Ok(imported)
}

/// Checks that the channels of a comment lead from the sender to the receiver.
fn check(network: &Network, t: &Transfer, channels: &[ChannelId]) -> Result<(), String> {
    let all = network.channels();
    let ends = |c: &ChannelId| all.get(*c as usize).map(|c| (c.from, c.to));
    let ends = channels.iter().map(ends).collect::<Option<Vec<_>>>();
    let ends = ends.ok_or("the comment before it has channels that the network lacks")?;
    match (ends.first(), ends.last()) {
        (Some((from, _)), Some((_, to))) if (*from, *to) == (t.from, t.to) => Ok(()),
        _ => {
            let [from, to] = [t.from, t.to].map(|v| network.vertex_name(v));
            Err(format!(
                "the channels in the comment before it do not lead from '{from}' to '{to}'"
            ))
        }
    }
}

/// What the transfers so far use.
struct Timing<'p> {
    problem: &'p Problem,
    /// By step and resource.
    used: HashMap<(usize, u32), u32>,
    /// By vertex, the distances of all vertices to it.
    distances: HashMap<VertexId, Vec<u32>>,
}

impl Timing<'_> {
    /// The first step from `first` on with room on a path, and the path.
    fn place(&mut self, t: &Transfer, first: usize) -> Result<(usize, Vec<ChannelId>), String> {
        let fixed = self.problem.fixed_route(t.from, t.to).map(<[ChannelId]>::to_vec);
        let shortest = self.distance(t.from, t.to);
        let longest = if self.problem.switching == Switching::Wormhole { u32::MAX - 1 } else { 1 };
        if fixed.is_none() && shortest > longest {
            let [from, to] = [t.from, t.to].map(|v| self.problem.network.vertex_name(v));
            return Err(format!("'{from}' cannot send to '{to}' in one step on this network"));
        }
        // The last step in use is followed by an empty one, in which every path has room.
        let mut step = first;
        loop {
            let path = match &fixed {
                Some(route) => Some(route.clone()).filter(|route| self.has_room(step, route)),
                None => self.path(step, t),
            };
            if let Some(path) = path {
                let Problem { network, resources, switching, .. } = self.problem;
                let take = |resource, _| *self.used.entry((step, resource)).or_default() += 1;
                resources.uses(network, *switching, &path, take);
                return Ok((step, path));
            }
            step += 1;
        }
    }

    /// Whether the ports and channels of a path have room.
    fn has_room(&self, step: usize, path: &[ChannelId]) -> bool {
        let Problem { network, resources, switching, .. } = self.problem;
        let mut has_room = true;
        resources.uses(network, *switching, path, |resource, _| {
            let used = self.used.get(&(step, resource)).copied().unwrap_or(0);
            has_room &= used < resources.capacity(resource);
        });
        has_room
    }

    /// A shortest path with room, found breadth first along channels that lead nearer.
    fn path(&mut self, step: usize, t: &Transfer) -> Option<Vec<ChannelId>> {
        self.distance(t.from, t.to);
        let (network, to) = (&self.problem.network, &self.distances[&t.to]);
        let mut came: HashMap<VertexId, ChannelId> = HashMap::new();
        let mut queue = VecDeque::from([t.from]);
        while let Some(v) = queue.pop_front() {
            if v == t.to {
                let mut path = Vec::new();
                let mut at = v;
                while at != t.from {
                    path.push(came[&at]);
                    at = network.channel(came[&at]).from;
                }
                path.reverse();
                // The ports at both ends are counted for the path alone.
                return Some(path).filter(|path| self.has_room(step, path));
            }
            for &c in network.outgoing(v) {
                let next = network.channel(c).to;
                let is_nearer = to[next as usize] < to[v as usize];
                if is_nearer && !came.contains_key(&next) && self.is_free(step, c) {
                    came.insert(next, c);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn is_free(&self, step: usize, c: ChannelId) -> bool {
        let resource = self.problem.resources.of_channel(c);
        let used = self.used.get(&(step, resource)).copied().unwrap_or(0);
        used < self.problem.resources.capacity(resource)
    }

    /// The channels between two vertices.
    fn distance(&mut self, from: VertexId, to: VertexId) -> u32 {
        let network = &self.problem.network;
        self.distances.entry(to).or_insert_with(|| distances_to(network, to))[from as usize]
    }
}
