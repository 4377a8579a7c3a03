//! Round robin: in phase p the i-th sender serves the (i+p)-th receiver, on any network; transfers
//! that congest within a phase take further time frames (liquid-schedules, section 1.1, figure 2).
//! The baseline: the schedule of programs that ignore the topology.

use crate::ground::conflict_graph::Conflicts;
use ccsched_model::problem::{Problem, ResourceId};
use ccsched_network::VertexId;
use std::collections::HashSet;

/// The transfers of every time frame.
pub fn frames(problem: &Problem, conflicts: &Conflicts) -> Vec<Vec<u32>> {
    let (senders, receivers) = (problem.senders(), problem.receivers());
    let phases = senders.len().max(receivers.len()).max(1);
    let place = |list: &[VertexId], v| list.binary_search(&v).unwrap_or(0);
    let mut by_phase: Vec<Vec<u32>> = vec![Vec::new(); phases];
    for (i, d) in (0..).zip(problem.demands()) {
        let (s, r) = (place(senders, d.source), place(receivers, d.destination));
        by_phase[(r + phases - s) % phases].push(i);
    }
    by_phase.iter().flat_map(|phase| split(phase, conflicts)).collect()
}

/// Splits a phase into time frames: each transfer goes into the first frame without a conflict.
fn split(phase: &[u32], conflicts: &Conflicts) -> Vec<Vec<u32>> {
    let mut frames: Vec<(Vec<u32>, HashSet<ResourceId>)> = Vec::new();
    for &i in phase {
        let links = conflicts.links(i);
        let at = frames.iter().position(|(_, taken)| links.iter().all(|r| !taken.contains(r)));
        let at = at.unwrap_or_else(|| {
            frames.push(Default::default());
            frames.len() - 1
        });
        let (frame, taken) = &mut frames[at];
        frame.push(i);
        taken.extend(links);
    }
    frames.into_iter().map(|(frame, _)| frame).collect()
}
