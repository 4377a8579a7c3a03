//! What follows from there being hardly more room than needed. Give every link and port a weight. The
//! lightest walks of all messages weigh so much, and so many steps carry so much; what is left over
//! between the two is all there is for detours and for idle links. A hop that only heavier detours
//! take is out of reach, and a link or port heavier than that is never idle. The solver, which cannot
//! count, would not find that out.

use super::walks::{Hop, Walks};
use crate::bounds;
use crate::network::VertexId;
use crate::problem::{Problem, ResourceId};

/// Whether each resource is used by as many as it allows in every step.
pub type Full = Vec<bool>;

/// Removes what is out of reach of every schedule of so many steps. Says what is never idle, or
/// nothing if there is more to carry than can be carried.
pub fn tighten(problem: &Problem, steps: u32, all: &mut [Walks]) -> Option<Full> {
    let mut full = vec![false; problem.resources.capacities().len()];
    for weights in weightings(problem) {
        let weigh = Weigh(&weights);
        let needed: u64 = all.iter().map(|walks| weigh.least(walks)).sum();
        let capacities = problem.resources.capacities();
        let supply: u64 = weights.iter().zip(capacities).map(|(w, &c)| w * u64::from(c)).sum();
        let left = (supply * u64::from(steps)).checked_sub(needed)?;
        all.iter_mut().for_each(|walks| weigh.remove_detours(walks, left));
        full.iter_mut().zip(&weights).for_each(|(full, &weight)| *full |= weight > left);
    }
    Some(full)
}

/// Weights that may tell something: those of the bounds, then each link and port alone, then all
/// links out of and into each vertex.
fn weightings(problem: &Problem) -> Vec<Vec<u64>> {
    let resources = &problem.resources;
    let mut all = bounds::weights(problem);
    let among = |heavy: &[ResourceId]| {
        let mut weights = vec![0; resources.capacities().len()];
        heavy.iter().for_each(|&resource| weights[resource as usize] = 1);
        weights
    };
    all.extend((0..resources.capacities().len() as ResourceId).map(|resource| among(&[resource])));
    for v in 0..problem.network.vertices().len() as VertexId {
        for channels in [problem.network.outgoing(v), problem.network.incoming(v)] {
            let links: Vec<_> = channels.iter().map(|&c| resources.of_channel(c)).collect();
            all.push(among(&links));
        }
    }
    all
}

/// Weighs walks by what each resource weighs.
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

    /// Removes hops of which every walk weighs too much more than the lightest.
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
