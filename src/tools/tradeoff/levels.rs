//! The transfers of a schedule in fewer steps of several rounds, over the same paths: step by step, those
//! whose messages were there before the step. A transfer that as many others wait for as there are steps
//! left must be sent; others fill the rounds up, those first that more wait for.

use ccsched_model::problem::{MessageId, Problem, ResourceId};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Room of a round is sought for about this many pairs of a transfer and a round at most.
const MOST_LOOKED_AT: usize = 20_000_000;

/// A transfer.
struct Moved {
    message: MessageId,
    channels: Vec<ChannelId>,
    /// What it takes, each once for every use.
    uses: Vec<ResourceId>,
    /// The transfer that brings the message.
    after: Option<usize>,
    /// Transfers of the longest chain up to it, and from it on.
    depth: usize,
    tail: usize,
}

/// The transfers of a schedule.
pub struct Levels<'p> {
    problem: &'p Problem,
    transfers: Vec<Moved>,
}

impl<'p> Levels<'p> {
    /// None where messages join, are both added up and spread, or are too many.
    pub fn of(problem: &'p Problem, plan: &Plan) -> Option<Self> {
        let collective = problem.collective();
        let count = plan.transfers().count();
        if collective.joins()
            || collective.is_all_reduce()
            || count.saturating_mul(plan.len()) > MOST_LOOKED_AT
        {
            return None;
        }
        let network = problem.network();
        let mut brought: HashMap<(MessageId, VertexId), usize> = HashMap::new();
        let mut transfers: Vec<Moved> = Vec::with_capacity(count);
        for t in plan.transfers() {
            let [from, to] = [
                network.channel(*t.channels.first()?).from,
                network.channel(*t.channels.last()?).to,
            ];
            let after = brought.get(&(t.message, from)).copied();
            if after.is_none() && problem.message(t.message).origin != from {
                return None;
            }
            let mut uses = Vec::new();
            let of_path = t.channels;
            let resources = problem.resources();
            resources
                .uses(network, problem.switching(), of_path, |resource, _| uses.push(resource));
            let depth = 1 + after.map_or(0, |after| transfers[after].depth);
            brought.entry((t.message, to)).or_insert(transfers.len());
            let (message, channels) = (t.message, of_path.to_vec());
            transfers.push(Moved { message, channels, uses, after, depth, tail: 1 });
        }
        for i in (0..transfers.len()).rev() {
            if let Some(after) = transfers[i].after {
                transfers[after].tail = transfers[after].tail.max(transfers[i].tail + 1);
            }
        }
        Some(Levels { problem, transfers })
    }

    /// The fewest steps over these paths.
    pub fn depth(&self) -> usize {
        self.transfers.iter().map(|t| t.depth).max().unwrap_or(0)
    }

    /// The schedule in this many steps, at least the fewest, one entry of the plan a round.
    pub fn in_steps(&self, steps: usize) -> Plan {
        let mut load = vec![0; self.problem.resources().capacities().len()];
        let uses = self.transfers.iter().flat_map(|t| &t.uses);
        uses.for_each(|&resource| load[resource as usize] += 1);
        let mut waiting: Vec<usize> = (0..self.transfers.len()).collect();
        waiting.sort_by_key(|&i| Reverse(self.transfers[i].tail));
        let mut is_there = vec![false; self.transfers.len()];
        let (mut plan, mut begin) = (Plan::default(), 0);
        for left in (1..=steps).rev() {
            let mut rounds = self.rounds_of(&load, left);
            let mut used = vec![0u32; rounds * load.len()];
            let (mut sent, mut later) = (Vec::new(), Vec::new());
            for i in waiting {
                let t = &self.transfers[i];
                let is_ready = t.after.is_none_or(|after| is_there[after]);
                let free = (0..rounds).find(|&round| self.has_room(&used, round, &t.uses));
                let Some(round) = free.or((t.tail >= left).then_some(rounds)).filter(|_| is_ready)
                else {
                    later.push(i);
                    continue;
                };
                if round == rounds {
                    rounds += 1;
                    used.resize(rounds * load.len(), 0);
                }
                for &resource in &t.uses {
                    used[round * load.len() + resource as usize] += 1;
                    load[resource as usize] -= 1;
                }
                plan.push(begin + round, t.message, &t.channels);
                sent.push(i);
            }
            sent.into_iter().for_each(|i| is_there[i] = true);
            (waiting, begin) = (later, begin + rounds);
        }
        plan.tidy();
        plan
    }

    /// The rounds of a step that make what is left fit into the steps that are left, evenly.
    fn rounds_of(&self, load: &[u32], left: usize) -> usize {
        let capacities = self.problem.resources().capacities();
        let rounds = load.iter().zip(capacities).map(|(load, &capacity)| load.div_ceil(capacity));
        (rounds.max().unwrap_or(0) as usize).div_ceil(left)
    }

    fn has_room(&self, used: &[u32], round: usize, uses: &[ResourceId]) -> bool {
        let resources = self.problem.resources();
        let count = resources.capacities().len();
        let of_round = &used[round * count..(round + 1) * count];
        let times = |resource: ResourceId| uses.iter().filter(|&&r| r == resource).count() as u32;
        uses.iter().all(|&r| of_round[r as usize] + times(r) <= resources.capacity(r))
    }
}
