//! One pass: round by round, each hop carries what its end lacks, in the room that others leave. A piece
//! of a vector has a pass of its own.

use super::super::hops::{Hop, Used, hops};
use super::{Room, drawn, plan_of};
use ccsched_base::bits;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Joining, MessageId, Problem, Request};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};

/// A transfer of some messages, or of some contributions to a piece.
#[derive(Clone)]
pub(super) struct Move {
    pub step: usize,
    from: VertexId,
    to: VertexId,
    pub messages: Vec<u64>,
    pub path: Vec<ChannelId>,
}

/// What the vertices have in a pass.
pub(super) struct State {
    /// By vertex, its messages.
    has: Vec<Vec<u64>>,
    /// By vertex, the sums that it got, with its own contribution; empty in a barrier.
    sums: Vec<Vec<Vec<u64>>>,
    /// By vertex, what arrives in the present step.
    arriving: Vec<Vec<u64>>,
    all: u32,
    adds: bool,
    left_out: u32,
    moves: Vec<Move>,
    /// The first moves of those that arrive together.
    groups: Vec<usize>,
}

impl State {
    fn of(problem: &Problem, left_out: u32) -> Self {
        let pieces = problem.pieces();
        let vertices = problem.network().vertices().len();
        let all = problem.messages() / pieces as usize;
        let none = vec![vec![0; bits::words(all)]; vertices];
        let mut state = State {
            has: none.clone(),
            sums: vec![Vec::new(); vertices],
            arriving: none,
            all: all as u32,
            adds: problem.collective().joining() == Joining::Sum,
            left_out,
            moves: Vec::new(),
            groups: vec![0],
        };
        for message in 0..all as MessageId {
            let origin = problem.message(message * pieces).origin as usize;
            bits::insert(&mut state.has[origin], message);
            state.sums[origin].push(state.has[origin].clone());
        }
        state
    }

    fn is_complete(&self, v: VertexId) -> bool {
        bits::count(&self.has[v as usize]) == self.all
    }

    /// What a hop can carry that its end lacks; `is_final` if only the complete sum may be sent.
    fn offer(&self, ends: [VertexId; 2], is_final: bool, rng: &mut Rng) -> Vec<u64> {
        let [from, to] = ends.map(|v| v as usize);
        let (has, arriving) = (&self.has[to], &self.arriving[to]);
        if !self.adds {
            let mut offer = self.has[from].clone();
            bits::subtract(&mut offer, has);
            bits::subtract(&mut offer, arriving);
            return offer;
        }
        if self.is_complete(ends[0]) && !self.is_complete(ends[1]) && bits::is_empty(arriving) {
            return self.has[from].clone();
        }
        let mut offer = vec![0; has.len()];
        if is_final || bits::count(arriving) == self.all {
            return offer;
        }
        for sum in &self.sums[from] {
            let is_free = !bits::meet(sum, has) && !bits::meet(sum, arriving);
            if is_free && (self.left_out == u32::MAX || rng.random_range(0..self.left_out) > 0) {
                offer.iter_mut().zip(sum).for_each(|(offer, sum)| *offer |= sum);
            }
        }
        offer
    }

    fn send(
        &mut self,
        step: usize,
        [from, to]: [VertexId; 2],
        messages: Vec<u64>,
        path: Vec<ChannelId>,
    ) {
        let arriving = &mut self.arriving[to as usize];
        arriving.iter_mut().zip(&messages).for_each(|(arriving, sent)| *arriving |= sent);
        self.moves.push(Move { step, from, to, messages, path });
    }

    /// What was sent since the last time arrives; returns whether anything was.
    fn arrive(&mut self) -> bool {
        let first = self.groups[self.groups.len() - 1];
        for sent in &self.moves[first..] {
            let to = sent.to as usize;
            self.arriving[to].fill(0);
            if self.adds {
                if bits::count(&sent.messages) == self.all {
                    self.sums[to].clear();
                }
                self.sums[to].push(sent.messages.clone());
            }
            self.has[to].iter_mut().zip(&sent.messages).for_each(|(has, sent)| *has |= sent);
        }
        self.groups.push(self.moves.len());
        first < self.moves.len()
    }

    /// What the receivers lack.
    pub fn lacking(&self, problem: &Problem) -> u64 {
        let lacks = |&v: &VertexId| u64::from(self.all - bits::count(&self.has[v as usize]));
        problem.receivers().iter().map(lacks).sum()
    }

