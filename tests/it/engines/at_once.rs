//! Constructed schedules: permutations on networks that pass them, the affine plane on balanced
//! dragonflies with local-global-local routes; and the rules of these routes.

use crate::support::at_once::{at_once, posed};
use crate::support::checked::{complaints, file_of};
use crate::support::search::search;
use ccsched::engines::Engine;
use ccsched::engines::hgsa::Params;
use ccsched::network::files::toml::{read, write};
use ccsched::network::{faults, spec};
use ccsched::problem::{Collective, Pair, Ports, Request, Routing, Switching};
use ccsched::verify::{Rule, verify};
use std::path::Path;

fn aas(routing: Routing) -> Request {
    Request { routing, ..Request::new(Collective::Aas) }
}

#[test]
fn permutations_pass_multistage_networks_and_fat_trees() {
    for (topology, steps) in [
        ("omega:16", 15),
        ("omega:64", 63),
        ("butterfly:16", 15),
        ("butterfly:64", 63),
        ("clos:4,4,4", 15),
        ("clos:3,3,4", 11),
        ("clos:5,5,3", 14),
        ("fat-tree:32", 31),
        ("fat-tree:64", 63),
        ("fat-tree:128", 127),
    ] {
        let file = at_once(spec::parse(topology).unwrap(), aas(Routing::Minimal));
        assert_eq!(file.steps.len(), steps, "{topology}");
    }
    // Routes by destination that use all spines alike pass shifts, too.
    let table = aas("dmodk".parse().unwrap());
    assert_eq!(at_once(spec::parse("fat-tree:64").unwrap(), table).steps.len(), 63);
}

#[test]
fn permutations_do_not_depend_on_the_name_of_the_network() {
    // With one port a hypercube is as narrow; exclusive ors pass bit by bit.
    let one_port = Request { ports: Ports(Some(1)), ..aas(Routing::Minimal) };
    assert_eq!(at_once(spec::parse("hypercube:5").unwrap(), one_port).steps.len(), 31);
    // A fat tree without some leaves is no member of the family, but shifts still pass it.
    let whole = spec::parse("fat-tree:16").unwrap();
    let rest = faults::apply(&whole, &[], &[13, 14, 15]).unwrap();
    assert_eq!(at_once(rest, aas(Routing::Minimal)).steps.len(), 12);
}

#[test]
fn hypercubes_tori_and_rings_need_no_search() {
    for (topology, steps) in [
        ("hypercube:4", 8),
        ("hypercube:5", 16),
        ("hypercube:8", 128),
        ("torus:6x6", 27),
        ("torus:8x8", 64),
        ("torus:6x12", 108),
        ("torus:10x10", 125),
        ("torus:16x8", 256),
        ("ring:6", 5),
        ("ring:8", 8),
        ("ring:10", 13),
        ("ring:12", 18),
        ("ring:34", 145),
        ("ring:5", 3),
        ("ring:7", 6),
        ("ring:33", 136),
        ("ring:63", 496),
    ] {
        let file = at_once(spec::parse(topology).unwrap(), aas(Routing::Minimal));
        assert_eq!(file.steps.len(), steps, "{topology}");
        at_once(spec::parse(topology).unwrap(), aas(Routing::Slack(1)));
    }
}

/// The networks are so large that a search would take long; the schedules have as few steps as the
/// bounds allow.
#[test]
fn one_message_and_one_root_need_no_search() {
    use Collective::{Aog, Oab, Oas};
    use Switching::{StoreAndForward as Stored, Wormhole};
    for (topology, collective, switching, ports, steps) in [
        ("ring:100", Oab, Wormhole, None, 5),
        ("fat-tree:256", Oab, Wormhole, None, 8),
        ("hypercube:8", Oab, Wormhole, Some(1), 8),
        ("slim-fly:5", Oab, Wormhole, None, 2),
        ("ring:100", Oab, Stored, None, 50),
        ("hypercube:8", Oab, Stored, Some(1), 8),
        ("mesh:9x9,half", Oab, Stored, None, 16),
        ("ring:100", Oas, Stored, None, 50),
        ("ring:100", Aog, Stored, None, 50),
        ("torus:9x9", Oas, Stored, Some(2), 40),
        ("fat-tree:64", Oas, Stored, None, 65),
        ("binary-tree:32", Aog, Stored, None, 33),
        ("clos:4,4,4", Aog, Stored, Some(1), 18),
    ] {
        let request = Request { switching, ports: Ports(ports), ..Request::new(collective) };
        let file = at_once(spec::parse(topology).unwrap(), request);
        let told = format!("{collective} of {topology}, {switching}");
        assert_eq!(file.steps.len(), steps, "{told}");
        let bound = file.bounds.iter().map(|b| b.steps).max();
        assert_eq!(bound, Some(steps as u32), "{told}");
    }
}

#[test]
fn similar_networks_are_not_mistaken_for_hypercubes_or_tori() {
    // Half-duplex links, which carry half as much; odd rows; a broken link.
    let damaged = spec::parse("hypercube:3").unwrap();
    let damaged = faults::apply(&damaged, &[0], &[]).unwrap();
    let others = [
        "hypercube:3,half",
        "ring:7,half",
        "ring:7,simplex",
        "ring:8,half",
        "chordal-ring:8,3",
        "torus:5x5",
        "torus:6x8",
        "torus:6x6,half",
        "mesh:6x6",
    ];
    for network in others.map(|t| spec::parse(t).unwrap()).into_iter().chain([damaged]) {
        let problem = posed(network, aas(Routing::Minimal));
        let params = Engine::default();
        let outcome = search(&problem, params, 1, 2, 20).unwrap();
        assert_eq!(
            complaints(&problem, &outcome.best.unwrap()),
            "",
            "{}",
            problem.network().name()
        );
    }
}

