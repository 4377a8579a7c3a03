//! Conclusions from little spare capacity, which the solver, unable to count, would not find. Every
//! link and port has a weight. The weight that the steps can carry, minus the weight of the
//! lightest walks of all messages, is what remains for detours and for idle links. A hop only on
//! heavier detours is never used, and a heavier link or port is never idle.

use super::walks::{Hop, Walks};
use crate as bounds;
use crate::refute::clauses::Clauses;
use ccsched_model::problem::{Problem, ResourceId};
use ccsched_network::VertexId;
use std::iter;

/// By resource, whether it is used up to its capacity in every step.
pub type Full = Vec<bool>;

/// Removes hops that no schedule of `steps` steps can use. Returns the resources that are always
/// full, or none if the messages need more than the steps can carry. Weights that change anything
/// are recorded.
pub fn tighten(
    problem: &Problem,
    steps: u32,
    all: &mut [Walks],
    clauses: &mut Clauses<'_>,
) -> Option<Full> {
    let mut full = vec![false; problem.resources().capacities().len()];
    for weights in weightings(problem) {
        if clauses.are_given_up() {
            break;
        }
        let mut record = clauses.record();
        let weigh = Weigh(&weights);
        let needed: u64 = all.iter().map(|walks| weigh.least(walks)).sum();
        let capacities = problem.resources().capacities();
        let supply: u64 = weights.iter().zip(capacities).map(|(w, &c)| w * u64::from(c)).sum();
        let hops = |all: &[Walks]| all.iter().map(|walks| walks.hops.len()).sum::<usize>();
        let before = record.as_ref().map(|_| (hops(all), full.clone()));
        let left = (supply * u64::from(steps)).checked_sub(needed);
        if let Some(left) = left {
            all.iter_mut().for_each(|walks| weigh.remove_detours(walks, left));
            full.iter_mut().zip(&weights).for_each(|(full, &weight)| *full |= weight > left);
        }
        if let Some(record) = &mut record
            && (left.is_none() || before != Some((hops(all), full.clone())))
        {
            record.weights.push(weights);
        }
        left?;
    }
    Some(full)
}

/// Weights to try: those of the bounds, then each link and port alone, then all links out of and
/// into each vertex.
fn weightings(problem: &Problem) -> impl Iterator<Item = Vec<u64>> {
    let (resources, network) = (problem.resources(), problem.network());
    let among = |heavy: &mut dyn Iterator<Item = ResourceId>| {
        let mut weights = vec![0; resources.capacities().len()];
        heavy.for_each(|resource| weights[resource as usize] = 1);
        weights
    };
    let alone = (0..resources.capacities().len() as ResourceId)
        .map(move |resource| among(&mut iter::once(resource)));
    let around = (0..network.vertices().len() as VertexId)
        .flat_map(|v| [network.outgoing(v), network.incoming(v)])
        .map(move |channels| among(&mut channels.iter().map(|&c| resources.of_channel(c))));
    bounds::weights(problem).into_iter().chain(alone).chain(around)
}

/// Weighs walks by the weights of the resources.
struct Weigh<'w>(&'w [u64]);

impl Weigh<'_> {
    fn hop(&self, hop: &Hop) -> u64 {
        self.sum(&hop.takes)
    }

    fn sum(&self, resources: &[ResourceId]) -> u64 {
        resources.iter().map(|&r| self.0[r as usize]).sum()
    }

    /// The weight of the lightest walk.
    fn least(&self, walks: &Walks) -> u64 {
        walks.least(|hop| self.hop(hop)) + self.sum(&walks.at_ends)
    }

    /// Removes hops whose every walk weighs over `most` more than the lightest walk.
    fn remove_detours(&self, walks: &mut Walks, most: u64) {
        let weight = |hop: &Hop| self.hop(hop);
        let (before, after) = (walks.lightest_before(weight), walks.lightest_after(weight));
        let limit = walks.least(weight) + most;
        walks.keep(|hop| {
            let through = before[hop.from].zip(after[hop.to]).map(|(a, b)| a + weight(hop) + b);
            through.is_some_and(|through| through <= limit)
        });
    }
}