    /// Rounds of the pass.
    pub fn rounds(&self) -> usize {
        self.moves.last().map_or(1, |last| last.step + 1)
    }

    /// The moves without what is neither wanted where it comes to nor sent on. What comes before the
    /// complete sum is wanted only to be sent on before.
    pub fn needed(mut self, problem: &Problem) -> Vec<Move> {
        let mut needed = vec![vec![0; bits::words(self.all as usize)]; self.has.len()];
        problem.receivers().iter().for_each(|&v| needed[v as usize].fill(u64::MAX));
        let mut all = Vec::with_capacity(self.moves.len());
        while let Some(first) = self.groups.pop() {
            let mut group = self.moves.split_off(first);
            group.retain_mut(|sent| {
                let wanted = &needed[sent.to as usize];
                if self.adds {
                    return bits::meet(&sent.messages, wanted);
                }
                sent.messages.iter_mut().zip(wanted).for_each(|(sent, wanted)| *sent &= wanted);
                !bits::is_empty(&sent.messages)
            });
            if self.adds {
                let whole = group.iter().filter(|sent| bits::count(&sent.messages) == self.all);
                whole.for_each(|sent| needed[sent.to as usize].fill(0));
            }
            for sent in &group {
                let of_from = &mut needed[sent.from as usize];
                of_from.iter_mut().zip(&sent.messages).for_each(|(needed, sent)| *needed |= sent);
            }
            all.extend(group);
        }
        all
    }
}

/// Hops towards a root, by which sums are collected.
pub(super) struct Tree {
    root: VertexId,
    /// By vertex, its hop towards the root.
    hop: Vec<Option<usize>>,
    /// By vertex, the others whose sums it still awaits.
    awaits: Vec<u32>,
}

impl Tree {
    pub fn towards(problem: &Problem, hops: &[Hop], root: VertexId, rng: &mut Rng) -> Self {
        let vertices = problem.network().vertices().len();
        let mut into = vec![Vec::new(); vertices];
        (0..).zip(hops).for_each(|(i, hop)| into[hop.to as usize].push(i));
        let (mut hop, mut order) = (vec![None; vertices], vec![root]);
        let mut next = 0;
        while let Some(&v) = order.get(next) {
            next += 1;
            into[v as usize].shuffle(rng);
            for &i in &into[v as usize] {
                let from = hops[i].from;
                if from != root && hop[from as usize].is_none() {
                    hop[from as usize] = Some(i);
                    order.push(from);
                }
            }
        }
        let mut awaits = vec![0; vertices];
        let mut has_some: Vec<bool> = vec![false; vertices];
        problem.senders().iter().for_each(|&v| has_some[v as usize] = true);
        for &v in order.iter().rev() {
            match hop[v as usize] {
                Some(i) if has_some[v as usize] => {
                    awaits[hops[i].to as usize] += 1;
                    has_some[hops[i].to as usize] = true;
                }
                _ => hop[v as usize] = None,
            }
        }
        Tree { root, hop, awaits }
    }
}

/// The moves of a piece without those that it can do without, which leaves more room to the others: one after
/// the other is left out if sums along the rest still come to all.
fn thinned(
    problem: &Problem,
    mut moves: Vec<Move>,
    ends: Option<&[bool]>,
    rng: &mut Rng,
) -> Vec<Move> {
    moves.sort_by_key(|sent| sent.step);
    // The number of the time at which it arrives.
    let arrival = |sent: &Move| match ends {
        None => sent.step,
        Some(ends) => ends[..sent.step].iter().filter(|&&ends| ends).count(),
    };
    let again = |moves: &[Move], rng: &mut Rng| {
        let mut state = State::of(problem, u32::MAX);
        for of_step in moves.chunk_by(|a, b| arrival(a) == arrival(b)) {
            for Move { from, to, path, step, .. } in of_step {
                let offer = state.offer([*from, *to], false, rng);
                if !bits::is_empty(&offer) {
                    state.send(*step, [*from, *to], offer, path.clone());
                }
            }
            state.arrive();
        }
        (state.lacking(problem) == 0).then(|| {
            let mut needed = state.needed(problem);
            needed.sort_by_key(|sent| sent.step);
            needed
        })
    };
    let mut left: Vec<(usize, Vec<ChannelId>)> =
        moves.iter().map(|sent| (sent.step, sent.path.clone())).collect();
    left.shuffle(rng);
    for (step, path) in left {
        let is_it = |sent: &Move| sent.step == step && sent.path == path;
        let Some(place) = moves.iter().position(is_it) else { continue };
        let mut fewer = moves.clone();
        fewer.remove(place);
        if let Some(needed) = again(&fewer, rng).filter(|needed| needed.len() < moves.len()) {
            moves = needed;
        }
    }
    moves
}

