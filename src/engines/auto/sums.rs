//! The search for an all-reduce: a reduce-scatter, then an all-gather, each by the search of its own;
//! beside them, unless the network is very large, a search for parts that meet in the middle, which can
//! take fewer steps than the two together. On a network whose channels all have an opposite one the
//! reduce-scatter is the all-gather run backwards. Of groups side by side, the halves are their reductions and
//! their broadcasts; what each group would do alone is tried first.

use super::{Params, apart, construct, policy, walker};
use crate::search::sums::{Meeting, State, even_ring};
use crate::{Method, Resume, Seat, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_bounds as bounds;
use ccsched_model::problem::{MessageId, Phase, Problem};
use ccsched_model::schedule::{Plan, Step};
use ccsched_network::ChannelId;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Iterations of a half at its least number of steps; at each larger one there are as many more.
const SHORT: u64 = 10;
/// Iterations between two of parts that meet, where those take long.
const SELDOM: u32 = 8;
/// Moves for halves that are shorter than the first ones, before any other search.
const DESCENT: u64 = 100_000;
/// Iterations at one number of steps, for each part, and at least.
const PATIENCE: u64 = 12;
const LEAST_PATIENCE: u64 = 1500;

/// One of the two collectives.
#[derive(Clone)]
struct Half {
    problem: Arc<Problem>,
    params: Params,
    seed: u64,
    seat: Option<Seat>,
    /// The search, once one is needed: on large networks it takes long to make.
    search: Option<Box<dyn Walker>>,
    /// No schedule has fewer steps.
    least: u32,
    /// The shortest schedule so far, with its method.
    best: Option<(Plan, Method)>,
    /// The number of steps that is sought; 0 if none is.
    sought: u32,
}

impl Half {
    /// A constructor's schedule of a large problem is taken at once, as the opening of a run does it.
    fn of(problem: Problem, params: Params, seed: u64) -> Self {
        let problem = Arc::new(problem);
        let least = bounds::quick(&problem).first().map_or(1, |bound| bound.steps);
        let is_constructed = problem.is_plain() || problem.groups().is_some();
        let opens = policy::is_large(&problem) && is_constructed;
        let best = opens.then(|| construct::plan(&problem, seed)).flatten();
        Half { problem, params, seed, seat: None, search: None, least, best, sought: 0 }
    }

    /// The search.
    fn search(&mut self) -> &mut Box<dyn Walker> {
        self.search.get_or_insert_with(|| {
            let mut search = walker(&self.problem, self.params, self.seed);
            self.seat.iter().for_each(|&seat| search.settle(seat));
            search
        })
    }

    /// Tells the search where it runs.
    fn settle(&mut self, seat: Seat) {
        self.seat = Some(seat);
        self.search.iter_mut().for_each(|search| search.settle(seat));
    }

    /// Number of steps of the shortest schedule.
    fn len(&self) -> u32 {
        self.best.as_ref().map_or(u32::MAX, |(plan, _)| plan.len() as u32)
    }

    /// Keeps what the search has found.
    fn keep(&mut self, rng: &mut Rng) {
        let search = self.search();
        if search.cost() > 0 {
            return;
        }
        search.polish(rng);
        let (plan, method) = (search.plan(), search.method());
        if (plan.len() as u32) < self.len() {
            self.best = Some((plan, method));
        }
        self.sought = 0;
    }

    /// Finds some schedule. A search may begin with settings that find none at any number of steps (no
    /// relays, where one is needed), so it gets more and more iterations, and comes to its others.
    fn begin(&mut self, rng: &mut Rng) -> u64 {
        let (mut steps, mut moves, mut most) = (self.least, 0, SHORT);
        while self.best.is_none() {
            let search = self.search();
            moves += search.seek(steps, rng);
            for _ in 0..most {
                if search.cost() > 0 {
                    moves += search.iterate(rng);
                }
            }
            self.keep(rng);
            steps += 1 + steps / 16;
            most += SHORT;
        }
        moves
    }

    /// An iteration of the search for `steps` steps.
    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        let mut moves = 0;
        if self.sought != steps {
            self.sought = steps;
            moves += self.search().seek(steps, rng);
        }
        let search = self.search();
        if search.cost() > 0 {
            moves += search.iterate(rng);
        }
        self.keep(rng);
        moves
    }
}

