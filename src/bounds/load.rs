//! What every bound by counting needs: deliveries to make, and links to make them over.

use crate::network::{ChannelId, VertexId};
use crate::problem::Problem;

/// Steps needed for `work` at `rate` a step. A rate of zero bounds nothing: problems whose
/// demands cannot be met are refused when they are posed.
pub fn steps(work: u64, rate: usize) -> u32 {
    if rate == 0 { 0 } else { work.div_ceil(rate as u64) as u32 }
}

/// How many transfers some channels carry in a step, both directions of a half-duplex link counted
/// once.
pub fn capacity(problem: &Problem, channels: impl Iterator<Item = ChannelId>) -> usize {
    let mut ids: Vec<u32> = channels.map(|c| problem.resources.of_channel(c)).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().map(|link| problem.resources.capacity(link) as usize).sum()
}

/// Whether some link at the vertex is half duplex.
pub fn has_half_duplex(problem: &Problem, v: VertexId) -> bool {
    problem.network.outgoing(v).iter().any(|&c| problem.network.channel(c).exclusive)
}
