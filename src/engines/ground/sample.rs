//! Distances from some terminals alone: those from all take seconds in large networks.

use ccsched_model::problem::Problem;
use ccsched_network::metrics::{UNREACHABLE, distances_from};

/// Terminals from which distances are computed.
const SAMPLE: usize = 32;

/// The channels of the shortest paths from some terminals to all others, and the number of these paths.
pub fn channels_and_paths(problem: &Problem) -> (usize, usize) {
    let (network, senders, receivers) = (problem.network(), problem.senders(), problem.receivers());
    let some = senders.iter().step_by(senders.len().div_ceil(SAMPLE).max(1));
    let (mut channels, mut paths) = (0, 0);
    for &from in some {
        let distances = distances_from(network, from);
        let lengths = receivers.iter().map(|&to| distances[to as usize]);
        let lengths = lengths.filter(|&d| (1..UNREACHABLE).contains(&d));
        (channels, paths) = lengths.fold((channels, paths), |(c, p), d| (c + d as usize, p + 1));
    }
    (channels, paths)
}
