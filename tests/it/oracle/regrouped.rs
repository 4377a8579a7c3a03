//! Steps whose links differ in their delays, on random tiny problems with store-and-forward switching: bound <= exact
//! <= found. The exact search is written from the model alone: the cheapest way from state to state, where a state is
//! who has which message, or where each message is.

use crate::support::tiny;
use ccsched::network::{Delay, Delays};
use ccsched::problem::{Collective, Problem, Request, Routing, Switching};
use ccsched::regroup::{differ, regroup};
use ccsched::rng::{Rng, rng_of};
use ccsched::schedule::TimeModel;
use ccsched::verify::verify;
use ccsched::{Options, bounds, islands, solve};
use rand::RngExt;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::atomic::AtomicBool;

const PROBLEMS: usize = 150;
/// What a step takes beside its longest path, in nanoseconds.
const STEP: u64 = 1000;
/// The most moves of a state, of which each subset is a step.
const MOST_MOVES: usize = 12;
const MOST_STATES: usize = 20_000;

/// By message, the vertices that have it as bits; of a scatter the one where it is.
type State = Vec<u32>;

struct Exact<'p> {
    problem: &'p Problem,
    is_spread: bool,
    /// By channel, its ends, its delay and what a hop over it holds.
    channels: Vec<(u32, u32, u64, Vec<u32>)>,
}

impl<'p> Exact<'p> {
    fn new(problem: &'p Problem) -> Self {
        let net = problem.network();
        let channel = |c: u32| {
            let (from, to) = (net.channel(c).from, net.channel(c).to);
            let mut held = Vec::new();
            problem.resources().uses(net, problem.switching(), &[c], |r, _| held.push(r));
            (from, to, net.channel(c).delay.map_or(0, Delay::ns), held)
        };
        let channels = (0..net.channels().len() as u32).map(channel).collect();
        let is_spread = !problem.collective().content().is_personal();
        Exact { problem, is_spread, channels }
    }

    fn is_goal(&self, state: &State) -> bool {
        let has =
            |d: &ccsched::problem::Demand| state[d.message as usize] >> d.destination & 1 == 1;
        self.problem.demands().iter().all(has)
    }

    /// The least time of a schedule in nanoseconds; none if there are too many states.
    fn least(&self) -> Option<u64> {
        let origin = |m: usize| 1 << self.problem.message(m as u32).origin;
        let first: State = (0..self.problem.messages()).map(origin).collect();
        let mut known = BTreeMap::from([(first.clone(), 0)]);
        let mut open = BinaryHeap::from([(Reverse(0), first)]);
        while let Some((Reverse(time), state)) = open.pop() {
            if self.is_goal(&state) {
                return Some(time);
            }
            if known[&state] < time {
                continue;
            }
            let moves = self.moves(&state);
            if moves.len() > MOST_MOVES || known.len() > MOST_STATES {
                return None;
            }
            let mut next = Vec::new();
            let load = vec![0; self.problem.resources().capacities().len()];
            self.steps(&moves, (state, 0, false), load, &mut next);
            for (state, delay) in next {
                let there = time + STEP + delay;
                if known.get(&state).is_none_or(|&known| there < known) {
                    known.insert(state.clone(), there);
                    open.push((Reverse(there), state));
                }
            }
        }
        panic!("the problem can be solved");
    }

    /// Messages and channels over which they may go.
    fn moves(&self, state: &State) -> Vec<(usize, usize)> {
        let mut moves = Vec::new();
        for (m, has) in state.iter().enumerate() {
            for (c, (from, to, ..)) in self.channels.iter().enumerate() {
                if has >> from & 1 == 1 && has >> to & 1 == 0 {
                    moves.push((m, c));
                }
            }
        }
        moves
    }

