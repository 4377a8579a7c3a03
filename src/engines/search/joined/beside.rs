//! The pieces of an all-reduce of one part beside each other: each has a pass of its own in the room that
//! the others leave. A piece that finds none takes it from one of the others, which is placed again.

use super::super::hops::{Hop, Used, hops};
use super::pass::{Move, thinned};
use super::{Room, drawn, plan_of};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, Request};
use ccsched_model::schedule::Plan;
use rand::RngExt;
use rand::seq::IndexedRandom;

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