/// The search.
#[derive(Clone)]
pub struct Sums {
    gather: Half,
    /// None if it is the mirror image of the all-gather.
    scatter: Option<Half>,
    /// By channel, the opposite one.
    opposite: Arc<[ChannelId]>,
    /// The messages of a phase.
    parts: MessageId,
    /// By phase and message of a half, the message.
    messages: Arc<[Vec<MessageId>; 2]>,
    meeting: Option<Meeting>,
    /// The steps for which parts meet; 0 if none are sought.
    met: u32,
    best: Option<(Arc<Plan>, Method)>,
    goal: u32,
}

impl Sums {
    /// The search for the schedule of an all-reduce.
    pub fn new(problem: &Arc<Problem>, params: Params, seed: u64) -> Self {
        let parts = problem.messages() as MessageId / 2;
        let [(scatter, reduced), (gather, gathered)] = halves(problem);
        let opposite = problem.network().channels().iter().map(|c| c.reverse);
        let opposite: Option<Arc<[ChannelId]>> = opposite.collect();
        let opposite = opposite
            .filter(|_| reduced.len() == gathered.len() && gathered.len() == parts as usize);
        let scatter = opposite.is_none().then(|| Half::of(scatter, params, seed));
        let best = match problem.groups() {
            Some(_) => apart::plan(problem, seed)
                .map(|plan| (plan, Method::Construction("groups alone".into()))),
            None => even_ring(problem)
                .map(|plan| (plan, Method::Construction("even ring".into())))
                .or_else(|| construct::sums_in_tiers(problem, seed)),
        };
        let best = best.map(|(plan, method)| (Arc::new(plan), method));
        Sums {
            gather: Half::of(gather, params, seed),
            scatter,
            opposite: opposite.unwrap_or_default(),
            parts,
            messages: Arc::new([reduced, gathered]),
            meeting: Meeting::of(problem),
            met: 0,
            best,
            goal: 0,
        }
    }

    fn len(&self) -> u32 {
        self.best.as_ref().map_or(u32::MAX, |(plan, _)| plan.len() as u32)
    }

    /// Joins the two halves, if that is shorter than what there is.
    fn join(&mut self) {
        let Some((gather, then)) = &self.gather.best else { return };
        let (scatter, first) = match &self.scatter {
            Some(half) => {
                let Some((plan, first)) = &half.best else { return };
                (plan.reversed(), first)
            }
            None => (gather.backwards(|c| self.opposite[c as usize]), then),
        };
        if scatter.len() + gather.len() >= self.len() as usize {
            return;
        }
        let method = Method::Then(first.clone().into(), then.clone().into());
        let mut plan = Plan::default();
        for (half, messages) in [&scatter, gather].into_iter().zip(self.messages.iter()) {
            for step in half.steps() {
                let mut moved = Step::default();
                step.iter().for_each(|t| moved.push(messages[t.message as usize], t.channels));
                plan.append(moved);
            }
        }
        plan.tidy();
        self.best = Some((Arc::new(plan), method));
    }

    /// Steps of the halves together, at least.
    fn least(&self) -> u32 {
        self.gather.least + self.scatter.as_ref().map_or(self.gather.least, |half| half.least)
    }

    /// An iteration of the halves, so that together they take no more steps than the goal.
    fn halve(&mut self, rng: &mut Rng) -> u64 {
        let goal = self.goal;
        let moves = match &mut self.scatter {
            None => self.gather.seek(goal / 2, rng),
            Some(scatter) => {
                // Mostly the one that is farther above its bound; it may be unable to come nearer.
                let above = |half: &Half| half.len() - half.least;
                let [first, second] = [above(scatter), above(&self.gather)];
                let is_other = first.min(second) > 0 && rng.random_range(0..4) == 0;
                let (half, other) = match (first > second) != is_other {
                    true => (scatter, &self.gather),
                    false => (&mut self.gather, &*scatter),
                };
                let steps = goal.saturating_sub(other.len()).max(half.least);
                half.seek(steps, rng)
            }
        };
        self.join();
        moves
    }

    /// A few moves for a shorter mirrored half, where the schedule of a constructor may be longer than two such halves: the
    /// steps that are sought first may be out of reach.
    fn descend(&mut self, rng: &mut Rng) -> u64 {
        let mut moves = 0;
        let may_gain = self.scatter.is_none() && self.least() < self.len();
        while may_gain && moves < DESCENT && self.gather.len() > self.gather.least {
            moves += self.gather.seek(self.gather.len() - 1, rng).max(1);
        }
        moves
    }

    /// Whether it is the turn of the search for parts that meet: seldom where that takes long and the
    /// halves together can still be short enough.
    fn meets(&self, rng: &mut Rng) -> bool {
        let Some(meeting) = &self.meeting else { return false };
        meeting.is_quick() || self.least() > self.goal || rng.random_range(0..SELDOM) == 0
    }

