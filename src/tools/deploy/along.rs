//! Broadcasts and reductions along the fixed routes of a network. Their schedules are made over shortest
//! paths, as each hop may take any; switches forward it along the route of its two ends. Here every
//! transfer takes that route, in the first step in which its links are free and its sender has what it
//! sends.

use super::cost::Roads;
use ccsched_base::Result;
use ccsched_bounds as bounds;
use ccsched_model::problem::{MessageId, Problem, Request, Routing};
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::{Plan, ScheduleFile, asked, resolve};
use ccsched_network::VertexId;
use std::collections::HashMap;

/// What a message is of: its origin and its piece. Sums that join are all of one vector.
type Content = (VertexId, u32);

/// A transfer between its two ends.
struct Move {
    step: usize,
    messages: Vec<MessageId>,
    content: Content,
    from: VertexId,
    to: VertexId,
    /// Whether it brings all contributions, in place of all that its receiver has.
    is_complete: bool,
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
    problem.refuse_multicast("a deployment")?;
    let (network, request) = asked(file)?;
    let joins = problem.collective().joins();
    let mut all = moves(&problem, &plan.as_asked(&problem));
    all.sort_by_key(|t| (t.step, t.is_complete));
    let mut board = Board::new(roads, joins);
    let mut moved = Plan::default();
    for group in groups(&all, joins) {
        // Sums of one step do not wait for each other, and each has a step of its own.
        let at_once = if joins { 1 } else { group.len() };
        let steps: Vec<usize> =
            group.chunks(at_once).flat_map(|part| vec![board.place(part); part.len()]).collect();
        for (t, step) in group.into_iter().zip(steps) {
            board.note(t, step);
            let route = roads.route(t.from, t.to);
            t.messages.iter().for_each(|&message| moved.push(step, message, route));
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

/// The transfers of a plan, step by step.
fn moves(problem: &Problem, plan: &Plan) -> Vec<Move> {
    let (joins, channels) = (problem.collective().joins(), problem.asked_network());
    let mut all = Vec::new();
    for (step, transfers) in plan.steps().enumerate() {
        let of_step = match joins {
            true => transfers.joined(problem.pieces()),
            false => transfers.iter().map(|t| (t.channels, vec![t.message])).collect(),
        };
        for (path, messages) in of_step {
            let [Some(&first), Some(&last)] = [path.first(), path.last()] else { continue };
            let message = problem.message(messages[0]);
            let content = if joins { (0, 0) } else { (message.origin, message.piece) };
            let (from, to) = (channels.channel(first).from, channels.channel(last).to);
            let is_complete = joins && messages.len() == problem.senders().len();
            all.push(Move { step, messages, content, from, to, is_complete });
        }
    }
    all
}

/// The transfers in groups, one after the other: where two vertices exchange what they hold of a sum, they
/// do so in one step; sums that join are in one group if they are of one step, but for complete ones.
fn groups(all: &[Move], joins: bool) -> Vec<Vec<&Move>> {
    if joins {
        let same = |a: &Move, b: &Move| (a.step, a.is_complete) == (b.step, b.is_complete);
        return all.chunk_by(same).map(|group| group.iter().collect()).collect();
    }
    let mut is_placed = vec![false; all.len()];
    let mut groups = Vec::new();
    for (i, one) in all.iter().enumerate() {
        if is_placed[i] {
            continue;
        }
        let same = (i + 1..all.len()).take_while(|&j| all[j].step == one.step);
        let back = same.into_iter().find(|&j| all[j].is_back_of(one));
        back.into_iter().for_each(|j| is_placed[j] = true);
        groups.push(std::iter::once(one).chain(back.map(|j| &all[j])).collect());
    }
    groups
}

/// The transfers that are placed.
struct Board<'r> {
    roads: &'r Roads,
    /// By link or port, the transfers of each step.
    taken: Vec<Vec<u32>>,
    /// By content and vertex, the first step after all transfers that bring a part of it.
    ready: HashMap<(Content, VertexId), usize>,
    /// By content and vertex, the last step in which it is sent: a vertex of an all-reduce hands its part
    /// over before it gets the whole sum, not after.
    sent: HashMap<(Content, VertexId), usize>,
    /// By the two ends, the step after the last transfer between them: sums of one step would be one.
    between: HashMap<[VertexId; 2], usize>,
    joins: bool,
}

impl<'r> Board<'r> {
    fn new(roads: &'r Roads, joins: bool) -> Self {
        let taken = vec![Vec::new(); roads.problem().resources().capacities().len()];
        let [ready, sent] = Default::default();
        Board { roads, taken, ready, sent, between: HashMap::new(), joins }
    }

    /// The first step from which on a transfer may go.
    fn earliest(&self, t: &Move) -> usize {
        let of = |map: &HashMap<_, usize>, v| map.get(&(t.content, v)).copied().unwrap_or(0);
        let [ready, sent] = [of(&self.ready, t.from), of(&self.sent, t.to)];
        match self.joins {
            true if t.is_complete => ready.max(sent).max(of(&self.ready, t.to)),
            true => ready.max(self.between.get(&[t.from, t.to]).copied().unwrap_or(0)),
            false => ready.max(sent),
        }
    }

    /// Takes the links for transfers of one step, in the first step that has room for them.
    fn place(&mut self, group: &[&Move]) -> usize {
        let capacities = self.roads.problem().resources().capacities();
        let mut used = Vec::new();
        for t in group {
            let route = self.roads.route(t.from, t.to);
            self.roads.uses(route, |resource| used.push(resource));
        }
        let taken = &self.taken;
        let has_room = |step: usize| {
            let taken = |r: &usize| taken[*r].get(step).copied().unwrap_or(0);
            let asked = |r: &usize| used.iter().filter(|other| *other == r).count() as u32;
            used.iter().all(|r| taken(r) + asked(r) <= capacities[*r])
        };
        let begin = group.iter().map(|t| self.earliest(t)).max().unwrap_or(0);
        // Beyond all that is placed there is room; what never has room is told by the verifier.
        let last = taken.iter().map(Vec::len).max().unwrap_or(0).max(begin);
        let step = (begin..=last).find(|&step| has_room(step)).unwrap_or(last);
        for r in used {
            let steps = &mut self.taken[r];
            steps.resize(steps.len().max(step + 1), 0);
            steps[step] += 1;
        }
        group.iter().for_each(|t| _ = self.between.insert([t.from, t.to], step + 1));
        step
    }

    /// Notes what others wait for.
    fn note(&mut self, t: &Move, step: usize) {
        let after = self.ready.entry((t.content, t.to)).or_default();
        *after = (*after).max(step + 1);
        let last = self.sent.entry((t.content, t.from)).or_default();
        *last = (*last).max(step);
    }
}
