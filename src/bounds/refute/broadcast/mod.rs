//! Broadcasts: clauses that hold in every schedule that delivers each message to each receiver.

mod knowledge;
mod stored;
mod wormhole;

use super::clauses::Clauses;
use super::meaning::Group;
use batsat::Lit;
use ccsched_model::problem::{Problem, Switching};
use ccsched_network::metrics::{UNREACHABLE, distances_to};
use ccsched_network::{ChannelId, VertexId};

/// Approximate number of variables for schedules of `steps` steps.
pub fn variables(problem: &Problem, steps: u32) -> usize {
    let channels = problem.network().channels().len();
    let lanes = match problem.switching() {
        Switching::Wormhole | Switching::Hosts => {
            problem.messages() * problem.network().terminals().count()
        }
        Switching::StoreAndForward => problem.messages(),
    };
    // About half of all channels lead toward a receiver.
    lanes.saturating_mul(channels / 2 + 1).saturating_mul(steps as usize)
}

/// Adds all clauses about schedules of `steps` steps.
pub fn tell(problem: &Problem, steps: u32, clauses: &mut Clauses<'_>) {
    match problem.switching() {
        Switching::Wormhole | Switching::Hosts => wormhole::tell(problem, steps, clauses),
        Switching::StoreAndForward => stored::tell(problem, steps, clauses),
    }
}

/// Limits the uses of every resource in a step, which counts from 0, to its capacity.
fn limit(problem: &Problem, step: u32, users: &[Vec<Lit>], clauses: &mut Clauses<'_>) {
    for ((resource, users), &capacity) in (0..).zip(users).zip(problem.resources().capacities()) {
        clauses.at_most(capacity as usize, users, Group::Users(resource, step as usize));
    }
}

/// The channels that a transfer to `v` may take: each leads nearer to it, or is part of a detour
/// that the routing allows. With hosts switching none leads to another terminal.
fn channels_toward(problem: &Problem, v: VertexId) -> Vec<ChannelId> {
    let distance = distances_to(problem.network(), v);
    let slack = u64::from(problem.routing().slack());
    let passes = |u: VertexId| match problem.switching() {
        Switching::Wormhole | Switching::StoreAndForward => true,
        Switching::Hosts => u == v || !problem.network().is_terminal(u),
    };
    let leads_there = |&c: &ChannelId| {
        let ends = problem.network().channel(c);
        let [from, to] = [ends.from, ends.to].map(|u| distance[u as usize]);
        ends.from != v
            && passes(ends.to)
            && to != UNREACHABLE
            && u64::from(to) < u64::from(from) + slack
    };
    (0..problem.network().channels().len() as ChannelId).filter(leads_there).collect()
}
