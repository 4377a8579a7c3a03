//! Sums of groups side by side, each group by the schedule that it would have alone: of an all-reduce that of a
//! ring, of others that of a constructor. A group begins as soon as its whole schedule has room beside those
//! before it, so groups that share no links take no more steps than one of them.

use crate::construct;
use crate::search::sums::even_ring;
use ccsched_model::problem::{Group, Message, MessageId, Phase, Problem, Relays, Request};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
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
    let inner = Arc::new(request.pose(part.network, vec![]).ok()?);
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
    let mut plan = Plan::new(of_group.len() as u32);
    for (step, transfers) in of_group.steps().enumerate() {
        for t in transfers {
            let Message { origin, phase, piece, .. } = inner.message(t.message);
            let root = part.vertices[origin as usize];
            let first = numbers.get(&(root, number, phase_of(phase)))?;
            let path = t.channels.iter().map(|&c| part.channels[c as usize]);
            plan.push(step, first + piece, path);
        }
    }
    Some(plan)
}

/// The schedules on one network, each as early as it has room as a whole.
fn beside(problem: &Problem, plans: &[Plan]) -> Plan {
    let (network, resources) = (problem.network(), problem.resources());
    let mut used: Vec<Vec<u32>> = Vec::new();
    let uses = |path: &[ChannelId], each: &mut dyn FnMut(usize)| {
        resources.uses(network, problem.switching(), path, |r, _| each(r as usize));
    };
    let mut plan = Plan::default();
    for of_group in plans {
        // By step, what it uses of each resource.
        let own: Vec<HashMap<usize, u32>> = of_group
            .steps()
            .map(|step| {
                let mut own = HashMap::new();
                step.iter().for_each(|t| {
                    uses(t.channels, &mut |r| *own.entry(r).or_default() += 1);
                });
                own
            })
            .collect();
        let fits = |first: &usize| {
            own.iter().enumerate().all(|(step, own)| {
                let used = used.get(first + step);
                let left = |r: usize| {
                    resources.capacities()[r] - used.map_or(0, |used: &Vec<u32>| used[r])
                };
                own.iter().all(|(&r, &times)| times <= left(r))
            })
        };
        let first = (0..=used.len()).find(fits).unwrap_or(used.len());
        while used.len() < first + own.len() {
            used.push(vec![0; resources.capacities().len()]);
        }
        for (step, transfers) in of_group.steps().enumerate() {
            own[step].iter().for_each(|(&r, &times)| used[first + step][r] += times);
            transfers.iter().for_each(|t| {
                plan.push(first + step, t.message, t.channels.iter().copied());
            });
        }
    }
    plan
}