#[test]
fn the_affine_plane_schedules_balanced_dragonflies() {
    // Fields of 2, 3, 4, 5, 8 and 16 elements; a group has at least twice as many routers as a
    // router has terminals.
    for (topology, steps) in [
        ("dragonfly:2,1,1", 5),
        ("dragonfly:3,1,1", 11),
        ("dragonfly:4,1,1", 19),
        ("dragonfly:5,1,1", 29),
        ("dragonfly:4,2,2", 71),
        ("dragonfly:8,2,2", 271),
    ] {
        let file = at_once(spec::parse(topology).unwrap(), aas(Routing::Lgl));
        assert_eq!(file.steps.len(), steps, "{topology}");
        assert_eq!(file.model.routing, "lgl");
    }
}

#[test]
fn other_dragonflies_are_searched_along_their_routes() {
    let switchings = [Switching::Wormhole, Switching::StoreAndForward];
    for switching in switchings {
        let request = Request { switching, ..aas(Routing::Lgl) };
        let problem = posed(spec::parse("dragonfly:2,2,1").unwrap(), request);
        for engine in [Engine::default(), Engine::from(Params::default())] {
            // The observer of the search refuses schedules that leave the routes.
            let outcome = search(&problem, engine, 1, 2, 300).unwrap();
            assert!(outcome.best.is_some(), "{switching}, {engine:?}");
        }
        // The messages of a pair take the same route in different steps.
        let pair = |source: &str, destination: &str, count| Pair {
            source: source.into(),
            destination: destination.into(),
            bytes: None,
            count,
        };
        let pairs = Some(vec![pair("0", "3", 2), pair("1", "4", 3)]);
        let request = Request { pairs, ..Request::new(Collective::Traffic) };
        let request = Request { switching, routing: Routing::Lgl, ..request };
        let problem = posed(spec::parse("dragonfly:2,1,1").unwrap(), request);
        let outcome = search(&problem, Engine::from(Params::default()), 1, 1, 300).unwrap();
        assert_eq!(complaints(&problem, &outcome.best.unwrap()), "");
    }
}

#[test]
fn half_duplex_dragonflies_are_searched() {
    let file = write::to_toml(&spec::parse("dragonfly:2,1,1").unwrap()).unwrap();
    let half = file.replace("full-duplex", "half-duplex");
    for routing in [Routing::Minimal, Routing::Lgl] {
        let problem = posed(read::parse(Path::new("half.toml"), &half).unwrap(), aas(routing));
        let params = Engine::default();
        let outcome = search(&problem, params, 1, 1, 300).unwrap();
        assert_eq!(complaints(&problem, &outcome.best.unwrap()), "", "{routing}");
    }
}

#[test]
fn other_paths_are_not_local_global_local_routes() {
    // Between some routers of different groups, a path over two global links is shorter than local,
    // global, local: a schedule of either routing breaks the rule of the other.
    let lgl = at_once(spec::parse("dragonfly:4,2,2").unwrap(), aas(Routing::Lgl));
    let mut relabelled = lgl.clone();
    relabelled.model.routing = "minimal".into();
    relabelled.bounds.clear();
    assert!(verify(&relabelled).iter().any(|v| v.rule == Rule::Routing));

    let problem = posed(spec::parse("dragonfly:4,2,2").unwrap(), aas(Routing::Minimal));
    let params = Engine::default();
    let best = search(&problem, params, 1, 1, 2000).unwrap().best.unwrap();
    let mut minimal = file_of(&problem, &best);
    minimal.bounds.clear();
    assert_eq!(verify(&minimal), []);
    minimal.model.routing = "lgl".into();
    let found = verify(&minimal);
    assert!(
        found
            .iter()
            .any(|v| v.to_string().contains("the local-global-local route of this pair is"))
    );
    assert!(found.iter().all(|v| v.rule == Rule::Routing), "{found:?}");

    let mut elsewhere = lgl.clone();
    elsewhere.network.channels.pop();
    assert!(verify(&elsewhere).iter().any(|v| v.to_string().contains("no dragonfly")));
}

#[test]
fn a_claim_above_the_largest_load_is_refused() {
    // Two terminals at a router, and 4 in the group behind each of the two global links: a local
    // channel carries 2 x 2 messages within the group, 2 x 4 out of it and 2 x 4 into it; a
    // terminal's channel carries 11.
    let problem = posed(spec::parse("dragonfly:2,2,1").unwrap(), aas(Routing::Lgl));
    let params = Engine::default();
    let best = search(&problem, params, 1, 2, 2000).unwrap().best.unwrap();
    let mut file = file_of(&problem, &best);
    assert_eq!(verify(&file), []);
    let congestion = file.bounds.iter_mut().find(|b| b.name == "congestion").unwrap();
    assert_eq!(congestion.steps, 20);
    congestion.steps += 1;
    assert!(verify(&file).iter().any(|v| v.rule == Rule::Bounds));
}

#[test]
fn routes_of_dragonflies_are_for_dragonflies() {
    let refused = |topology: &str, collective: Collective| {
        let request = Request { routing: Routing::Lgl, ..Request::new(collective) };
        request.pose(spec::parse(topology).unwrap(), vec![]).unwrap_err().to_string()
    };
    for topology in ["petersen", "fat-tree:8", "omega:8", "torus:4x4"] {
        let why = refused(topology, Collective::Aas);
        assert!(why.starts_with("routing: lgl is for dragonflies"), "{why}");
        assert!(why.contains(topology) && why.ends_with("on every network"), "{why}");
    }
    assert!(refused("dragonfly:2,1,1", Collective::Oab).contains("oab is a broadcast"));
    assert_eq!("lgl".parse::<Routing>().unwrap().to_string(), "lgl");
}
