//! Broadcasts and reductions along the fixed routes of a network. Their schedules are made over shortest
//! paths, as each hop may take any; switches forward it along the route of its two ends. Here every
//! transfer takes that route, in the first step in which its links are free and its sender has what it
//! sends.

use super::cost::Roads;
use crate::Result;
use crate::bounds;
use crate::network::VertexId;
use crate::problem::{MessageId, Request, Routing};
use crate::schedule::file::Provenance;
use crate::schedule::{Plan, ScheduleFile, asked, resolve};
use std::collections::HashMap;

/// What a message is of: its origin and its piece.
type Content = (VertexId, u32);

/// A transfer between its two ends.
struct Move {
    step: usize,
    message: MessageId,
    content: Content,
    from: VertexId,
    to: VertexId,
}

impl Move {
    /// Whether another of the same content goes the other way.
    fn is_back_of(&self, other: &Move) -> bool {
        (self.content, self.from, self.to) == (other.content, other.to, other.from)
    }
}

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
    let mut ready: HashMap<(Content, VertexId), usize> = HashMap::new();
    // By content and vertex, the last step in which it is sent: a vertex of an all-reduce hands its part
    // over before it gets the whole sum, not after.
    let mut sent: HashMap<(Content, VertexId), usize> = HashMap::new();
    let mut moved = Plan::default();
    let asked_plan = plan.as_asked(&problem);
    let mut all = Vec::new();
    for (step, transfers) in asked_plan.steps().enumerate() {
        for t in transfers.iter() {
            let ends = [t.channels.first(), t.channels.last()];
            let [Some(&first), Some(&last)] = ends else { continue };
            let message = problem.message(t.message);
            let (from, to) = (channels.channel(first).from, channels.channel(last).to);
            let content = (message.origin, message.piece);
            all.push(Move { step, message: t.message, content, from, to });
        }
    }
    let mut is_placed = vec![false; all.len()];
    for (i, one) in all.iter().enumerate() {
        if is_placed[i] {
            continue;
        }
        // Two vertices that exchange what they hold of a sum do so in one step.
        let same = (i + 1..all.len()).take_while(|&j| all[j].step == one.step);
        let back = same.into_iter().find(|&j| all[j].is_back_of(one));
        let group: Vec<usize> = std::iter::once(i).chain(back).collect();
        let mut used = Vec::new();
        for &k in &group {
            is_placed[k] = true;
            roads.uses(roads.route(all[k].from, all[k].to), |resource| used.push(resource));
        }
        let has_room = |step: usize| {
            let taken = |r: &usize| taken[*r].get(step).copied().unwrap_or(0);
            let asked = |r: &usize| used.iter().filter(|other| *other == r).count() as u32;
            used.iter().all(|r| taken(r) + asked(r) <= capacities[*r])
        };
        let of =
            |map: &HashMap<_, usize>, t: &Move, v| map.get(&(t.content, v)).copied().unwrap_or(0);
        let earliest = |&k: &usize| {
            let t = &all[k];
            of(&ready, t, t.from).max(of(&sent, t, t.to))
        };
        let begin = group.iter().map(earliest).max().unwrap_or(0);
        // Beyond all that is placed there is room; what never has room is told by the verifier.
        let last = taken.iter().map(Vec::len).max().unwrap_or(0).max(begin);
        let step = (begin..=last).find(|&step| has_room(step)).unwrap_or(last);
        for r in used {
            let steps = &mut taken[r];
            steps.resize(steps.len().max(step + 1), 0);
            steps[step] += 1;
        }
        for t in group.iter().map(|&k| &all[k]) {
            let after = ready.entry((t.content, t.to)).or_default();
            *after = (*after).max(step + 1);
            let last = sent.entry((t.content, t.from)).or_default();
            *last = (*last).max(step);
            moved.push(step, t.message, roads.route(t.from, t.to));
        }
    }
    moved.tidy();
    let request = Request { routing: Routing::Any, ..request };
    let posed = request.pose(network, file.faults.clone())?;
    let plan = if problem.collective().is_reduction() { moved.reversed() } else { moved };
    let method = format!("{}, then along the routes", file.provenance.method);
    let provenance = Provenance { method, ..file.provenance.clone() };
    Ok(plan.record(&posed, &bounds::quick(&posed), provenance))
}
