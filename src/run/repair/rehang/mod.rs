//! The repair of broadcasts: transfers that are still possible stay, and vertices that do not get a message
//! any more get it from another holder, before they send it on if there is room; if there is none,
//! what they send on is hung up again as well, or transfers of other messages give way, whose
//! receivers are hung up again in turn. Rounds with other random numbers follow; the one with the
//! fewest new transfers counts.
//!
//! In a barrier, what takes a path that is taken in a step already needs no room (joined.rs). An all-reduce is
//! a broadcast backwards in time, and one forwards (sums.rs). Scattered messages that hosts pass on
//! are broadcasts of one receiver, whose whole way is found at once (journey.rs).

mod eject;
mod joined;
mod journey;
mod room;
mod sums;

use ccsched_base::rng::{Rng, rng_of};
use ccsched_model::problem::{Joining, MessageId, Problem, ResourceId, Switching};
use ccsched_model::schedule::Plan;
use ccsched_network::metrics::Distances;
use ccsched_network::{ChannelId, VertexId};
use joined::Joined;
use rand::RngExt;
use std::collections::{BTreeMap, VecDeque};
pub(super) use sums::Sums;

/// With more vertices times messages, broadcasts are solved anew alone.
const MOST: usize = 1_000_000;
/// Rounds with random numbers, at most.
const ROUNDS: usize = 12;
/// Ejections of a round for each message, at most.
const EJECTIONS: usize = 20;

/// A transfer: its step and its path.
type Hop = (u32, Vec<ChannelId>);

/// A broadcast under repair.
#[derive(Clone)]
struct Hanging<'p> {
    problem: &'p Problem,
    distances: &'p Distances,
    steps: u32,
    /// By message, who gets it.
    receivers: &'p [Vec<VertexId>],
    /// By message, who has it from the beginning, and from which step on.
    first: &'p [BTreeMap<VertexId, u32>],
    /// By message, its transfers.
    hops: Vec<Vec<Hop>>,
    /// By step and resource, what is left of its capacity.
    room: Vec<Vec<u32>>,
    /// By step, what its transfers take up, with their messages.
    owners: Vec<Vec<(ResourceId, MessageId)>>,
    /// Where messages on one path in one step are one transfer: how many there are.
    joined: Option<Joined>,
    /// By message, how often it has ejected others.
    weight: Vec<u32>,
    /// Messages that have lost transfers.
    waiting: Vec<MessageId>,
    left: usize,
    rng: Option<Rng>,
}

/// Whether the transfers of this kind are repaired so.
pub fn applies(problem: &Problem) -> bool {
    let collective = problem.collective();
    let size = problem.network().vertices().len().saturating_mul(problem.messages());
    let is_kind = match collective.content().is_common() {
        // The parts of an all-reduce have all vertices in common.
        true if collective.is_all_reduce() && problem.groups().is_some() => false,
        true => collective.joining() != Joining::Sum,
        false => {
            let stops_at_hosts = matches!(problem.switching(), Switching::Hosts);
            stops_at_hosts && !problem.has_fixed_routes()
        }
    };
    is_kind && size <= MOST
}

/// By message, the vertices that get it.
fn receivers(problem: &Problem) -> Vec<Vec<VertexId>> {
    let mut receivers = vec![Vec::new(); problem.messages()];
    for d in problem.demands() {
        receivers[d.message as usize].push(d.destination);
    }
    receivers
}

/// The repair of a broadcast in a number of steps; `possible` has the transfers of the old schedule that
/// are still possible. Whether it is valid is decided by `verify`. `is_over` ends the rounds after
/// the first.
pub(super) fn rehang(
    problem: &Problem,
    possible: &Plan,
    (steps, seed): (u32, u64),
    is_over: &dyn Fn() -> bool,
) -> Option<Plan> {
    // The plan of a reduction is its reverse, which ends in step 0 of the file.
    let late = if problem.collective().is_reduction() { possible.len() as u32 } else { steps };
    let mut old = Plan::new(steps);
    for (step, transfers) in (0..).zip(possible.steps()) {
        if let Some(step) = (step + steps).checked_sub(late).filter(|&step| step < steps) {
            for t in transfers {
                old.push(step as usize, t.message, t.channels.iter().copied());
            }
        }
    }
    let first = |m: MessageId| BTreeMap::from([(problem.message(m).origin, 0)]);
    let work = Work {
        problem,
        receivers: receivers(problem),
        first: (0..problem.messages() as MessageId).map(first).collect(),
        old: &old,
        fixed: &Plan::new(steps),
    };
    hang(&work, seed, is_over)
}

