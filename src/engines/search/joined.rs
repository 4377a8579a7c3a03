//! Schedules in which messages that take one path in one step are one transfer: barriers, and
//! all-reduces of one part. Step by step, each hop carries what its end lacks. In a barrier that is
//! everything. Sums stay together: a vertex sends a sum of what it got of which the other end has
//! nothing, or the complete sum. A pass may begin with steps that collect towards a root, from where
//! the complete sum then spreads.

use super::hops::{Hop, Used, hops};
use super::passes::Passes;
use crate::bits;
use crate::comm::{CommError, codec};
use crate::engines::construct::sums_of_lines;
use crate::engines::{Method, Resume, Walker};
use crate::network::{ChannelId, VertexId};
use crate::problem::{Joining, MessageId, Problem};
use crate::rng::Rng;
use crate::schedule::Plan;
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Passes at one number of steps, and in an iteration at most.
const PASSES: u64 = 200;
const AT_ONCE: u64 = 20;
/// Hops that an iteration looks at, unless a pass looks at more.
const ENOUGH: u64 = 200_000;
/// Of the parts of a sum that could be sent, one in this number may be left out.
const LEFT_OUT: [u32; 3] = [u32::MAX, 16, 5];

/// The search.
#[derive(Clone)]
pub struct Joined {
    problem: Arc<Problem>,
    hops: Arc<Vec<Hop>>,
    /// What lacks are deliveries.
    passes: Passes,
    method: Method,
}

/// A transfer of some messages.
struct Move {
    step: usize,
    from: VertexId,
    to: VertexId,
    messages: Vec<u64>,
    path: Vec<ChannelId>,
}

/// What the vertices have in a pass.
struct State {
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
}

impl State {
    fn of(problem: &Problem, left_out: u32) -> Self {
        let (vertices, all) = (problem.network().vertices().len(), problem.messages());
        let none = vec![vec![0; bits::words(all)]; vertices];
        let mut state = State {
            has: none.clone(),
            sums: vec![Vec::new(); vertices],
            arriving: none,
            all: all as u32,
            adds: problem.collective().joining() == Joining::Sum,
            left_out,
            moves: Vec::new(),
        };
        for message in 0..all as MessageId {
            let origin = problem.message(message).origin as usize;
            bits::insert(&mut state.has[origin], message);
            state.sums[origin].push(state.has[origin].clone());
        }
        state
    }

    fn is_complete(&self, v: VertexId) -> bool {
        bits::count(&self.has[v as usize]) == self.all
    }

