//! Refutation proves scatters optimal that need more steps than every bound says. It does so
//! deterministically, and never rules out a number of steps for which a schedule exists.

use crate::support::checked::{Checker, NEVER};
use crate::support::search::run_on;
use ccsched::bounds;
use ccsched::engines::Engine;
use ccsched::islands::{Job, Outcome, Search, StopCondition, StopReason, Threads};
use ccsched::network::{VertexId, faults, spec};
use ccsched::problem::{Collective, Ports, Problem, Request, Routing, Switching};
use ccsched::refute::{Unproved, Verdict, memory, memory_of_proof, prove, refute};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn job(topology: &str, broken: Option<&str>, request: Request) -> Job {
    let whole = spec::parse(topology).unwrap();
    let broken: Vec<VertexId> =
        broken.iter().map(|name| faults::parse_vertex(&whole, name).unwrap()).collect();
    let network = faults::apply(&whole, &[], &broken).unwrap();
    let faults = vec![];
    let engine = Engine::default();
    Job {
        table: None,
        network,
        faults,
        request,
        engine,
        search: Search { seed: 1, exchange_every: 10, goal: None, ..Search::default() },
    }
}

fn solve(job: &Job, islands: usize, iterations: u64) -> (Arc<Problem>, u32, Outcome) {
    let problem = job.pose().unwrap();
    let bound = bounds::all(&problem)[0].steps;
    let stop = StopCondition::new(iterations, None, &NEVER);
    let outcome =
        run_on(&mut Threads(islands), job, &problem, bound, stop, &mut Checker(&problem)).unwrap();
    (problem, bound, outcome)
}

/// With an odd number of terminals, few steps can use all of them: one lacks a partner.
fn octagon_without_a_node() -> Job {
    let one_port = Request { ports: Ports(Some(1)), ..Request::new(Collective::Aas) };
    job("octagon,half", Some("1"), one_port)
}

#[test]
fn a_scatter_on_a_faulty_network_is_optimal_by_search() {
    let job = octagon_without_a_node();
    for islands in [1, 2] {
        let [(_, bound, one), (_, _, two)] = [(); 2].map(|()| solve(&job, islands, 1_000_000));
        assert_eq!(one.reason, StopReason::Refuted);
        let best = one.best.unwrap();
        assert_eq!((bound, best.len()), (8, 9));
        assert_eq!((Some(best), one.progress), (two.best, two.progress));
    }
}

/// Counting bounds consider the middle links or what each leaf sends, not both limits at once.
#[test]
fn a_stored_scatter_is_optimal_by_search() {
    let stored = Request { switching: Switching::StoreAndForward, ..Request::new(Collective::Aas) };
    let (_, bound, outcome) = solve(&job("clos:2,1,3", None, stored), 2, 1_000_000);
    assert_eq!(outcome.reason, StopReason::Refuted);
    assert_eq!((bound, outcome.best.unwrap().len()), (11, 13));
}

#[test]
fn a_number_of_steps_that_is_found_is_not_refuted() {
    let routings = [Routing::Minimal, Routing::Slack(2)];
    let mut attempted = 0;
    let mut check = |topology: &str, request: Request| {
        let (problem, _, outcome) = solve(&job(topology, None, request.clone()), 1, 400);
        let best = outcome.best.unwrap_or_else(|| panic!("{topology} {request:?}: no schedule"));
        let verdict = refute(&problem, best.len() as u32, 500, &|| false);
        assert_ne!(verdict, Verdict::Impossible, "{topology} {request:?}");
        attempted += u32::from(memory(&problem, best.len() as u32).is_some());
    };
    for topology in ["mesh:3x4", "kautz:2,3", "torus:3x4,half", "fat-tree:8", "petersen"] {
        for collective in [Collective::Oas, Collective::Aas, Collective::Aog] {
            for (ports, routing) in
                [Some(2), Some(3), None].into_iter().zip(routings.iter().cycle())
            {
                for switching in [Switching::Wormhole, Switching::StoreAndForward] {
                    let (ports, routing) = (Ports(ports), *routing);
                    let request = Request::new(collective);
                    check(topology, Request { ports, routing, switching, ..request });
                }
            }
        }
    }
    let fixed = |routing| Request { routing, ..Request::new(Collective::Aas) };
    check("two-switch:3,2", fixed(Routing::Static));
    check("swiss-t1:2,1,0,1,0,1,0,0", fixed(Routing::Static));
    check("dragonfly:2,1,1", fixed(Routing::Lgl));
    assert!(attempted >= 90, "{attempted} attempts");
}

#[test]
fn a_hopeless_refutation_is_not_begun() {
    let problem = job("torus:16x16", None, Request::new(Collective::Aas)).pose().unwrap();
    assert_eq!(memory(&problem, 512), None);
    assert_eq!(refute(&problem, 1, 1, &|| true), Verdict::Open);
    let problem = octagon_without_a_node().pose().unwrap();
    assert!(memory(&problem, 8).is_some());
    assert_eq!(refute(&problem, 8, 1_000_000, &|| true), Verdict::Open, "the callback stops it");
}

/// The clauses of these problems take seconds to make.
#[test]
fn the_stop_condition_is_asked_while_clauses_are_made() {
    let ports = Request { ports: Ports(Some(1)), ..Request::new(Collective::Aab) };
    let stored = Request { switching: Switching::StoreAndForward, ..Request::new(Collective::Aab) };
    let scatter = Request::new(Collective::Aas);
    for (topology, request, steps) in [
        ("torus:6x6", ports, 20),
        ("torus:10x10", stored, 90),
        ("random-regular:40,3,1", scatter, 70),
    ] {
        let problem = job(topology, None, request).pose().unwrap();
        let needs = memory_of_proof(&problem, steps).unwrap();
        assert!(needs > 100_000_000, "{topology}: {needs}");
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() == 20
        };
        let begin = Instant::now();
        assert_eq!(prove(&problem, steps, &stop).unwrap_err(), Unproved::GivenUp, "{topology}");
        assert_eq!(asked.get(), 20, "{topology}: nothing is done after the end");
        assert!(begin.elapsed() < Duration::from_secs(5), "{topology}: {:?}", begin.elapsed());
    }
}

#[test]
fn what_is_no_proof_has_its_reason() {
    let problem = job("torus:16x16", None, Request::new(Collective::Aas)).pose().unwrap();
    assert_eq!(prove(&problem, 512, &|| false).unwrap_err(), Unproved::TooLarge);
    let problem = job("ring:4", None, Request::new(Collective::Aas)).pose().unwrap();
    assert_eq!(prove(&problem, 9, &|| false).unwrap_err(), Unproved::Possible);
}