/// What is to be hung up.
struct Work<'w> {
    problem: &'w Problem,
    /// By message, who gets it.
    receivers: Vec<Vec<VertexId>>,
    /// By message, who has it from the beginning, and from which step on.
    first: Vec<BTreeMap<VertexId, u32>>,
    /// The transfers that may stay, in as many steps as there are.
    old: &'w Plan,
    /// Others that take up room.
    fixed: &'w Plan,
}

/// The best of some rounds.
fn hang(work: &Work<'_>, seed: u64, is_over: &dyn Fn() -> bool) -> Option<Plan> {
    let Work { problem, receivers, first, old, fixed } = work;
    let steps = old.len() as u32;
    let distances = &Distances::new(problem.network());
    let mut start = Hanging {
        problem,
        distances,
        steps,
        receivers,
        first,
        hops: vec![Vec::new(); problem.messages()],
        room: vec![problem.resources().capacities().to_vec(); steps as usize],
        owners: vec![Vec::new(); steps as usize],
        joined: problem.collective().joins().then(Joined::default),
        weight: vec![0; problem.messages()],
        waiting: (0..problem.messages() as MessageId).rev().collect(),
        left: EJECTIONS * problem.messages(),
        rng: None,
    };
    for (step, transfers) in (0..).zip(fixed.steps()) {
        for t in transfers {
            for r in start.uses(&(step, t.channels.to_vec())) {
                let room = &mut start.room[step as usize][r as usize];
                *room = room.saturating_sub(1);
            }
        }
    }
    for (step, transfers) in (0..).zip(old.steps()) {
        for t in transfers {
            // Under other rules, not all have room.
            start.add(t.message, (step, t.channels.to_vec()));
        }
    }
    start.drop_broken_journeys();
    let old = start.hops.clone();
    let mut best: Option<(usize, Hanging<'_>)> = None;
    for round in 0..=ROUNDS {
        if round > 0 && is_over() {
            break;
        }
        let rng = (round > 0).then(|| rng_of(seed, round, 8));
        let mut hanging = Hanging { rng, ..start.clone() };
        if hanging.complete_all(&old).is_none() {
            continue;
        }
        let is_new = |(hop, old): &(&Hop, &Vec<Hop>)| !old.contains(hop);
        let all = hanging.hops.iter().zip(&old);
        let new = all.flat_map(|(hops, old)| hops.iter().map(move |h| (h, old))).filter(is_new);
        let new = new.count();
        if best.as_ref().is_none_or(|(fewest, _)| new < *fewest) {
            best = Some((new, hanging));
        }
    }
    let (_, hanging) = best?;
    let mut plan = Plan::new(steps);
    for (message, hops) in (0..).zip(&hanging.hops) {
        for (step, path) in hops {
            plan.push(*step as usize, message, path.iter().copied());
        }
    }
    Some(plan)
}

impl Hanging<'_> {
    fn end(&self, hop: &Hop) -> VertexId {
        self.problem.network().channel(hop.1[hop.1.len() - 1]).to
    }

    fn start(&self, hop: &Hop) -> VertexId {
        self.problem.network().channel(hop.1[0]).from
    }

    /// Whether a transfer may pass a vertex.
    fn passes(&self, v: VertexId) -> bool {
        match self.problem.switching() {
            Switching::Wormhole => true,
            Switching::StoreAndForward => false,
            Switching::Hosts => !self.problem.network().is_terminal(v),
        }
    }

    /// By vertex that has the message in time, the step from which it can send it. Sends of vertices that
    /// do not have it do not count.
    fn holders(&self, message: MessageId) -> BTreeMap<VertexId, u32> {
        let mut hops: Vec<&Hop> = self.hops[message as usize].iter().collect();
        hops.sort_by_key(|hop| hop.0);
        let mut since = self.first[message as usize].clone();
        for hop in hops {
            if since.get(&self.start(hop)).is_some_and(|&first| first <= hop.0) {
                since.entry(self.end(hop)).or_insert(hop.0 + 1);
            }
        }
        since
    }

    /// Gives all messages to their receivers; none if there is no room.
    fn complete_all(&mut self, old: &[Vec<Hop>]) -> Option<()> {
        while let Some(message) = self.waiting.pop() {
            self.complete(message, old)?;
        }
        Some(())
    }

    /// Gives a message to all its receivers; none if there is no room.
    fn complete(&mut self, message: MessageId, old: &[Vec<Hop>]) -> Option<()> {
        if self.has_journeys() {
            return self.complete_journey(message, old);
        }
        loop {
            let since = self.holders(message);
            let first_send = |v: VertexId| {
                let own = self.hops[message as usize].iter().filter(|hop| self.start(hop) == v);
                own.map(|hop| hop.0).min()
            };
            let all = self.receivers[message as usize].iter().copied();
            let missing = all.filter(|v| !since.contains_key(v));
            // What sends first is needed first.
            let missing: Option<(u32, VertexId)> =
                missing.map(|v| (first_send(v).unwrap_or(self.steps), v)).min();
            let Some((until, v)) = missing else { break };
            let drops = until < self.steps && self.rng.as_mut().is_none_or(|rng| rng.random());
            if let Some(hop) = self.place(v, until, &since) {
                self.add(message, hop);
            } else if drops {
                self.take(message, |all, hop| all.start(hop) == v);
            } else if let Some(hop) = self.cheapest((message, v), until, (&since, old)) {
                self.left = self.left.checked_sub(1)?;
                self.eject_for(message, &hop);
                self.add(message, hop);
            } else if until < self.steps {
                self.take(message, |all, hop| all.start(hop) == v);
            } else {
                return None;
            }
        }
        // What is not needed goes: sends of vertices without the message, and second arrivals.
        let since = self.holders(message);
        self.take(message, |all, hop| {
            since.get(&all.start(hop)).is_none_or(|&first| first > hop.0)
                || since.get(&all.end(hop)) != Some(&(hop.0 + 1))
        });
        Some(())
    }

    /// The latest free path from a holder to a vertex before a step.
    fn place(&self, v: VertexId, until: u32, since: &BTreeMap<VertexId, u32>) -> Option<Hop> {
        let joined = self.joined.as_ref();
        let path = |step| {
            let taken = joined.and_then(|joined| joined.towards(self, (step, v), since));
            taken.or_else(|| self.path(v, step, since))
        };
        (0..until).rev().find_map(|step| Some((step, path(step)?)))
    }

    /// A free path in a step: backward from the vertex, no longer than the rules allow.
    fn path(
        &self,
        v: VertexId,
        step: u32,
        since: &BTreeMap<VertexId, u32>,
    ) -> Option<Vec<ChannelId>> {
        let problem = self.problem;
        let network = problem.network();
        let slack = problem.routing().slack();
        let room = &self.room[step as usize];
        let mut next: BTreeMap<VertexId, (ChannelId, u32)> = BTreeMap::new();
        let mut queue = VecDeque::from([(v, 0)]);
        while let Some((at, length)) = queue.pop_front() {
            for &c in network.incoming(at) {
                let from = network.channel(c).from;
                let is_free = room[problem.resources().of_channel(c) as usize] > 0;
                if from == v || !is_free || next.contains_key(&from) {
                    continue;
                }
                next.insert(from, (c, length + 1));
                let most = self.distances.get(from, v).saturating_add(slack);
                let is_holder = since.get(&from).is_some_and(|&first| first <= step);
                if is_holder && length < most {
                    let mut path = Vec::new();
                    let mut here = from;
                    while here != v {
                        let (c, _) = next[&here];
                        path.push(c);
                        here = network.channel(c).to;
                    }
                    let uses = self.uses(&(step, path.clone()));
                    if uses.iter().all(|&r| room[r as usize] > 0) {
                        return Some(path);
                    }
                }
                if self.passes(from) {
                    queue.push_back((from, length + 1));
                }
            }
        }
        None
    }
}
