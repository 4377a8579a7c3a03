//! Broadcasts and reductions along the fixed routes of a network. Their schedules are made over shortest
//! paths, as each hop may take any; switches forward it along the route of its two ends. Here every
//! transfer takes that route, in the first step in which its links are free and its sender has what it
//! sends.

use super::cost::Roads;
use crate::Result;
use crate::bounds;
use crate::network::VertexId;
use crate::problem::{Request, Routing};
use crate::schedule::file::Provenance;
use crate::schedule::{Plan, ScheduleFile, asked, resolve};
use std::collections::HashMap;

/// The schedule whose transfers take the routes, in their order. Its routing is `any`, as routes may be
/// longer than shortest paths.
///
/// # Errors
/// The schedule is not consistent.
pub fn along(roads: &Roads, file: &ScheduleFile) -> Result<ScheduleFile> {
    let (problem, plan) = resolve(file)?;
    let (network, request) = asked(file)?;
    let channels = problem.asked_network();
    let capacities = roads.problem().resources().capacities();
    let mut taken: Vec<Vec<u32>> = vec![Vec::new(); capacities.len()];
    // By content and vertex, the first step after all transfers that bring a part of it.
    let mut ready: HashMap<(VertexId, u32, VertexId), usize> = HashMap::new();
    // By content and vertex, the last step in which it is sent: a vertex of an all-reduce hands its part
    // over before it gets the whole sum, not after.
    let mut sent: HashMap<(VertexId, u32, VertexId), usize> = HashMap::new();
    let mut moved = Plan::default();
    for t in plan.as_asked(&problem).transfers() {
        let message = problem.message(t.message);
        let ends = [t.channels.first(), t.channels.last()];
        let [Some(&first), Some(&last)] = ends else { continue };
        let (from, to) = (channels.channel(first).from, channels.channel(last).to);
        let route = roads.route(from, to);
        let mut used = Vec::new();
        roads.uses(route, |resource| used.push(resource));
        let has_room = |step: usize| {
            let taken = |r: &usize| taken[*r].get(step).copied().unwrap_or(0);
            used.iter().all(|r| taken(r) < capacities[*r])
        };
        let key = |v| (message.origin, message.piece, v);
        let of = |map: &HashMap<_, usize>, v| map.get(&key(v)).copied().unwrap_or(0);
        let begin = of(&ready, from).max(of(&sent, to));
        let step = (begin..).find(|&step| has_room(step)).unwrap_or(begin);
        for r in used {
            let steps = &mut taken[r];
            steps.resize(steps.len().max(step + 1), 0);
            steps[step] += 1;
        }
        let after = ready.entry(key(to)).or_default();
        *after = (*after).max(step + 1);
        let last = sent.entry(key(from)).or_default();
        *last = (*last).max(step);
        moved.push(step, t.message, route);
    }
    moved.tidy();
    let request = Request { routing: Routing::Any, ..request };
    let posed = request.pose(network, file.faults.clone())?;
    let plan = if problem.collective().is_reduction() { moved.reversed() } else { moved };
    let method = format!("{}, then along the routes", file.provenance.method);
    let provenance = Provenance { method, ..file.provenance.clone() };
    Ok(plan.record(&posed, &bounds::quick(&posed), provenance))
}