    /// What a hop can carry that its end lacks; `is_final` if only the complete sum may be sent.
    fn offer(&self, hop: &Hop, is_final: bool, rng: &mut Rng) -> Vec<u64> {
        let (from, to) = (hop.from as usize, hop.to as usize);
        let (has, arriving) = (&self.has[to], &self.arriving[to]);
        if !self.adds {
            let mut offer = self.has[from].clone();
            bits::subtract(&mut offer, has);
            bits::subtract(&mut offer, arriving);
            return offer;
        }
        if self.is_complete(hop.from) && !self.is_complete(hop.to) && bits::is_empty(arriving) {
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

    fn send(&mut self, step: usize, hop: &Hop, messages: Vec<u64>, path: Vec<ChannelId>) {
        let arriving = &mut self.arriving[hop.to as usize];
        arriving.iter_mut().zip(&messages).for_each(|(arriving, sent)| *arriving |= sent);
        self.moves.push(Move { step, from: hop.from, to: hop.to, messages, path });
    }

    /// What was sent in a step arrives; returns whether anything was.
    fn arrive(&mut self, first: usize) -> bool {
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
        first < self.moves.len()
    }

    /// The schedule without what is neither wanted where it comes to nor sent on.
    fn plan(&self, problem: &Problem) -> Plan {
        let mut needed = vec![vec![0; bits::words(self.all as usize)]; self.has.len()];
        problem.receivers().iter().for_each(|&v| needed[v as usize].fill(u64::MAX));
        let mut plan = Plan::default();
        for Move { step, from, to, messages, path } in self.moves.iter().rev() {
            let wanted = &needed[*to as usize];
            let mut messages = messages.clone();
            if !self.adds {
                messages.iter_mut().zip(wanted).for_each(|(sent, wanted)| *sent &= wanted);
            } else if !bits::meet(&messages, wanted) {
                continue;
            }
            let of_from = &mut needed[*from as usize];
            of_from.iter_mut().zip(&messages).for_each(|(needed, sent)| *needed |= sent);
            let sent = (0..self.all).filter(|&m| bits::contains(&messages, m));
            sent.for_each(|message| plan.push(*step, message, path));
        }
        plan.tidy();
        plan
    }
}

/// Hops towards a root, by which sums are collected.
struct Tree {
    root: VertexId,
    /// By vertex, its hop towards the root.
    hop: Vec<Option<usize>>,
    /// By vertex, the others whose sums it still awaits.
    awaits: Vec<u32>,
}

impl Tree {
    fn towards(problem: &Problem, hops: &[Hop], root: VertexId, rng: &mut Rng) -> Self {
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

impl Joined {
    /// The search for a problem whose messages join.
    pub fn new(problem: &Arc<Problem>) -> Self {
        let passes = Passes::new(sums_of_lines(problem).map(Arc::new));
        let method = Method::Construction("sums of lines".into());
        Joined { problem: problem.clone(), hops: Arc::new(hops(problem)), passes, method }
    }

    /// Passes in an iteration.
    fn at_once(&self) -> u64 {
        let hops = self.hops.len() as u64 * u64::from(self.passes.goal);
        (ENOUGH / hops.max(1)).clamp(1, AT_ONCE)
    }

    /// One pass; a schedule that is shorter than the best is kept.
    fn pass(&mut self, rng: &mut Rng) -> u64 {
        let (problem, hops) = (self.problem.clone(), self.hops.clone());
        let adds = problem.collective().joining() == Joining::Sum;
        let mut tree = None;
        if adds && (self.passes.best.is_none() || rng.random_range(0..3) == 0) {
            let root = *problem.senders().choose(rng).expect("there are several");
            tree = Some(Tree::towards(&problem, &hops, root, rng));
        }
        let (most, collecting) = match self.passes.best {
            None => (usize::MAX, usize::MAX),
            Some(_) => (
                self.passes.goal.min(self.passes.len() - 1) as usize,
                rng.random_range(1..=2 * self.passes.goal.max(1)) as usize,
            ),
        };
        let left_out = *LEFT_OUT.choose(rng).expect("there are some");
        let mut state = State::of(&problem, left_out);
        let (mut used, mut order) = (Used::default(), (0..hops.len()).collect::<Vec<usize>>());
        let takes_largest = rng.random_range(0..2) == 0;
        for step in 0..most {
            let first = state.moves.len();
            let collects = tree.as_ref().is_some_and(|tree| !state.is_complete(tree.root));
            if collects && step < collecting {
                collect(&problem, &hops, tree.as_mut(), (&mut state, &mut used), step, rng);
            } else {
                let is_final = tree.is_some() && !collects;
                order.shuffle(rng);
                if takes_largest {
                    order.sort_by_cached_key(|&hop| {
                        std::cmp::Reverse(bits::count(&state.offer(&hops[hop], is_final, rng)))
                    });
                }
                for &hop in &order {
                    let offer = state.offer(&hops[hop], is_final, rng);
                    if bits::is_empty(&offer) {
                        continue;
                    }
                    if let Some(path) = used.free_path(&problem, step, &hops[hop], rng) {
                        used.take(&problem, step, &path);
                        state.send(step, &hops[hop], offer, path);
                    }
                }
            }
            if !state.arrive(first) {
                break;
            }
        }
        let lacks = |&v: &VertexId| u64::from(state.all - bits::count(&state.has[v as usize]));
        self.passes.lacking = problem.receivers().iter().map(lacks).sum();
        if self.passes.lacking == 0 {
            let plan = state.plan(&problem);
            if (plan.len() as u32) < self.passes.len() {
                (self.passes.best, self.method) = (Some(Arc::new(plan)), Method::Flooding);
            }
        }
        (hops.len() * state.moves.last().map_or(1, |last| last.step + 1)) as u64
    }
}

/// A step of a pass that collects: each vertex that awaits nothing more sends all that it has.
fn collect(
    problem: &Problem,
    hops: &[Hop],
    tree: Option<&mut Tree>,
    (state, used): (&mut State, &mut Used),
    step: usize,
    rng: &mut Rng,
) {
    let Some(Tree { hop: of, awaits, .. }) = tree else { return };
    let mut ready: Vec<usize> =
        (0..of.len()).filter(|&v| of[v].is_some() && awaits[v] == 0).collect();
    ready.shuffle(rng);
    let mut taken = Vec::new();
    for v in ready {
        let Some(hop) = of[v].map(|i| &hops[i]) else { continue };
        if let Some(path) = used.free_path(problem, step, hop, rng) {
            used.take(problem, step, &path);
            state.send(step, hop, state.has[v].clone(), path);
            of[v] = None;
            taken.push(hop.to as usize);
        }
    }
    taken.into_iter().for_each(|to| awaits[to] -= 1);
}

impl Walker for Joined {
    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        if self.passes.seek(steps) { self.pass(rng) } else { 0 }
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        let mut moves = 0;
        for _ in 0..self.at_once() {
            if self.cost() > 0 {
                moves += self.pass(rng);
            }
        }
        moves
    }

    fn cost(&self) -> u64 {
        self.passes.cost()
    }

    fn patience(&self) -> u64 {
        PASSES / self.at_once()
    }

    fn method(&self) -> Method {
        self.method.clone()
    }

    fn plan(&self) -> Plan {
        self.passes.plan()
    }
}

/// What determines the rest of the search.
#[derive(Serialize, Deserialize)]
struct Saved {
    passes: Passes,
    method: Method,
}

impl Resume for Joined {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        let Joined { passes, method, .. } = self.clone();
        codec::encode(&Saved { passes, method })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { passes, method } = codec::decode(state)?;
        (self.passes, self.method) = (passes, method);
        Ok(())
    }
}
