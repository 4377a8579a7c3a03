//! The default engine reaches the number of steps that a bound proves optimal, and the verifier
//! refuses an altered certificate.

use crate::support::checked::file_of;
use crate::support::search::search;
use ccsched::engines::{Engine, Seat, hgsa};
use ccsched::network::spec;
use ccsched::network::tables::Table;
use ccsched::problem::{Collective, Pair, Ports, Problem, Request, Routing, Switching};
use ccsched::rng::rng_of;
use ccsched::schedule::ScheduleFile;
use ccsched::verify::{Rule, verify};
use std::sync::Arc;

fn posed(topology: &str, request: Request) -> Arc<Problem> {
    Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
}

/// The file of the schedule that a search finds, which must have as many steps as its best bound.
fn optimum(topology: &str, request: Request) -> ScheduleFile {
    let problem = posed(topology, request);
    let params = Engine::default();
    let outcome = search(&problem, params, 1, 2, 20_000).unwrap();
    let file = file_of(&problem, &outcome.best.expect("a schedule is found"));
    let bound = file.bounds.iter().map(|b| b.steps).max();
    assert_eq!(bound, Some(file.steps.len() as u32), "{topology}");
    file
}

#[test]
fn scatters_reach_the_congestion_bound() {
    let aas = || Request::new(Collective::Aas);
    let sf = Request { switching: Switching::StoreAndForward, ..aas() };
    let cases = [
        ("heawood", aas(), 9),
        ("moebius-ladder:16", aas(), 16),
        ("kautz:3,3", aas(), 34),
        ("omega:16", aas(), 15),
        ("clos:4,4,4", aas(), 15),
        ("fat-tree:16", aas(), 15),
        ("fat-tree:32", aas(), 31),
        ("dragonfly:2,1,1", Request { routing: Routing::Lgl, ..aas() }, 5),
        ("ring:8,half", Request { ports: Ports(Some(1)), ..aas() }, 16),
        ("kautz:3,3", Request::new(Collective::Oas), 13),
        ("kautz:3,3", Request { routing: Routing::Slack(1), ..Request::new(Collective::Oas) }, 12),
        ("petersen", sf.clone(), 5),
        ("torus:4x4", sf.clone(), 8),
        ("kautz:2,3", sf, 15),
    ];
    for (topology, request, steps) in cases {
        assert_eq!(optimum(topology, request).steps.len(), steps, "{topology}");
    }
}

#[test]
fn broadcasts_reach_their_bounds() {
    let oab = || Request::new(Collective::Oab);
    let one_port = |request| Request { ports: Ports(Some(1)), ..request };
    let sf = |request| Request { switching: Switching::StoreAndForward, ..request };
    let from = |source: &str| Request { source: Some(source.into()), ..oab() };
    let aab = || Request::new(Collective::Aab);
    let few = Request { receivers: Some(["1", "5", "6"].map(String::from).to_vec()), ..aab() };
    let cases = [
        ("full-binary-tree:15", from("14"), 3),
        ("full-binary-tree:31", from("30"), 4),
        ("hypercube:6", oab(), 3),
        ("kautz:3,3", oab(), 3),
        ("clos:4,4,4", oab(), 4),
        ("ring:8,half", one_port(oab()), 3),
        ("mesh:8x8", Request { routing: Routing::Slack(1), ..oab() }, 4),
        ("hypercube:6", sf(one_port(oab())), 6),
        ("binary-tree:32", sf(oab()), 10),
        ("binary-tree:32", aab(), 31),
        ("full-binary-tree:63", aab(), 62),
        ("fat-tree:32", aab(), 31),
        ("omega:16", aab(), 15),
        ("butterfly:16", aab(), 15),
        ("clos:3,3,4", aab(), 11),
        ("binary-tree:8", few, 7),
        ("petersen", one_port(aab()), 9),
        ("ring:8,half", one_port(aab()), 7),
    ];
    for (topology, request, steps) in cases {
        assert_eq!(optimum(topology, request).steps.len(), steps, "{topology}");
    }
}

#[test]
fn broadcasts_of_many_messages_reach_their_bounds() {
    let aab = || Request::new(Collective::Aab);
    let sf = Request { switching: Switching::StoreAndForward, ..aab() };
    let one_port = Request { ports: Ports(Some(1)), ..aab() };
    let cases = [
        ("petersen", aab(), 3),
        ("heawood", aab(), 5),
        ("moebius-ladder:16", aab(), 5),
        ("levi", aab(), 10),
        ("kautz:3,3", aab(), 12),
        ("full-binary-tree:63", aab(), 62),
        ("hypercube:7", aab(), 19),
        ("torus:16x16", aab(), 64),
        ("ring:8,half", one_port.clone(), 7),
        ("hypercube:5", one_port.clone(), 31),
        ("fat-tree:16", one_port, 15),
        ("hypercube:4", sf.clone(), 4),
        ("hypercube:6", sf.clone(), 11),
        ("torus:4x4", sf.clone(), 4),
        ("mesh:6x6", sf.clone(), 18),
        ("hoffman-singleton", sf, 7),
    ];
    for (topology, request, steps) in cases {
        assert_eq!(optimum(topology, request).steps.len(), steps, "{topology}");
    }
}

/// The violations of a file after a change to its congestion bound.
fn after(change: impl Fn(&mut ccsched::schedule::file::BoundRecord)) -> Vec<Rule> {
    let mut file = optimum("kautz:3,3", Request::new(Collective::Aas));
    let bound = file.bounds.iter_mut().find(|b| b.name == "congestion").unwrap();
    change(bound);
    verify(&file).iter().map(|violation| violation.rule).collect()
}