/// How a pass goes.
pub(super) struct Pass<'p> {
    pub problem: &'p Problem,
    pub hops: &'p [Hop],
    /// Sums are collected along it at first.
    pub tree: Option<Tree>,
    /// Rounds at most, and those that may collect.
    pub most: usize,
    pub collecting: usize,
    /// Of the parts of a sum that could be sent, one in this number may be left out.
    pub left_out: u32,
    /// Whether the hops that can carry most come first.
    pub takes_largest: bool,
    /// The rounds that end steps, if not all do: what is sent arrives with the end of a step.
    pub ends: Option<&'p [bool]>,
}

impl Pass<'_> {
    /// Makes the pass in the room that is left.
    pub fn run(mut self, used: &mut Used, rng: &mut Rng) -> State {
        let mut state = State::of(self.problem, self.left_out);
        let mut order: Vec<usize> = (0..self.hops.len()).collect();
        // The vertices to which collected sums are on the way.
        let mut taken = Vec::new();
        for step in 0..self.most {
            let collects = self.tree.as_ref().is_some_and(|tree| !state.is_complete(tree.root));
            if collects && step < self.collecting {
                self.collect((&mut state, used), &mut taken, step, rng);
            } else {
                let is_final = self.tree.is_some() && !collects;
                order.shuffle(rng);
                self.spread((&mut state, used), (&mut order, is_final), step, rng);
            }
            if self.ends.is_some_and(|ends| !ends[step]) {
                continue;
            }
            if let Some(tree) = &mut self.tree {
                taken.drain(..).for_each(|to: usize| tree.awaits[to] -= 1);
            }
            // Where others take all room of a round, a later one may have some.
            if !state.arrive() && self.ends.is_none() && step >= used.rounds() {
                break;
            }
        }
        state
    }

    /// A round in which each hop carries what its end lacks.
    fn spread(
        &self,
        (state, used): (&mut State, &mut Used),
        (order, is_final): (&mut [usize], bool),
        step: usize,
        rng: &mut Rng,
    ) {
        if self.takes_largest {
            order.sort_by_cached_key(|&hop| {
                std::cmp::Reverse(bits::count(&state.offer(self.hops[hop].ends(), is_final, rng)))
            });
        }
        for hop in order.iter().map(|&hop| &self.hops[hop]) {
            let offer = state.offer(hop.ends(), is_final, rng);
            if bits::is_empty(&offer) {
                continue;
            }
            if let Some(path) = used.free_path(self.problem, step, hop, rng) {
                used.take(self.problem, step, &path);
                state.send(step, hop.ends(), offer, path);
            }
        }
    }

    /// A round that collects: each vertex that awaits nothing more sends all that it has.
    fn collect(
        &mut self,
        (state, used): (&mut State, &mut Used),
        taken: &mut Vec<usize>,
        step: usize,
        rng: &mut Rng,
    ) {
        let Some(Tree { hop: of, awaits, .. }) = &mut self.tree else { return };
        let mut ready: Vec<usize> =
            (0..of.len()).filter(|&v| of[v].is_some() && awaits[v] == 0).collect();
        ready.shuffle(rng);
        for v in ready {
            let Some(hop) = of[v].map(|i| &self.hops[i]) else { continue };
            if let Some(path) = used.free_path(self.problem, step, hop, rng) {
                used.take(self.problem, step, &path);
                state.send(step, hop.ends(), state.has[v].clone(), path);
                of[v] = None;
                taken.push(hop.to as usize);
            }
        }
    }
}

// The pieces of an all-reduce of one part beside each other: each has a pass of its own in the room that
// the others leave. A piece that finds none takes it from one of the others, which is placed again.

/// Tries to place a piece, for each piece, in a pass of all.
pub(super) const TRIES: usize = 12;
/// The tries of a piece, each of which may be thinned out, as passes of a whole.
pub(super) const WEIGHT: u64 = 64;
/// Placements of a message that take about as long as a try to place a piece.
const PLACEMENTS: usize = 4;

