//! The schedules of several groups on one network. Their first steps are one step, then their second ones, and so on.
//! Where that is too much for some link, other shortest paths are looked for, and a step in which not all transfers fit
//! is divided.

use crate::construct::closed::disjoint::Disjoint;
use crate::ground::in_step::InStep;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem, ResourceId};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};

/// Rerouted paths of all searches, each weighed by the pairs of its step: about a second.
const LOOKS: usize = 20_000_000;

/// A message along a path.
type Sent = (MessageId, Vec<ChannelId>);

/// The schedule.
pub fn plan(problem: &Problem, plans: &[Plan], rng: &mut Rng) -> Plan {
    let mut ends: Vec<VertexId> = problem.demands().iter().map(|d| d.destination).collect();
    ends.extend(problem.senders());
    ends.sort_unstable();
    ends.dedup();
    let mut together = Together {
        problem,
        ends: &ends,
        used: InStep::new(problem.resources()),
        wanted: Vec::new(),
        disjoint: None,
    };
    let mut plan = Plan::default();
    for number in 0..plans.iter().map(Plan::len).max().unwrap_or(0) {
        let steps = plans.iter().filter_map(|plan| plan.steps().nth(number));
        let mut waiting: Vec<Sent> =
            steps.flatten().map(|t| (t.message, t.channels.to_vec())).collect();
        while !waiting.is_empty() {
            let step = plan.len();
            let (sent, left) = together.step(waiting, rng);
            sent.into_iter().for_each(|(message, path)| plan.push(step, message, path));
            waiting = left;
        }
    }
    plan
}

struct Together<'p> {
    problem: &'p Problem,
    /// All sources and destinations, ascending.
    ends: &'p [VertexId],
    used: InStep<'p>,
    /// The resources of a path; reused.
    wanted: Vec<ResourceId>,
    /// Made when it is first needed.
    disjoint: Option<Disjoint<'p>>,
}

impl<'p> Together<'p> {
    /// The transfers that go in one step, and those that are left: at least one goes.
    fn step(&mut self, waiting: Vec<Sent>, rng: &mut Rng) -> (Vec<Sent>, Vec<Sent>) {
        let first = self.fitting(waiting);
        if first.1.is_empty() || !self.may_reroute(first.0.iter().chain(&first.1)) {
            return first;
        }
        let all: Vec<&Sent> = first.0.iter().chain(&first.1).collect();
        let place = |v: VertexId| self.ends.partition_point(|&end| end < v);
        let pairs: Vec<(usize, usize)> = all
            .iter()
            .map(|(_, path)| self.ends_of(path))
            .map(|(from, to)| (place(from), place(to)))
            .collect();
        let (problem, ends) = (self.problem, self.ends);
        let disjoint =
            self.disjoint.get_or_insert_with(|| Disjoint::new(problem, ends).within(LOOKS));
        let paths = disjoint.most_paths(&pairs, rng);
        if paths.iter().flatten().count() <= first.0.len() {
            return first;
        }
        let (mut sent, mut left) = (Vec::new(), Vec::new());
        for ((message, old), path) in all.into_iter().zip(paths) {
            match path {
                Some(path) => sent.push((*message, path)),
                None => left.push((*message, old.clone())),
            }
        }
        (sent, left)
    }

    /// The transfers that fit into one step after those before them, and the others.
    fn fitting(&mut self, waiting: Vec<Sent>) -> (Vec<Sent>, Vec<Sent>) {
        let (network, resources) = (self.problem.network(), self.problem.resources());
        self.used.next();
        waiting.into_iter().partition(|(_, path)| {
            self.wanted.clear();
            resources.uses(network, self.problem.switching(), path, |r, _| self.wanted.push(r));
            self.used.take_all(&self.wanted)
        })
    }

    /// Whether other paths are looked for: those of held paths that are not fixed, and where no terminal sends or
    /// receives more than once, because the search for paths knows nothing of ports.
    fn may_reroute<'s>(&self, mut all: impl Iterator<Item = &'s Sent>) -> bool {
        if !self.problem.switching().holds_paths() || self.problem.has_fixed_routes() {
            return false;
        }
        let vertices = self.problem.network().vertices().len();
        let mut is_end = [vec![false; vertices], vec![false; vertices]];
        all.all(|(_, path)| {
            let (from, to) = self.ends_of(path);
            let twice = [from, to].map(|v| v as usize);
            let is_first = !is_end[0][twice[0]] && !is_end[1][twice[1]];
            (0..2).for_each(|side| is_end[side][twice[side]] = true);
            is_first
        })
    }

    /// The first and the last vertex of a path.
    fn ends_of(&self, path: &[ChannelId]) -> (VertexId, VertexId) {
        let network = self.problem.network();
        let [first, last] = [path[0], path[path.len() - 1]].map(|c| network.channel(c));
        (first.from, last.to)
    }
}
