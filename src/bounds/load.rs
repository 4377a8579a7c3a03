//! Shared by the counting bounds: steps for an amount of work, and the capacity of links.

use ccsched_model::problem::Problem;
use ccsched_network::{ChannelId, VertexId};

/// Steps needed for `work` at `rate` a step. A rate of zero gives no bound: posing a problem
/// refuses demands that cannot be met.
pub fn steps(work: u64, rate: usize) -> u32 {
    time(work, rate) as u32
}

/// The same for work in bytes.
pub fn time(work: u64, rate: usize) -> u64 {
    if rate == 0 { 0 } else { work.div_ceil(rate as u64) }
}

/// Transfers that the channels carry in a step; the two directions of a half-duplex link count
/// once.
pub fn capacity(problem: &Problem, channels: impl Iterator<Item = ChannelId>) -> usize {
    let mut ids: Vec<u32> = channels.map(|c| problem.resources().of_channel(c)).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().map(|link| problem.resources().capacity(link) as usize).sum()
}

/// Whether some link at the vertex is half duplex.
pub fn has_half_duplex(problem: &Problem, v: VertexId) -> bool {
    problem.network().outgoing(v).iter().any(|&c| problem.network().channel(c).exclusive)
}
