//! Sums of groups side by side, each group by the schedule that it would have alone: of an all-reduce that of a
//! ring, of others that of a constructor. A group begins as soon as its whole schedule has room beside those
//! before it, so groups that share no links take no more steps than one of them.

use crate::construct;
use crate::ground::in_step::taken;
use crate::search::sums::even_ring;
use ccsched_model::problem::{Group, Message, MessageId, Phase, Problem, Relays, Request};
use ccsched_model::schedule::{Plan, Step};
use ccsched_network::VertexId;
use std::collections::HashMap;
use std::sync::Arc;

/// By root, group and phase, the first piece of a message.
type Numbers = HashMap<(VertexId, usize, Option<Phase>), MessageId>;

/// The schedule; none if a group has none of its own.
pub fn plan(problem: &Problem, seed: u64) -> Option<Plan> {
    let groups = problem.groups()?;
    let pieces = problem.pieces();
    let whole = (0..problem.messages() as MessageId).step_by(pieces as usize);
    let numbers: Numbers = whole
        .map(|id| {
            let Message { origin, phase, .. } = problem.message(id);
            ((origin, groups.of_message(id / pieces), phase), id)
        })
        .collect();
    let asked = problem.request().groups.as_ref()?;
    let plans: Option<Vec<Plan>> = asked
        .iter()
        .zip(groups.members())
        .enumerate()
        .map(|(number, (group, members))| own(problem, (number, group, members), &numbers, seed))
        .collect();
    let mut plan = beside(problem, &plans?);
    plan.tidy();
    Some(plan)
}

/// The schedule of a group alone, in the ids of the whole problem.
fn own(
    problem: &Problem,
    (number, group, members): (usize, &Group, &[VertexId]),
    numbers: &Numbers,
    seed: u64,
) -> Option<Plan> {
    let relays = problem.request().relays;
    let closes = problem.switching().stores() && relays == Relays::None;
    let part = problem.network().between(members, closes).ok()?;
    let request = Request {
        collective: group.collective,
        source: group.root.clone(),
        processes: Some(group.members.clone()),
        groups: None,
        ..problem.request().clone()
    };
    let inner = Arc::new(request.pose(part.network.clone(), vec![]).ok()?);
    let is_all_reduce = group.collective.is_all_reduce();
    let of_group = match is_all_reduce {
        true => even_ring(&inner)?,
        false => construct::plan(&inner, seed)?.0.as_asked(&inner).into_owned(),
    };
    let phase_of = |phase: Option<Phase>| match (is_all_reduce, group.collective.is_reduction()) {
        (true, _) => phase,
        (false, true) => Some(Phase::Reduce),
        (false, false) => Some(Phase::Gather),
    };
    construct::in_whole(&of_group, &part, |id| {
        let Message { origin, phase, piece, .. } = inner.message(id);
        let root = part.vertices[origin as usize];
        Some(numbers.get(&(root, number, phase_of(phase)))? + piece)
    })
}

/// The schedules on one network, each as early as it has room as a whole.
fn beside(problem: &Problem, plans: &[Plan]) -> Plan {
    let capacities = problem.resources().capacities();
    let mut used: Vec<Vec<u32>> = Vec::new();
    let mut plan = Plan::default();
    for of_group in plans {
        let of_step = |step: &Step| taken(problem, step.iter().map(|t| t.channels));
        let needs: Vec<Vec<(usize, u32)>> = of_group.steps().map(of_step).collect();
        let fits = |first: &usize| {
            used[*first..].iter().zip(&needs).all(|(used, needs)| {
                needs.iter().all(|&(r, count)| used[r] + count <= capacities[r])
            })
        };
        let first = (0..used.len()).find(fits).unwrap_or(used.len());
        used.resize_with(used.len().max(first + needs.len()), || vec![0; capacities.len()]);
        for (step, (transfers, needs)) in (first..).zip(of_group.steps().zip(&needs)) {
            needs.iter().for_each(|&(r, count)| used[step][r] += count);
            transfers.iter().for_each(|t| plan.push(step, t.message, t.channels));
        }
    }
    plan
}
