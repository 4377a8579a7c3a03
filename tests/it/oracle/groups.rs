//! Groups side by side: random tiny problems against exact solutions, bound <= exact <= found. What the
//! exact solver and the search make is accepted by `verify`.

use super::model::{Model, Spread};
use super::spreading::{self, Scheduled};
use super::{MOST_STEPS, NODES, NODES_OF_SUMS, found, sums};
use crate::support::checked::complaints_with;
use crate::support::shrink::shrinking;
use crate::support::tiny;
use ccsched::bounds;
use ccsched::problem::{Collective, MessageId, Problem, Switching};
use ccsched::rng::rng_of;
use ccsched::schedule::Plan;
use std::sync::Arc;

const PROBLEMS: usize = 150;
const OPTIONS: &str = "--islands 1 --iterations 3000";

/// The messages of a problem as the exact solver has them.
fn spread(problem: &Problem, message: MessageId) -> Spread {
    let of = problem.demands().iter().filter(|d| d.message == message);
    let goal = of.clone().fold(0, |goal, d| goal | 1 << d.destination);
    let all = 0..problem.network().vertices().len() as u32;
    let may = all.filter(|&v| problem.may_hold(message, v)).fold(0, |may, v| may | 1 << v);
    Spread { source: of.clone().next().unwrap().source as usize, goal, may }
}

/// A schedule of the exact solver, whose messages are in another order.
fn plan(problem: &Problem, model: &Model, (steps, moved): &Scheduled) -> Plan {
    let mut left: Vec<MessageId> = (0..problem.messages() as MessageId).collect();
    let mut of = Vec::new();
    for wanted in &model.spreads {
        // Switches store nothing with wormhole switching, and nothing reaches what is closed.
        let terminals = |spread: Spread| {
            let is_reached = |v: u32| !problem.network().incoming(v).is_empty();
            let is_terminal =
                |v: &u32| problem.network().is_terminal(*v) || (model.stored && is_reached(*v));
            let all = 0..model.vertices as u32;
            let kept = all.filter(is_terminal).fold(0, |kept, v| kept | 1 << v);
            Spread { may: spread.may & kept, ..spread }
        };
        let is_it = |&m: &MessageId| terminals(spread(problem, m)) == terminals(*wanted);
        let place = left.iter().position(is_it).expect("the problem has this message");
        of.push(left.swap_remove(place));
    }
    assert!(left.is_empty(), "the problem has more messages");
    let mut plan = Plan::new(*steps as u32);
    for (step, m, path) in moved {
        plan.push(*step, of[*m], path.iter().map(|&c| c as u32));
    }
    plan
}

/// Exact and found steps, and the best bound; none if the problem is too large for the exact solver.
fn steps(problem: &Arc<Problem>) -> Option<[usize; 3]> {
    let model = Model::new(problem, false);
    let solved = spreading::schedule(&model, MOST_STEPS, &mut NODES.clone()).ok()?;
    let (exact, bounds) = (solved.0, bounds::all(problem));
    let wrong = complaints_with(problem, &plan(problem, &model, &solved), &bounds);
    assert_eq!(wrong, "", "the oracle's schedule");
    Some([exact, found(problem, problem, exact, 3000), bounds[0].steps as usize])
}

#[test]
fn groups_of_any_collective() {
    for (seed, switching) in [(31, Switching::Wormhole), (32, Switching::StoreAndForward)] {
        let mut rng = rng_of(seed, 0, 0);
        let (mut decided, mut equal, mut tight) = (0, 0, 0);
        for drawn in 0..PROBLEMS {
            let problem = tiny::groups(&mut rng, switching);
            let about = format!("groups {drawn} of seed {seed}");
            let Some([exact, found, bound]) = shrinking(&about, OPTIONS, &problem, steps) else {
                continue;
            };
            decided += 1;
            equal += usize::from(found == exact);
            tight += usize::from(bound == exact);
        }
        println!("{switching}: {decided} of {PROBLEMS} decided, {equal} equal, {tight} tight");
        assert!(decided * 10 >= PROBLEMS * 6, "{decided} of {PROBLEMS} decided");
        assert!(equal * 100 >= decided * 97, "{equal} of {decided}");
        assert!(tight * 100 >= decided * 70, "{tight} of {decided}");
    }
}

/// Exact and found steps of groups of sums, and the best bound: exactly forwards in time, reductions also as the
/// broadcasts that they are backwards.
fn steps_of_sums(problem: &Arc<Problem>) -> Option<[usize; 3]> {
    let forwards = Model::new(&problem.forwards(), false);
    let exact = sums::solve(&forwards, MOST_STEPS, NODES_OF_SUMS).ok()?.steps;
    if problem.collective().is_reduction()
        && let Ok(solved) =
            spreading::schedule(&Model::new(problem, false), MOST_STEPS, &mut NODES.clone())
    {
        assert_eq!(solved.0, exact, "backwards and forwards in time");
    }
    let bounds = bounds::all(problem);
    let best = bounds.first().map_or(0, |bound| bound.steps as usize);
    Some([exact, found(problem, problem, exact, 3000), best])
}

/// Reductions side by side; all-reduces; sums beside broadcasts.
#[test]
fn groups_of_sums() {
    const OF: [&[Collective]; 3] = [
        &[Collective::Reduce, Collective::ReduceScatter],
        &[Collective::AllReduce],
        &[
            Collective::Reduce,
            Collective::ReduceScatter,
            Collective::AllReduce,
            Collective::Oab,
            Collective::Aab,
        ],
    ];
    for (seed, switching) in [(33, Switching::Wormhole), (34, Switching::StoreAndForward)] {
        for (kind, of) in OF.iter().enumerate() {
            let mut rng = rng_of(seed, 0, kind);
            let (mut decided, mut equal, mut tight) = (0, 0, 0);
            for drawn in 0..PROBLEMS {
                let problem = tiny::groups_of(&mut rng, of, switching);
                let about = format!("sums of groups {drawn} of kind {kind} of seed {seed}");
                let steps = shrinking(&about, OPTIONS, &problem, steps_of_sums);
                let Some([exact, found, bound]) = steps else { continue };
                decided += 1;
                equal += usize::from(found == exact);
                tight += usize::from(bound == exact);
            }
            println!(
                "{of:?} {switching}: {decided} of {PROBLEMS} decided, {equal} equal, {tight} tight"
            );
            assert!(decided * 10 >= PROBLEMS * 4, "{decided} of {PROBLEMS} decided");
            assert!(equal * 100 >= decided * 95, "{equal} of {decided}");
            assert!(tight * 100 >= decided * 60, "{tight} of {decided}");
        }
    }
}