    /// All steps of these moves: the states after them, with the largest delay of each.
    fn steps(
        &self,
        moves: &[(usize, usize)],
        (state, delay, any): (State, u64, bool),
        load: Vec<u32>,
        found: &mut Vec<(State, u64)>,
    ) {
        let Some((&(m, c), rest)) = moves.split_first() else {
            found.extend(any.then_some((state, delay)));
            return;
        };
        let (from, to, its, held) = &self.channels[c];
        let is_there = state[m] >> from & 1 == 1 && state[m] >> to & 1 == 0;
        let mut more = load.clone();
        held.iter().for_each(|&r| more[r as usize] += 1);
        let fits =
            more.iter().zip(self.problem.resources().capacities()).all(|(l, most)| l <= most);
        if is_there && fits {
            let mut after = state.clone();
            after[m] = if self.is_spread { state[m] | 1 << to } else { 1 << to };
            self.steps(rest, (after, delay.max(*its), true), more, found);
        }
        self.steps(rest, (state, delay, any), load, found);
    }
}

/// A problem whose paths have any length, with delays on some channels.
fn drawn(rng: &mut Rng) -> Option<Problem> {
    let all = [Collective::Oab, Collective::Oas, Collective::Aog, Collective::Aab];
    let collective = all[rng.random_range(0..all.len())];
    let whole = tiny::problem(rng, collective);
    let net = whole.network();
    let mut delay = |c: u32| {
        let ns = [0, 0, 300, 5000][rng.random_range(0..4)];
        (c, Delay::of_ns(ns).unwrap())
    };
    let delays: Delays = (0..net.channels().len() as u32).map(&mut delay).collect();
    let (switching, routing) = (Switching::StoreAndForward, Routing::Any);
    let request = Request { switching, routing, ..whole.request().clone() };
    request.pose(delays.applied(net), vec![]).ok()
}

#[test]
fn bound_exact_found_of_regrouped_steps() {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let mut rng = rng_of(83, 0, 0);
    // A step takes a microsecond, its bytes nothing.
    let model = TimeModel { byte_ns: 0.0, ..TimeModel::default() };
    let (mut decided, mut equal, mut plain, mut at_bound) = (0, 0, 0, 0);
    while decided < PROBLEMS {
        let Some(problem) = drawn(&mut rng).filter(|p| differ(p, &model)) else { continue };
        let Some(exact) = Exact::new(&problem).least() else { continue };
        let options = Options { islands: Some(1), ..Options::default() };
        let mut solution = solve(&problem, &options).unwrap();
        let ns = |solution: &ccsched::Solution| {
            let plan = solution.plan.as_ref().unwrap();
            (plan.time_us(problem.network(), &model, None) * 1e3).round() as u64
        };
        let before = ns(&solution);
        let stop = islands::StopCondition::new(u64::MAX, None, &NEVER);
        let told = regroup(&mut solution, &model, stop).unwrap();
        let found = ns(&solution);
        assert!(verify(&solution.schedule().unwrap()).is_empty());
        assert_eq!(told.is_some(), found < before);
        let steps = solution.bounds.first().map_or(1, |bound| bound.steps);
        let channels = problem.network().channels().iter();
        let delays: Vec<u64> = channels.map(|c| c.delay.map_or(0, Delay::ns)).collect();
        let bound = bounds::delays::of_steps(&problem, &delays, steps) + STEP * u64::from(steps);
        let about = || format!("{:?} {:?}", problem.request(), problem.network());
        assert!(bound <= exact && exact <= found, "{bound} {exact} {found}: {}", about());
        decided += 1;
        equal += usize::from(found == exact);
        plain += usize::from(before == exact);
        at_bound += usize::from(bound == exact);
    }
    println!("{decided} decided, {plain} equal before, {equal} after, {at_bound} at the bound");
    assert!(equal * 100 >= PROBLEMS * 80 && equal > plain, "{equal} of {PROBLEMS}, {plain} before");
    assert!(at_bound * 100 >= PROBLEMS * 25, "{at_bound} of {PROBLEMS}");
}