#[test]
fn an_altered_certificate_is_refused() {
    assert_eq!(after(|_| {}), []);
    assert_eq!(after(|b| b.steps += 1), [Rule::Bounds, Rule::Bounds], "above the schedule, too");
    assert_eq!(after(|b| b.certificate.channel_weights = None), [Rule::Bounds]);
    let weights = |alter: fn(&mut Vec<u64>)| {
        after(move |b| alter(b.certificate.channel_weights.as_mut().unwrap()))
    };
    assert_eq!(weights(|w| w.truncate(5)), [Rule::Bounds]);
    assert_eq!(weights(|w| w.fill(0)), [Rule::Bounds]);
    assert_eq!(weights(|w| w.fill(1)), [Rule::Bounds], "distances alone prove 31");
    assert_eq!(weights(|w| w[0] = u64::MAX), [Rule::Bounds]);
    let port = [("012".to_string(), 5)].into();
    let with_port = after(move |b| b.certificate.send_port_weights = Some(Clone::clone(&port)));
    assert_eq!(with_port, [Rule::Bounds], "ports are not limited");
}

/// Limited ports and half-duplex links are rows of the linear program, like channels.
#[test]
fn ports_and_half_duplex_links_have_weights() {
    for (topology, switching) in
        [("mesh:3x3,half", Switching::Wormhole), ("mesh:3x3", Switching::StoreAndForward)]
    {
        let ports = Ports(Some(1));
        let request = Request { switching, ports, ..Request::new(Collective::Aas) };
        let problem = posed(topology, request);
        let params = Engine::default();
        let outcome = search(&problem, params, 1, 2, 2000).unwrap();
        let file = file_of(&problem, &outcome.best.unwrap());
        assert!(verify(&file).is_empty());
        let congestion = file.bounds.iter().find(|b| b.name == "congestion").unwrap();
        assert!(congestion.certificate.send_port_weights.is_some());
        let strongest = file.bounds.iter().map(|b| b.steps).max().unwrap();
        assert_eq!(congestion.steps, strongest, "it includes the others");
    }
}

/// On a path of five with one port, messages must wait on their way: the annealer's genes let them.
#[test]
fn the_annealer_lets_stored_messages_wait() {
    let sf = Switching::StoreAndForward;
    let request = Request { switching: sf, ports: Ports(Some(1)), ..Request::new(Collective::Aas) };
    let problem = posed("mesh:5,half", request);
    let engine = Engine::from(hgsa::Params::default());
    let plan = search(&problem, engine, 1, 2, 3000).unwrap().best.unwrap();
    assert_eq!(plan.len(), 12);
    // A message that waits is under way for more steps than it has channels.
    let waits = |m: &u32| {
        let steps = plan.steps().enumerate();
        let at = steps.filter(|(_, step)| step.iter().any(|t| t.message == *m)).map(|(at, _)| at);
        let at: Vec<usize> = at.collect();
        at[at.len() - 1] - at[0] >= at.len()
    };
    assert!((0..problem.messages() as u32).any(|m| waits(&m)));
}

/// A broadcast to terminals that only receive: the source alone informs them.
#[test]
fn receivers_that_cannot_send_need_a_step_each() {
    for ports in [None, Some(1)] {
        let request = Request { ports: Ports(ports), ..Request::new(Collective::Oab) };
        assert_eq!(optimum("swiss-t1", request).steps.len(), 32);
    }
}

/// The longest of these routes around a ring whose root is broken open has seven channels, the distance of each pair
/// is two.
#[test]
fn fixed_routes_are_as_long_as_they_are() {
    let pair = |v: u32| Pair {
        source: v.to_string(),
        destination: ((v + 2) % 9).to_string(),
        bytes: None,
        count: 1,
    };
    let request = Request {
        switching: Switching::StoreAndForward,
        routing: Routing::Table(Table::find("updown").unwrap()),
        pairs: Some((0..9).map(pair).collect()),
        ..Request::new(Collective::Traffic)
    };
    for engine in [Engine::default(), Engine::from(hgsa::Params::default())] {
        let problem = posed("ring:9", request.clone());
        let outcome = search(&problem, engine, 1, 2, 2000).unwrap();
        let file = file_of(&problem, &outcome.best.expect("a schedule is found"));
        let of_length = file.bounds.iter().find(|b| b.name == "eccentricity").unwrap();
        assert_eq!((file.steps.len(), of_length.steps), (7, 7));
    }
}

/// No schedule has fewer steps than a route has channels: walkers that seek one find nothing, and do not panic.
#[test]
fn a_target_below_the_length_of_a_route_is_survived() {
    let request = Request {
        switching: Switching::StoreAndForward,
        routing: Routing::Table(Table::find("updown").unwrap()),
        ..Request::new(Collective::Aas)
    };
    let problem = posed("ring:9", request);
    for engine in [Engine::default(), Engine::from(hgsa::Params::default())] {
        let mut walker = engine.searcher(&problem).unwrap().walker(1);
        walker.settle(Seat::among(0, 2));
        let mut rng = rng_of(1, 0, 0);
        for steps in [1, 3, 40, 2] {
            walker.seek(steps, &mut rng);
            for _ in 0..20 {
                walker.iterate(&mut rng);
            }
            assert!(steps == 40 || walker.cost() > 0, "{steps} steps");
        }
    }
}
