//! Hosts that store while switches cut through: random tiny problems against exact solutions, bound <=
//! exact <= found; and what `verify` refuses.

use super::{found, plan, solve};
use crate::support::checked::complaints;
use crate::support::shrink::shrinking;
use crate::support::tiny;
use ccsched::Options;
use ccsched::network::spec;
use ccsched::problem::{Collective, Problem, Request, Switching};
use ccsched::rng::rng_of;
use ccsched::verify::verify;
use std::sync::Arc;

/// Problems of each collective, and as many of some terminals.
const PROBLEMS: usize = 40;
const OPTIONS: &str = "--islands 1 --iterations 2000";

/// Exact and found steps; none if the problem is too large for the exact solver.
fn steps(problem: &Arc<Problem>) -> Option<[usize; 2]> {
    let exact = solve(problem, true).ok()?;
    // The oracle does not tell the copies of a message apart.
    if !problem.has_copies() {
        let wrong = complaints(problem, &plan(problem, &exact));
        assert_eq!(wrong, "", "the oracle's schedule");
    }
    let exact = exact.steps;
    Some([exact, found(problem, problem, exact, 2000)])
}

#[test]
fn bound_exact_found() {
    let (mut decided, mut equal, mut mixed, mut equal_of_mixed) = (0, 0, 0, 0);
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
    let mut rng = rng_of(31, 0, 0);
    let count = PROBLEMS * collectives.len();
    for drawn in 0..2 * count {
        let collective = collectives[drawn % collectives.len()];
        let problem = if drawn < count {
            let other = tiny::problem(&mut rng, collective);
            let request = Request { switching: Switching::Hosts, ..other.request().clone() };
            // Nothing passes terminals that take no part.
            let posed = request.pose(other.asked_network().into_owned(), vec![]);
            let Ok(posed) = posed else { continue };
            Arc::new(posed)
        } else {
            tiny::of_some(&mut rng, collective, Switching::Hosts)
        };
        let about = format!("problem {drawn}");
        let Some([exact, found]) = shrinking(&about, OPTIONS, &problem, steps) else { continue };
        decided += 1;
        equal += usize::from(found == exact);
        // Problems that are none of another switching.
        if problem.switching() == Switching::Hosts {
            mixed += 1;
            equal_of_mixed += usize::from(found == exact);
        }
    }
    println!("{decided} decided, {equal} equal; {mixed} mixed, {equal_of_mixed} equal");
    assert!(decided >= count && equal * 100 >= decided * 95, "{equal} of {decided}");
    assert!(
        mixed * 8 >= decided && equal_of_mixed * 100 >= mixed * 90,
        "{equal_of_mixed} of {mixed}"
    );
}

#[test]
fn a_path_past_a_host_is_refused() {
    for (network, part) in [("dgx1:2", "where the message must stop"), ("ring:5", "one channel")] {
        let request = Request::new(Collective::Aas);
        let problem = request.pose(spec::parse(network).unwrap(), vec![]).unwrap();
        let options = Options { islands: Some(1), ..Options::default() };
        let mut file = ccsched::solve(&problem, &options).unwrap().schedule().unwrap();
        assert!(verify(&file).is_empty());
        file.model.switching = "hosts".into();
        file.bounds.clear();
        let wrong: Vec<String> = verify(&file).iter().map(ToString::to_string).collect();
        assert!(wrong.iter().any(|why| why.contains(part)), "{network}: {wrong:?}");
    }
}
