//! All-to-all scatter of a hypercube of P vertices with full-duplex links, in P / 2 steps.
//!
//! In a step every vertex sends one message across a set of dimensions and another across the
//! complementary set, in ascending order of dimensions. A channel of dimension i carries exactly
//! one message: its sender differs from the start of the channel in the dimensions below i of the
//! set. So each channel is used once per step. By the congestion bound, no schedule is shorter.

use super::draft::{Draft, is_of_all_vertices};
use crate::network::metrics::distances_from;
use crate::network::{Network, VertexId};
use crate::problem::Problem;
use crate::schedule::Plan;

/// The schedule, if the network is a hypercube.
pub fn plan(problem: &Problem) -> Option<Plan> {
    if !is_of_all_vertices(problem) {
        return None;
    }
    let at = corners(&problem.network)?;
    let (all, dimensions) = (at.len() - 1, at.len().ilog2());
    let mut draft = Draft::new(problem, at.len() / 2);
    let mut walk = Vec::new();
    for set in 0..at.len() / 2 {
        for flips in [set, all - set].into_iter().filter(|&flips| flips > 0) {
            for source in 0..at.len() {
                let first_few = |i: u32| flips & ((1 << i) - 1);
                walk.clear();
                walk.extend((0..=dimensions).map(|i| at[source ^ first_few(i)]));
                walk.dedup();
                draft.walk(set, &walk)?;
            }
        }
    }
    draft.finish()
}

/// The vertex at every corner of a hypercube, where the bits of a corner's number are its
/// coordinates; none if the network is not a hypercube.
fn corners(network: &Network) -> Option<Vec<VertexId>> {
    let vertices = network.vertices().len();
    if !vertices.is_power_of_two() || vertices.ilog2() as usize != network.heads(0).count() {
        return None;
    }
    let distance = distances_from(network, 0);
    let mut order: Vec<VertexId> = (0..vertices as VertexId).collect();
    order.sort_by_key(|&v| distance[v as usize]);
    let mut corner = vec![0; vertices];
    let mut at = vec![None; vertices];
    let mut bit = 1;
    for v in order {
        let far = distance[v as usize];
        let nearer = network.heads(v).filter(|&w| distance[w as usize] < far);
        corner[v as usize] = match far {
            0 => 0,
            1 => {
                bit *= 2;
                bit / 2
            }
            // At distance 2 or more, the number is the union of those of the nearer neighbours.
            _ => nearer.fold(0, |all, w| all | corner[w as usize]),
        };
        *at.get_mut(corner[v as usize])? = Some(v);
    }
    // A link more would make some paths across several dimensions longer than the shortest.
    let is_across = |(from, to): (VertexId, VertexId)| {
        (corner[from as usize] ^ corner[to as usize]).is_power_of_two()
    };
    let are_across = network.channels().iter().all(|c| is_across((c.from, c.to)));
    if are_across { at.into_iter().collect() } else { None }
}
