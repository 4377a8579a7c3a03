//! Every schedule that the engine returns is valid, for a small member of every family under all
//! rules; and it returns one if there are enough steps.

use crate::support::checked::{Checker, NEVER};
use ccsched::bounds;
use ccsched::engines::hgsa;
use ccsched::islands::{Search, StopCondition, run_on_threads};
use ccsched::network::families::FAMILIES;
use ccsched::network::{Network, faults, spec};
use ccsched::problem::{Collective, Ports, Request, Routing, Switching};
use ccsched::schedule::file::FaultRecord;
use std::sync::Arc;

/// A small member of every family; cages have one size.
pub const MEMBERS: &[&str] = &[
    "ring:4",
    "chordal-ring:6,2",
    "octagon",
    "moebius-ladder:6",
    "mesh:2x3",
    "torus:3x3",
    "hypercube:3",
    "kautz:2,2",
    "petersen",
    "heawood",
    "levi",
    "hoffman-singleton",
    "amp:8",
    "complete:4",
    "complete-bipartite:2,3",
    "omega:4",
    "butterfly:4",
    "clos:2,2,2",
    "binary-tree:4",
    "fat-tree:4",
    "full-binary-tree:7",
    "debruijn:2,2",
    "dragonfly:2,1,1",
    "slim-fly:3",
    "random-regular:8,3,1",
    "swiss-t1:1,0,0,1,0,0,1,0",
    "two-switch:2,1",
    "dgx1",
    "dgx-a100:1",
    "mi250",
    "z52",
    "tpu:2x2x2",
    "rail:2,2,2",
];
/// Up to this number of terminals, a schedule of many steps must be found.
const SMALL: usize = 14;
const COLLECTIVES: [Collective; 5] =
    [Collective::Oab, Collective::Aab, Collective::Oas, Collective::Aas, Collective::Aog];
const SWITCHINGS: [Switching; 2] = [Switching::Wormhole, Switching::StoreAndForward];

fn family_of(member: &str) -> &str {
    member.split([':', ',']).next().unwrap_or(member)
}

/// Poses and solves a problem; returns whether it could be posed.
fn solve(network: &Network, faults: &[FaultRecord], request: &Request) -> bool {
    let about = format!("{} without {faults:?}: {request:?}", network.name());
    let problem = match request.pose(network.clone(), faults.to_vec()) {
        Ok(problem) => Arc::new(problem),
        Err(e) if faults.is_empty() => panic!("{about}: {e}"),
        Err(_) => return false,
    };
    let small = network.terminals().count() <= SMALL;
    let bound = bounds::all(&problem)[0].steps;
    let walker = hgsa::walker(&problem, hgsa::Params::default(), 5);
    let search =
        Search { seed: 5, exchange_every: 3, goal: Some(3 * bound + 4), ..Search::default() };
    let stop = StopCondition::new(if small { 1500 } else { 60 }, None, &NEVER);
    let outcome = run_on_threads(walker, &search, 1, bound, stop, &mut Checker(&problem), None)
        .unwrap_or_else(|e| panic!("{about}: {e}"));
    assert!(!small || outcome.best.is_some(), "{about}: nothing in {} steps", 3 * bound + 4);
    if let Some(best) = outcome.best {
        assert!(best.len() as u32 >= bound, "{about}: below the bound {bound}");
    }
    true
}

/// Solves all collectives and switchings after a change by `rules`; returns how many were posed.
fn solve_all(network: &Network, faults: &[FaultRecord], rules: impl Fn(&mut Request)) -> usize {
    let mut posed = 0;
    for collective in COLLECTIVES {
        for switching in SWITCHINGS {
            let mut request = Request { switching, ..Request::new(collective) };
            rules(&mut request);
            posed += usize::from(solve(network, faults, &request));
        }
    }
    posed
}

#[test]
fn every_family_has_a_member_here() {
    let tested: Vec<&str> = MEMBERS.iter().map(|member| family_of(member)).collect();
    for family in FAMILIES {
        assert!(tested.contains(&family.name), "a small member of {} is missing", family.name);
    }
}

#[test]
fn all_ports() {
    for member in MEMBERS {
        solve_all(&spec::parse(member).unwrap(), &[], |_| {});
    }
}

#[test]
fn one_port_and_two() {
    for member in MEMBERS {
        let network = spec::parse(member).unwrap();
        for ports in [1, 2] {
            solve_all(&network, &[], |r| r.ports = Ports(Some(ports)));
        }
    }
}

#[test]
fn longer_paths() {
    for member in MEMBERS {
        solve_all(&spec::parse(member).unwrap(), &[], |r| r.routing = Routing::Slack(1));
    }
}

#[test]
fn static_routes() {
    for member in ["swiss-t1:1,0,0,1,0,0,1,0", "two-switch:2,1"] {
        let network = spec::parse(member).unwrap();
        for collective in [Collective::Oas, Collective::Aas, Collective::Aog] {
            for (switching, ports) in
                SWITCHINGS.into_iter().flat_map(|s| [(s, Ports(None)), (s, Ports(Some(1)))])
            {
                let routing = Routing::Static;
                let rules = Request { switching, ports, routing, ..Request::new(collective) };
                assert!(solve(&network, &[], &rules));
            }
        }
    }
}

#[test]
fn half_duplex_links() {
    let mut half = 0;
    for member in MEMBERS {
        // Multistage networks and Kautz digraphs have one-way channels, trees have switches.
        if let Ok(network) = spec::parse(&format!("{member},half")) {
            half += solve_all(&network, &[], |r| r.ports = Ports(Some(1)));
            half += solve_all(&network, &[], |_| {});
        }
    }
    assert!(half > 200, "{half} problems");
}

#[test]
fn one_faulty_channel_or_vertex() {
    let mut posed = 0;
    for member in MEMBERS {
        let network = spec::parse(member).unwrap();
        let middle = network.channels().len() / 2;
        let ends = network.channel(middle as u32);
        let name = |v| network.vertex_name(v).to_string();
        let link = faults::record(&network, middle as u32, &[middle as u32]);
        let vertex = FaultRecord::Vertex(name(ends.from));
        for (channels, vertices, fault) in
            [(vec![middle as u32], vec![], link), (vec![], vec![ends.from], vertex)]
        {
            if let Ok(rest) = faults::apply(&network, &channels, &vertices) {
                posed += solve_all(&rest, &[fault], |_| {});
            }
        }
    }
    assert!(posed > 200, "{posed} problems");
}
