//! Schedules in which messages that take one path in one step are one transfer: barriers, and
//! all-reduces of one part. Step by step, each hop carries what its end lacks. In a barrier that is
//! everything. Sums stay together: a vertex sends a sum of what it got of which the other end has
//! nothing, or the complete sum. A pass may begin with steps that collect towards a root, from where
//! the complete sum then spreads.

mod pass;

pub(super) use pass::in_rounds;

use super::hops::{Hop, Used, hops};
use super::passes::Passes;
use crate::{Method, Resume, Walker, construct, policy};
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_base::{bits, codec};
use ccsched_model::problem::{Joining, MessageId, Problem};
use ccsched_model::schedule::Plan;
use pass::{Move, Pass, Tree};
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::sync::Arc;

/// Passes at one number of steps, and in an iteration at most.
const PASSES: u64 = 200;
const AT_ONCE: u64 = 20;
/// Hops that an iteration looks at, unless a pass looks at more.
const ENOUGH: u64 = 200_000;
/// Of the parts of a sum that could be sent, one in this number may be left out.
const LEFT_OUT: [u32; 4] = [u32::MAX, 16, 5, 2];

/// The search.
#[derive(Clone)]
pub struct Joined {
    problem: Arc<Problem>,
    /// All hops, once a pass needs them: there are many on large networks.
    hops: OnceCell<Arc<Vec<Hop>>>,
    /// What lacks are deliveries.
    passes: Passes,
    method: Method,
}

impl Joined {
    /// The search for a problem whose messages join. The opening of a run has constructed the schedule
    /// of a large one.
    pub fn new(problem: &Arc<Problem>, seed: u64) -> Self {
        let made = || construct::joined(problem, seed);
        let (plan, method) = (!policy::is_large(problem)).then(made).flatten().unzip();
        let passes = Passes::new(plan.map(Arc::new));
        let method = method.unwrap_or(Method::Flooding);
        Joined { problem: problem.clone(), hops: OnceCell::new(), passes, method }
    }

    fn hops(&self) -> &Arc<Vec<Hop>> {
        self.hops.get_or_init(|| Arc::new(hops(&self.problem)))
    }

    /// Passes in an iteration.
    fn at_once(&self) -> u64 {
        let tries = match self.problem.pieces() {
            1 => 1,
            pieces => pass::WEIGHT * u64::from(pieces),
        };
        let hops = self.hops().len() as u64 * u64::from(self.passes.goal) * tries;
        (ENOUGH / hops.max(1)).clamp(1, AT_ONCE)
    }

    /// One pass, or those of all pieces; a schedule that is shorter than the best is kept.
    fn pass(&mut self, rng: &mut Rng) -> u64 {
        let (problem, hops) = (self.problem.clone(), self.hops().clone());
        let room = match self.passes.best {
            None => Room { most: usize::MAX, goal: usize::MAX, ends: None },
            Some(_) => Room {
                most: self.passes.goal.min(self.passes.len() - 1) as usize,
                goal: self.passes.goal as usize,
                ends: None,
            },
        };
        let (plan, lacking, rounds) = if problem.pieces() > 1 {
            pass::pass(&problem, &hops, &room, pass::TRIES, rng)
        } else {
            let state = drawn(&problem, &hops, &room, rng).run(&mut Used::default(), rng);
            let (lacking, rounds) = (state.lacking(&problem), state.rounds());
            let plan = (lacking == 0).then(|| plan_of(&problem, &[state.needed(&problem)]));
            (plan, lacking, rounds)
        };
        self.passes.lacking = lacking;
        if let Some(plan) = plan.filter(|plan| (plan.len() as u32) < self.passes.len()) {
            (self.passes.best, self.method) = (Some(Arc::new(plan)), Method::Flooding);
        }
        (hops.len() * rounds) as u64
    }
}

/// The rounds that a pass may take.
struct Room<'e> {
    /// At most, and those that are sought; the largest number for a first schedule.
    most: usize,
    goal: usize,
    ends: Option<&'e [bool]>,
}

/// A pass of random kind.
fn drawn<'p>(problem: &'p Problem, hops: &'p [Hop], room: &Room<'p>, rng: &mut Rng) -> Pass<'p> {
    let is_first = room.most == usize::MAX;
    let adds = problem.collective().joining() == Joining::Sum;
    let mut tree = None;
    // A tree takes the fewest channels, of which pieces leave each other few.
    let trees = if problem.pieces() > 1 { 2 } else { 1 };
    if adds && (is_first || rng.random_range(0..3) < trees) {
        let root = match is_first {
            true => *problem.senders().choose(rng).expect("there are several"),
            // A switch may store too.
            false => hops.choose(rng).expect("there are several").to,
        };
        tree = Some(Tree::towards(problem, hops, root, rng));
    }
    let collecting = if is_first { usize::MAX } else { rng.random_range(1..=2 * room.goal.max(1)) };
    let left_out = *LEFT_OUT.choose(rng).expect("there are some");
    let takes_largest = rng.random_range(0..2) == 0;
    let (most, ends) = (room.most, room.ends);
    Pass { problem, hops, tree, most, collecting, left_out, takes_largest, ends }
}

/// The schedule of the moves of each piece.
fn plan_of(problem: &Problem, pieces: &[Vec<Move>]) -> Plan {
    let mut plan = Plan::default();
    for (piece, moves) in (0..).zip(pieces) {
        for Move { step, messages, path, .. } in moves {
            let whole = problem.messages() as u32 / problem.pieces();
            for message in (0..whole).filter(|&m| bits::contains(messages, m)) {
                plan.push(*step, message as MessageId * problem.pieces() + piece, path);
            }
        }
    }
    plan.tidy();
    plan
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