    /// An iteration of the search for parts that meet.
    fn meet(&mut self, rng: &mut Rng) -> u64 {
        let Some(meeting) = &mut self.meeting else { return 0 };
        if self.met != self.goal {
            meeting.seek(self.goal);
            self.met = self.goal;
        }
        let mut moves = 0;
        for _ in 0..meeting.at_once() {
            moves += meeting.iterate(rng);
        }
        if meeting.missing() == 0 {
            self.best = Some((Arc::new(meeting.plan()), Method::Meeting));
        }
        moves
    }
}

/// The halves of an all-reduce, or of groups, and by message of each that of the whole.
fn halves(problem: &Problem) -> [(Problem, Vec<MessageId>); 2] {
    if problem.groups().is_some() {
        let half = |phase| problem.groups_of(phase);
        return [Phase::Reduce, Phase::Gather]
            .map(|phase| half(phase).expect("sums side by side have groups of both phases"));
    }
    let (all, parts) = (problem.messages() as MessageId, problem.messages() as MessageId / 2);
    let [scatter, gather] = problem.halves();
    [(scatter, (0..parts).collect()), (gather, (parts..all).collect())]
}

impl Walker for Sums {
    fn settle(&mut self, seat: Seat) {
        self.gather.settle(seat);
        self.scatter.iter_mut().for_each(|half| half.settle(seat));
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.goal = steps;
        if self.len() <= steps {
            return 0;
        }
        let mut moves = 0;
        let halves = std::iter::once(&mut self.gather).chain(&mut self.scatter);
        moves += halves.map(|half| half.begin(rng)).sum::<u64>();
        if moves > 0 && self.best.is_some() {
            moves += self.descend(rng);
        }
        if moves > 0 || self.best.is_none() {
            self.join();
        }
        moves
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        let mut moves = 0;
        if self.len() > self.goal && self.least() <= self.goal {
            moves += self.halve(rng);
        }
        if self.len() > self.goal && self.meets(rng) {
            moves += self.meet(rng);
        }
        moves
    }

    fn cost(&self) -> u64 {
        if self.len() <= self.goal {
            return 0;
        }
        let missing = self.meeting.as_ref().map_or(u64::MAX, |meeting| meeting.missing() as u64);
        if self.met == self.goal { missing.max(1) } else { u64::from(self.parts) }
    }

    fn patience(&self) -> u64 {
        let can_meet = self.meeting.as_ref().is_some_and(|meeting| meeting.can_take(self.goal));
        let can = can_meet || self.least() <= self.goal;
        if can { LEAST_PATIENCE.max(PATIENCE * u64::from(self.parts)) } else { 0 }
    }

    fn method(&self) -> Method {
        self.best.as_ref().map_or(Method::Meeting, |(_, method)| method.clone())
    }

    fn plan(&self) -> Plan {
        self.best.as_ref().map_or_else(Plan::default, |(plan, _)| Plan::clone(plan))
    }
}

/// What determines the rest of the search of a half.
#[derive(Serialize, Deserialize)]
struct SavedHalf {
    search: Option<Vec<u8>>,
    best: Option<(Plan, Method)>,
    sought: u32,
}

/// What determines the rest of the search.
#[derive(Serialize, Deserialize)]
struct Saved {
    halves: Vec<SavedHalf>,
    meeting: Option<State>,
    met: u32,
    best: Option<(Arc<Plan>, Method)>,
    goal: u32,
}

impl Resume for Sums {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        let half = |half: &Half| {
            let search = half.search.as_ref().map(|search| search.save()).transpose()?;
            Ok(SavedHalf { search, best: half.best.clone(), sought: half.sought })
        };
        let halves = std::iter::once(&self.gather).chain(&self.scatter);
        codec::encode(&Saved {
            halves: halves.map(half).collect::<Result<_, CommError>>()?,
            meeting: self.meeting.as_ref().map(Meeting::state),
            met: self.met,
            best: self.best.clone(),
            goal: self.goal,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { halves, meeting, met, best, goal } = codec::decode(state)?;
        let mine = std::iter::once(&mut self.gather).chain(&mut self.scatter);
        for (half, saved) in mine.zip(halves) {
            if let Some(search) = saved.search {
                half.search().load(&search)?;
            }
            (half.best, half.sought) = (saved.best, saved.sought);
        }
        if let (Some(mine), Some(saved)) = (&mut self.meeting, meeting) {
            mine.resume(saved).then_some(()).ok_or(CommError::Unfit("parts"))?;
        }
        (self.met, self.best, self.goal) = (met, best, goal);
        Ok(())
    }
}
