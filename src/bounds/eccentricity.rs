//! Eccentricity: with store-and-forward switching a message needs a step for every channel of its
//! path.

use super::{Bound, Evidence};
use crate::network::metrics::distances_from;
use crate::problem::{Problem, Switching};

pub fn bound(problem: &Problem) -> Option<Bound> {
    if problem.switching == Switching::Wormhole {
        return None;
    }
    let mut best: Option<(u32, u32)> = None;
    for of_source in problem.demands.chunk_by(|a, b| a.source == b.source) {
        let source = of_source[0].source;
        let distance = distances_from(&problem.network, source);
        let farthest = of_source.iter().map(|d| distance[d.destination as usize]).max()?;
        if best.is_none_or(|(steps, _)| farthest > steps) {
            best = Some((farthest, source));
        }
    }
    let (steps, source) = best?;
    Some(Bound { name: "eccentricity", steps, evidence: Evidence::Vertex(source) })
}