/// Of the pieces that are placed, one in this number is thinned out.
const THINNED: u32 = 4;
/// Moves of a piece up to which it is thinned out.
const MOST_THINNED: usize = 400;

/// Places all pieces, if it can; what the pieces lack that have no place, and the rounds of all passes.
pub(super) fn pass(
    problem: &Problem,
    hops: &[Hop],
    room: &Room<'_>,
    tries: usize,
    rng: &mut Rng,
) -> (Option<Plan>, u64, usize) {
    let pieces = problem.pieces() as usize;
    let mut placed: Vec<Vec<Move>> = vec![Vec::new(); pieces];
    let mut waiting: Vec<usize> = (0..pieces).collect();
    let (mut rounds, mut lacking) = (0, u64::MAX);
    for _ in 0..tries * pieces {
        let Some(place) = waiting.len().checked_sub(1).map(|last| rng.random_range(0..=last))
        else {
            break;
        };
        let piece = waiting[place];
        let mut used = Used::default();
        for sent in placed.iter().flatten() {
            used.take(problem, sent.step, &sent.path);
        }
        let state = drawn(problem, hops, room, rng).run(&mut used, rng);
        rounds += state.rounds();
        let lacks = state.lacking(problem);
        lacking = lacking.min(lacks + (waiting.len() as u64 - 1) * problem.messages() as u64);
        if lacks == 0 {
            let needed = state.needed(problem);
            placed[piece] = match rng.random_range(0..THINNED) {
                0 if needed.len() <= MOST_THINNED => thinned(problem, needed, room.ends, rng),
                _ => needed,
            };
            waiting.swap_remove(place);
            continue;
        }
        let others: Vec<usize> = (0..pieces).filter(|&p| !placed[p].is_empty()).collect();
        if let Some(&other) = others.choose(rng) {
            placed[other].clear();
            waiting.push(other);
        }
    }
    let plan = waiting.is_empty().then(|| plan_of(problem, &placed));
    (plan, if waiting.is_empty() { 0 } else { lacking.max(1) }, rounds)
}

/// A schedule with these rounds in its steps, one entry of the plan a round; none if none is found with
/// `effort` placements a message, or before it is over.
pub fn in_rounds(
    problem: &Problem,
    rounds: &[u32],
    effort: usize,
    is_over: &dyn Fn() -> bool,
    rng: &mut Rng,
) -> Option<Plan> {
    let divides =
        |n: &u32| rounds.iter().chain([&problem.pieces()]).all(|all| all.is_multiple_of(*n));
    if let Some(common) = (2..=problem.pieces()).rev().find(divides) {
        return repeated(problem, common, rounds, effort, is_over, rng);
    }
    let ends: Vec<bool> =
        rounds.iter().flat_map(|&rounds| (1..=rounds).map(move |round| round == rounds)).collect();
    let hops = hops(problem);
    let room = Room { most: ends.len(), goal: ends.len(), ends: Some(&ends) };
    for _ in 0..effort.div_ceil(TRIES * PLACEMENTS) {
        if is_over() {
            break;
        }
        if let (Some(plan), ..) = pass(problem, &hops, &room, TRIES, rng) {
            return Some(plan);
        }
    }
    None
}

/// The same by a schedule of fewer pieces in fewer rounds by this factor, each round of which is repeated.
fn repeated(
    problem: &Problem,
    factor: u32,
    rounds: &[u32],
    effort: usize,
    is_over: &dyn Fn() -> bool,
    rng: &mut Rng,
) -> Option<Plan> {
    let pieces = problem.pieces() / factor;
    let request = Request { pieces, ..problem.request().clone() };
    let fewer = request.pose(problem.network().clone(), problem.faults().to_vec()).ok()?;
    let rounds: Vec<u32> = rounds.iter().map(|rounds| rounds / factor).collect();
    let plan = in_rounds(&fewer, &rounds, effort, is_over, rng)?;
    let mut all = Plan::default();
    for (number, round) in plan.steps().enumerate() {
        for (t, copy) in round.iter().flat_map(|t| (0..factor).map(move |copy| (t, copy))) {
            let place = number * factor as usize + copy as usize;
            all.push(place, t.message * factor + copy, t.channels);
        }
    }
    Some(all)
}
