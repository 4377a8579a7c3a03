//! Broadcasts step by step where switches copy: in a step each message, in an order that learns which are
//! late, grows trees from the vertices that have it to all that lack it and that it reaches. Run backwards
//! a broadcast is a sum that switches add up.

use super::tree::{Grower, Room, Tree, Way};
use super::{PATIENCE, Shown};
use crate::{Method, Resume, Seat, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

/// The noise of the number of vertices that have a message.
const NOISE: u64 = 2;
/// In a pass a branch takes one of so many ends that it reaches, and at least one.
const SHARES: [u32; 4] = [1, 2, 4, 8];
/// Roots that are tried alone.
const ALONE: usize = 2;

/// The search.
#[derive(Clone)]
pub struct TreeFlood {
    problem: Arc<Problem>,
    grower: Grower,
    /// The vertices that may have messages.
    stops: Arc<Vec<VertexId>>,
    /// By message, the passes in which it was late.
    weights: Vec<u32>,
    shown: Shown,
}

/// A transfer: its step, message, start, end and path.
type Moved = (usize, MessageId, VertexId, VertexId, Vec<ChannelId>);

/// The trees of a step, by message and root.
type Trees = BTreeMap<(MessageId, VertexId), Tree>;

/// The turn of a message in a step.
#[derive(Clone, Copy)]
struct Turn {
    step: usize,
    message: MessageId,
    /// Whether its ends are receivers.
    is_wanted: bool,
    /// Whether it grows one branch, of whose ends it takes one in so many.
    by_turns: Option<u32>,
}

/// What vertices have in a pass.
struct State {
    vertices: usize,
    has: Vec<bool>,
    wants: Vec<bool>,
    /// What arrives in the present step.
    arriving: Vec<bool>,
    /// By message, the receivers that lack it, and the vertices that have it or get it.
    lacking: Vec<u32>,
    had: Vec<u32>,
    moves: Vec<Moved>,
}

impl State {
    fn of(problem: &Problem) -> Self {
        let (vertices, messages) = (problem.network().vertices().len(), problem.messages());
        let (mut has, mut wants) =
            (vec![false; messages * vertices], vec![false; messages * vertices]);
        let mut lacking = vec![0; messages];
        for d in problem.demands() {
            let first = d.message as usize * vertices;
            has[first + d.source as usize] = true;
            wants[first + d.destination as usize] = true;
            lacking[d.message as usize] += 1;
        }
        let (arriving, had) = (vec![false; has.len()], vec![1; messages]);
        State { vertices, has, wants, arriving, lacking, had, moves: Vec::new() }
    }

    fn place(&self, message: MessageId, v: VertexId) -> usize {
        message as usize * self.vertices + v as usize
    }

    /// Whether a vertex that is a receiver, or none, lacks a message and does not get it in this step.
    fn lacks(&self, place: usize, is_wanted: bool) -> bool {
        !self.has[place] && !self.arriving[place] && self.wants[place] == is_wanted
    }
}

impl TreeFlood {
    /// The search for a problem with messages for several receivers.
    pub fn new(problem: &Arc<Problem>) -> Self {
        TreeFlood {
            problem: problem.clone(),
            grower: Grower::new(problem),
            stops: Arc::new(problem.network().terminals().collect()),
            weights: vec![0; problem.messages()],
            shown: Shown::new(),
        }
    }

    /// One pass; a schedule that is shorter than the best is kept.
    fn pass(&mut self, rng: &mut Rng) -> u64 {
        let mut state = State::of(&self.problem);
        let most = match self.shown.passes.best {
            None => usize::MAX,
            Some(_) => (self.shown.passes.len().saturating_sub(1))
                .min(self.shown.passes.goal.max(1)) as usize,
        };
        // Broad branches save channels, narrow ones leave scarce channels to other messages.
        let by_turns = match self.shown.passes.best {
            Some(_) if rng.random() => Some(SHARES[rng.random_range(0..SHARES.len())]),
            _ => None,
        };
        for step in 0..most {
            let before = state.moves.len();
            self.step(step, by_turns, &mut state, rng);
            if state.moves.len() == before {
                break;
            }
            for (has, arriving) in state.has.iter_mut().zip(&mut state.arriving) {
                *has |= std::mem::take(arriving);
            }
            if state.lacking.iter().all(|&lacking| lacking == 0) {
                break;
            }
        }
        let moves = state.moves.len() as u64;
        self.shown.passes.lacking = state.lacking.iter().map(|&lacking| u64::from(lacking)).sum();
        for (weight, &lacking) in self.weights.iter_mut().zip(&state.lacking) {
            *weight += u32::from(lacking > 0);
        }
        if self.shown.passes.lacking == 0 {
            let mut plan = useful(&state);
            plan.tidy();
            if (plan.len() as u32) < self.shown.passes.len() {
                self.shown.passes.best = Some(Arc::new(plan));
            }
        }
        moves.max(1)
    }

    /// A step: receivers first, then those that may pass messages on. Messages grow branches of trees by turns,
    /// those that fewest have first; or each grows as far as it can.
    fn step(&mut self, step: usize, by_turns: Option<u32>, state: &mut State, rng: &mut Rng) {
        let mut room = Room::of(&self.problem);
        let mut trees: Trees = BTreeMap::new();
        for is_wanted in [true, false] {
            let all = (0..state.lacking.len() as MessageId).map(|message| {
                let late = u64::from(self.weights[message as usize]);
                let had = u64::from(state.had[message as usize]);
                (
                    Reverse((had + rng.random_range(0..=NOISE)).saturating_sub(late)),
                    rng.random::<u32>(),
                    message,
                )
            });
            let mut queue: BinaryHeap<(Reverse<u64>, u32, MessageId)> = all.collect();
            while let Some((key, _, message)) = queue.pop() {
                let turn = Turn { step, message, is_wanted, by_turns };
                let ends = self.grow(turn, (&mut room, &mut trees), state, rng);
                if ends > 0 {
                    queue.push((Reverse(key.0 + ends), rng.random(), message));
                }
            }
        }
    }

    /// The vertices that have a message; none if no vertex lacks it.
    fn roots(&self, turn: Turn, state: &State) -> Vec<VertexId> {
        let place = |v: VertexId| state.place(turn.message, v);
        if !self.stops.iter().any(|&v| state.lacks(place(v), turn.is_wanted)) {
            return Vec::new();
        }
        self.stops.iter().copied().filter(|&v| state.has[place(v)]).collect()
    }

    /// Grows the trees of a message, by turns one branch at a root; returns the vertices that become ends.
    fn grow(
        &mut self,
        turn: Turn,
        (room, trees): (&mut Room, &mut Trees),
        state: &mut State,
        rng: &mut Rng,
    ) -> u64 {
        let Turn { step, message, is_wanted, by_turns } = turn;
        let mut roots = self.roots(turn, state);
        if roots.is_empty() {
            return 0;
        }
        let first = rng.random_range(0..roots.len());
        roots.rotate_left(first);
        let mut ends = 0;
        // Where roots are in each other's way, one alone may reach more.
        for tried in 0..=ALONE.min(roots.len()) {
            let from = if tried == 0 { &roots[..] } else { &roots[tried - 1..tried] };
            let none = Tree::default();
            let of_root = |&root: &VertexId| (root, trees.get(&(message, root)).unwrap_or(&none));
            let reached = self.grower.reach(room, from.iter().map(of_root), Way::Out, rng);
            let is_end = |v: &VertexId| {
                self.problem.network().is_terminal(*v)
                    && state.lacks(state.place(message, *v), is_wanted)
            };
            let targets: Vec<VertexId> = reached.into_iter().filter(is_end).collect();
            let chosen = match (targets.len(), by_turns) {
                (0, _) => continue,
                (_, None) => None,
                (number, Some(share)) => {
                    let first = targets[rng.random_range(0..number)];
                    Some((first, self.grower.branch(first, Way::Out), share))
                }
            };
            for v in targets {
                let is_taken = chosen.is_none_or(|(first, branch, share)| {
                    let is_drawn = v == first || rng.random_range(0..share) == 0;
                    is_drawn && self.grower.branch(v, Way::Out) == branch
                });
                if !is_taken {
                    continue;
                }
                let root = self.grower.root(v);
                let tree = trees.entry((message, root)).or_default();
                if let Some(path) = self.grower.take(room, tree, v, Way::Out) {
                    let place = state.place(message, v);
                    state.arriving[place] = true;
                    state.had[message as usize] += 1;
                    state.lacking[message as usize] -= u32::from(is_wanted);
                    state.moves.push((step, message, root, v, path));
                    ends += 1;
                }
            }
            if ends > 0 {
                break;
            }
        }
        ends
    }
}

/// The schedule without what no receiver got and was not passed on.
fn useful(state: &State) -> Plan {
    let mut plan = Plan::default();
    let mut passed = vec![false; state.has.len()];
    for (step, message, from, to, path) in state.moves.iter().rev() {
        let end = state.place(*message, *to);
        if state.wants[end] || passed[end] {
            passed[state.place(*message, *from)] = true;
            plan.push(*step, *message, path);
        }
    }
    plan
}

impl Walker for TreeFlood {
    fn settle(&mut self, seat: Seat) {
        self.shown.settle(seat);
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        if self.shown.seek(steps) { self.pass(rng) } else { 0 }
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        if self.cost() == 0 { 0 } else { self.pass(rng) }
    }

    fn cost(&self) -> u64 {
        self.shown.cost()
    }

    fn patience(&self) -> u64 {
        PATIENCE
    }

    fn method(&self) -> Method {
        Method::Trees
    }

    fn plan(&self) -> Plan {
        self.shown.passes.plan()
    }
}

/// What determines the rest of the search.
#[derive(Serialize, Deserialize)]
struct Saved {
    weights: Vec<u32>,
    shown: Shown,
}

impl Resume for TreeFlood {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&Saved { weights: self.weights.clone(), shown: self.shown.clone() })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { weights, shown } = codec::decode(state)?;
        if weights.len() != self.weights.len() {
            return Err(CommError::Unfit("weights"));
        }
        (self.weights, self.shown) = (weights, shown);
        Ok(())
    }
}
