//! The schedule of a group alone, on what its shortest paths take of the network.

use super::found::Group;
use crate::construct::{UNKNOWN, made_with, rows};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Message, MessageId, Problem, Relays, Request};
use ccsched_model::schedule::Plan;
use ccsched_network::{Between, VertexId};
use std::sync::Arc;

/// The schedule of the group by the constructors, if one has one, in the ids of the whole problem.
pub fn plan(problem: &Problem, group: &Group, rng: &Rng) -> Option<Plan> {
    if problem.has_fixed_routes() {
        return None;
    }
    let relays = problem.request().relays;
    let closes =
        problem.groups().is_some() && problem.switching().stores() && relays == Relays::None;
    let part = problem.network().between(&group.members, closes).ok()?;
    let name = |&v: &VertexId| problem.network().vertex_name(v).to_string();
    let request = Request {
        source: group.root.as_ref().map(name),
        processes: Some(group.members.iter().map(name).collect()),
        switching: problem.switching(),
        ports: problem.ports(),
        routing: problem.routing(),
        ..Request::new(group.collective)
    };
    let inner = Arc::new(request.pose(part.network.clone(), vec![]).ok()?);
    let (of_group, ..) = made_with(&rows(), &inner, UNKNOWN, rng)?;
    let vertex = |v: VertexId| part.vertices[v as usize];
    let message = |id| {
        let Message { origin, destination, .. } = inner.message(id);
        let from = vertex(origin);
        group.message(from, destination.map_or(from, vertex))
    };
    in_whole(&of_group, &part, message)
}

/// A schedule on a part of a network in the ids of the whole; none if a message is none of the whole problem.
pub fn in_whole(
    of_part: &Plan,
    part: &Between,
    message: impl Fn(MessageId) -> Option<MessageId>,
) -> Option<Plan> {
    let mut plan = Plan::new(of_part.len() as u32);
    for (number, step) in of_part.steps().enumerate() {
        for t in step {
            let path = t.channels.iter().map(|&c| part.channels[c as usize]);
            plan.push(number, message(t.message)?, path);
        }
    }
    Some(plan)
}
