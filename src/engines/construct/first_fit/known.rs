//! Paths that are known before their messages are placed: fixed routes, and shortest paths without a choice, as in
//! a tree. They are looked up some thousand messages ahead, on another thread.

use ccsched_base::cores;
use ccsched_model::problem::{Demand, Problem};
use ccsched_model::routing::DistanceTable;
use ccsched_network::{ChannelId, VertexId};

/// Messages whose paths are looked up together.
pub const TOGETHER: usize = 1 << 13;

/// Calls a function with each demand of an order and its path, which is empty if there is a choice.
pub fn each(
    problem: &Problem,
    distances: &DistanceTable,
    order: &[Demand],
    mut place: impl FnMut(&Demand, &[ChannelId]),
) {
    let groups: Vec<&[Demand]> = order.chunks(TOGETHER).collect();
    let look_up = |group: usize| Known::of(problem, distances, groups[group]);
    let mut demands = order.iter();
    cores::ahead(groups.len(), look_up, |known| {
        known.paths().zip(demands.by_ref()).for_each(|(path, demand)| place(demand, path));
    });
}

/// The paths of some messages.
#[derive(Clone, Debug, Default)]
pub struct Known {
    channels: Vec<ChannelId>,
    /// By message, the end of its path.
    ends: Vec<u32>,
}

impl Known {
    /// The paths, which are empty where there is a choice.
    pub fn paths(&self) -> impl Iterator<Item = &[ChannelId]> + Clone {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends);
        ranges.map(|(start, &end)| &self.channels[start as usize..end as usize])
    }

    /// Looks up the paths of some messages.
    pub fn of(problem: &Problem, distances: &DistanceTable, demands: &[Demand]) -> Self {
        let mut known = Known::default();
        for demand in demands {
            let ends = (demand.source, demand.destination);
            match problem.fixed_route(ends.0, ends.1) {
                Some(route) => known.channels.extend_from_slice(route),
                None => known.add(problem, ends, distances.row(ends.1)),
            }
            known.ends.push(known.channels.len() as u32);
        }
        known
    }

    /// Adds the shortest path if there is but one. `to` is the distance to the destination, by vertex.
    fn add(&mut self, problem: &Problem, ends: (VertexId, VertexId), to: &[u16]) {
        let network = problem.network();
        let start = self.channels.len();
        let mut v = ends.0;
        while v != ends.1 {
            let left = to[v as usize] - 1;
            let leads = |c: &&ChannelId| to[network.channel(**c).to as usize] == left;
            let mut nearer = network.outgoing(v).iter().filter(leads);
            let (Some(&c), None) = (nearer.next(), nearer.next()) else {
                self.channels.truncate(start);
                return;
            };
            self.channels.push(c);
            v = network.channel(c).to;
        }
    }
}
