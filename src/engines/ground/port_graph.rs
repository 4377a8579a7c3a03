//! The channels as edges of a bipartite graph, from senders to receivers. A colour is a set of
//! channels that need at most one port of each terminal.

use ccsched_model::problem::Problem;
use ccsched_network::{ChannelId, VertexId};

/// The edges of some channels. What a switch sends and receives is not limited: every channel has an end of its own
/// there. The second number is above those of all ends.
pub fn edges(
    problem: &Problem,
    channels: impl Iterator<Item = ChannelId>,
) -> (Vec<[usize; 2]>, usize) {
    let network = problem.network();
    let mut ends = network.vertices().len();
    let mut end = |v: VertexId| {
        if network.is_terminal(v) {
            return v as usize;
        }
        ends += 1;
        ends - 1
    };
    let channels = channels.map(|c| network.channel(c));
    let edges = channels.map(|c| [c.from, c.to].map(&mut end)).collect();
    (edges, ends)
}
