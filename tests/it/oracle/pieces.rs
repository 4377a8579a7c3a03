//! Messages in pieces: random tiny problems against exact solutions, bound <= exact <= found.

use super::{found, solve};
use crate::support::shrink::shrinking;
use crate::support::tiny;
use ccsched::bounds;
use ccsched::network::Network;
use ccsched::problem::{Collective, Problem, Request, Routing, Switching};
use ccsched::rng::rng_of;
use rand::RngExt;
use std::sync::Arc;

/// Problems of each collective.
const PROBLEMS: usize = 34;
const OPTIONS: &str = "--islands 1 --iterations 2000";

/// The network as it was posed.
fn network(problem: &Problem) -> Network {
    problem.asked_network().into_owned()
}

/// Exact and found steps; none if the problem is too large for the exact solver. A reduction is solved as
/// the broadcast on the reversed network that it is.
fn steps(problem: &Arc<Problem>) -> Option<[usize; 2]> {
    let exact = solve(problem, true).ok()?.steps;
    let is_common = problem.collective().content().is_common();
    let is_free = is_common && problem.switching() == Switching::StoreAndForward;
    let wide =
        if is_free { problem.with_free_paths(Routing::Slack(5)) } else { (**problem).clone() };
    Some([exact, found(problem, &Arc::new(wide), exact, 2000)])
}

#[test]
fn bound_exact_found() {
    let (mut decided, mut equal, mut fewer) = (0, 0, 0);
    let collectives = [
        Collective::Oab,
        Collective::Aab,
        Collective::Oas,
        Collective::Aas,
        Collective::Aog,
        Collective::Traffic,
        Collective::Reduce,
        Collective::ReduceScatter,
    ];
    let mut rng = rng_of(21, 0, 0);
    for drawn in 0..PROBLEMS * collectives.len() {
        let whole = tiny::problem(&mut rng, collectives[drawn % collectives.len()]);
        let pieces = rng.random_range(2..=3);
        let request = Request { pieces, ..whole.request().clone() };
        let problem = Arc::new(request.pose(network(&whole), vec![]).unwrap());
        let about = format!("problem {drawn}");
        let Some([exact, found]) = shrinking(&about, OPTIONS, &problem, steps) else { continue };
        decided += 1;
        equal += usize::from(found == exact);
        if let Ok(of_whole) = solve(&whole, true) {
            assert!(exact <= of_whole.steps * pieces as usize, "pieces one after the other");
            fewer += usize::from(exact < of_whole.steps * pieces as usize);
        }
    }
    println!("{decided} decided, {equal} equal, {fewer} shorter than whole messages");
    assert!(decided >= 180 && equal * 100 >= decided * 97, "{equal} of {decided}");
    assert!(fewer >= 30, "{fewer}");
}

/// All-reduces of one part that is cut: the pieces may meet anywhere, and share the channels.
#[test]
fn pieces_of_one_part() {
    let (mut drawn, mut decided, mut equal, mut tight, mut fewer) = (0, 0, 0, 0, 0);
    let mut rng = rng_of(37, 0, 0);
    while decided < 200 {
        drawn += 1;
        assert!(drawn <= 1_000, "{decided} decided");
        let whole = tiny::problem(&mut rng, Collective::AllReduceWhole);
        let pieces = rng.random_range(2..=3);
        let request = Request { pieces, ..whole.request().clone() };
        let problem = Arc::new(request.pose(network(&whole), vec![]).unwrap());
        let steps = |problem: &Arc<Problem>| {
            let exact = solve(problem, true).ok()?.steps;
            let bound = bounds::all(problem)[0].steps as usize;
            Some([bound, exact, found(problem, problem, exact, 200)])
        };
        let about = format!("problem {drawn}");
        let Some([bound, exact, found]) = shrinking(&about, OPTIONS, &problem, steps) else {
            continue;
        };
        decided += 1;
        equal += usize::from(found == exact);
        tight += usize::from(bound == exact);
        if let Ok(of_whole) = solve(&whole, true) {
            assert!(exact <= of_whole.steps * pieces as usize, "pieces one after the other");
            fewer += usize::from(exact < of_whole.steps * pieces as usize);
        }
    }
    println!("{decided} of {drawn} decided: {equal} equal, {tight} tight, {fewer} shorter");
    assert!(equal * 100 >= decided * 97, "{equal} of {decided}");
    assert!(tight * 100 >= decided * 70 && fewer >= 40, "{tight}, {fewer} of {decided}");
}
