//! Engines on links that carry several transfers in a step: trees with wide upper links, and
//! networks with wide links everywhere.

use crate::support::wide::schedule;
use ccsched::bounds;
use ccsched::engines::{Engine, hgsa, umda};
use ccsched::network::spec;
use ccsched::problem::{Collective, Ports, Problem, Request, Switching};
use std::sync::Arc;

fn posed(topology: &str, collective: Collective, switching: Switching) -> Arc<Problem> {
    let request = Request { switching, ..Request::new(collective) };
    Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
}

/// Steps of the best schedule that an engine finds; every schedule is valid.
fn steps(problem: &Arc<Problem>, engine: Engine, iterations: u64) -> usize {
    let plan = schedule(problem, engine, iterations);
    plan.unwrap_or_else(|why| panic!("{}: {why}", problem.network().name())).len()
}

fn bound(problem: &Problem) -> usize {
    bounds::all(problem).first().map_or(0, |b| b.steps as usize)
}

#[test]
fn an_all_to_all_on_trees_with_wide_upper_links() {
    let auto = || Engine::default();
    for (topology, least) in [
        ("binary-tree:8", 16),
        // The root's links are twice as wide: half the steps.
        ("binary-tree:8,up=2", 8),
        ("binary-tree:8,up=4", 7),
        ("binary-tree:8,grow=2", 7),
        ("binary-tree:16,up=2", 32),
        ("binary-tree:16,grow=2", 15),
        ("fat-tree:8", 7),
        ("fat-tree:8,up=2", 7),
        ("fat-tree:16,up=2", 15),
        ("fat-tree:16,width=2", 8),
        ("fat-tree:8,width=2,up=2", 4),
        ("full-binary-tree:7,up=3", 6),
    ] {
        let problem = posed(topology, Collective::Aas, Switching::Wormhole);
        assert_eq!(bound(&problem), least, "{topology}");
        assert_eq!(steps(&problem, auto(), 3000), least, "{topology}");
    }
}

#[test]
fn wide_links_divide_the_steps_of_constructions() {
    for (topology, narrow, wide) in [
        ("hypercube:4", 8, 4),
        ("hypercube:5", 16, 8),
        ("torus:6x6", 27, 14),
        ("ring:9", 10, 5),
        ("omega:8", 7, 4),
        ("clos:3,3,4", 11, 6),
    ] {
        let plain = posed(topology, Collective::Aas, Switching::Wormhole);
        assert_eq!(steps(&plain, Engine::default(), 500), narrow, "{topology}");
        let problem = posed(&format!("{topology},width=2"), Collective::Aas, Switching::Wormhole);
        assert_eq!(bound(&problem), wide, "{topology}");
        assert_eq!(steps(&problem, Engine::default(), 500), wide, "{topology}");
    }
}

#[test]
fn every_collective_is_scheduled_on_wide_links_by_every_engine() {
    let collectives =
        [Collective::Oab, Collective::Aab, Collective::Oas, Collective::Aas, Collective::Aog];
    for topology in
        ["mesh:3x3,width=2", "binary-tree:8,grow=2", "ring:6,half,width=3", "kautz:2,2,width=2"]
    {
        for collective in collectives {
            for switching in [Switching::Wormhole, Switching::StoreAndForward] {
                let problem = posed(topology, collective, switching);
                let least = bound(&problem);
                let auto = steps(&problem, Engine::default(), 2000);
                let about = format!("{topology} {collective} {switching}");
                assert!(
                    auto >= least && auto <= least + least.div_ceil(2),
                    "{about}: {auto}, {least}"
                );
                assert!(
                    steps(&problem, Engine::from(hgsa::Params::default()), 300) >= least,
                    "{about}"
                );
                if switching == Switching::Wormhole {
                    let params = umda::Params::default();
                    assert!(steps(&problem, Engine::from(params), 300) >= least, "{about}");
                }
            }
        }
    }
}

#[test]
fn ports_count_against_what_channels_carry() {
    // A leaf has one channel, which carries 3.
    for (ports, least) in [(None, 3), (Some(1), 7), (Some(2), 4), (Some(3), 3), (Some(9), 3)] {
        let request = Request { ports: Ports(ports), ..Request::new(Collective::Aas) };
        let network = spec::parse("fat-tree:8,width=3").unwrap();
        let problem = Arc::new(request.pose(network, vec![]).unwrap());
        assert_eq!(bound(&problem), least, "{ports:?}");
        let found = steps(&problem, Engine::default(), 3000);
        assert_eq!(found, least, "{ports:?}");
    }
}

#[test]
fn engines_on_conflict_graphs_refuse_wide_links() {
    use ccsched::engines::exact::conflict_graph::Conflicts;
    // Switches with 3 and 2 nodes: 6 messages cross each way.
    let posed = |spec: &str| {
        let mut request = Request::new(Collective::Aas);
        request.routing = ccsched::problem::Routing::Static;
        request.pose(spec::parse(spec).unwrap(), vec![]).unwrap()
    };
    assert!(Conflicts::new(&posed("two-switch:3,2"), "liquid").is_ok());
    let why = Conflicts::new(&posed("two-switch:3,2,width=2"), "liquid").unwrap_err().to_string();
    assert!(why.contains("capacity 2") && why.contains("auto"), "{why}");
    // Links that carry all their transfers in one step cause no conflict.
    let wide = posed("two-switch:1,1,width=2");
    assert_eq!(Conflicts::new(&wide, "liquid").unwrap().pairs(), 0);
}
