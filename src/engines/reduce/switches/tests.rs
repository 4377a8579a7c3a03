//! Random switches with random hosts: schedules of the switches, taken apart, pass `verify`.

use super::Switches;
use crate::construct::first_fit::fitted;
use crate::reduce::{Reduction, Repeated};
use ccsched_base::rng::{Rng, rng_of};
use ccsched_model::problem::{Collective, Ports, Problem, Request, Routing, Switching};
use ccsched_model::schedule::Plan;
use ccsched_model::schedule::file::Provenance;
use ccsched_network::{LinkKind, Network, NetworkBuilder, VertexId, spec};
use ccsched_verify::verify;
use rand::RngExt;
use std::sync::Arc;

/// A connected network of some switches, each with some hosts; in a quarter of the networks, hosts
/// either send or receive.
fn random_network(rng: &mut Rng) -> Network {
    let mut net = NetworkBuilder::new("random");
    let switches: Vec<VertexId> =
        (0..rng.random_range(1..6)).map(|i| net.switch(format!("sw{i}"))).collect();
    for (i, &v) in switches.iter().enumerate().skip(1) {
        let kind = if rng.random() { LinkKind::FullDuplex } else { LinkKind::HalfDuplex };
        net.wide_link(v, switches[rng.random_range(0..i)], kind, rng.random_range(1..3));
    }
    for _ in 0..rng.random_range(0..switches.len()) {
        let [a, b] = [0, 0].map(|_| switches[rng.random_range(0..switches.len())]);
        if a != b {
            net.duplex(a, b);
        }
    }
    let is_apart = rng.random_range(0..4) == 0;
    for (i, &v) in switches.iter().enumerate() {
        let (hosts, width) = (rng.random_range(0..5), rng.random_range(1..3));
        // The first switch has two of each kind.
        for k in 0..if i == 0 { hosts.max(4) } else { hosts } {
            let name = match (is_apart, k % 2 == 0) {
                (true, true) => "sender",
                (true, false) => "receiver",
                (false, _) => "host",
            };
            let host = net.terminal(format!("{name}{i}_{k}"));
            match name {
                "sender" => net.wide_link(host, v, LinkKind::OneWay, width),
                "receiver" => net.wide_link(v, host, LinkKind::OneWay, width),
                _ => net.wide_link(v, host, LinkKind::FullDuplex, width),
            }
        }
    }
    net.build().unwrap()
}

fn together(network: Network, request: &Request) -> (Arc<Problem>, Option<Switches>) {
    let problem = Arc::new(request.pose(network, vec![]).unwrap());
    let together = Switches::of(&problem);
    (problem, together)
}

/// Complaints about a schedule by first fit of the switches, taken apart.
fn complaints(problem: &Problem, together: &Switches, rng: &mut Rng) -> String {
    complaints_about(problem, together, fitted(together.inner(), rng))
}

fn complaints_about(problem: &Problem, together: &Switches, plan: Plan) -> String {
    let steps = plan.len();
    let apart = together.plan(plan);
    assert!(apart.len() <= steps);
    let file = apart.record(problem, &[], Provenance::default());
    verify(&file).iter().map(|complaint| format!("{complaint}; ")).collect()
}

#[test]
fn schedules_of_switches_become_schedules_of_hosts() {
    let rng = &mut rng_of(7, 0, 0);
    for round in 0..400 {
        let network = random_network(rng);
        let stored = rng.random();
        let named = |kind: &str| {
            let names = network.terminals().map(|v| network.vertex_name(v).to_string());
            Some(names.filter(|name| !name.starts_with(kind)).collect())
        };
        let request = Request {
            senders: named("receiver"),
            receivers: named("sender"),
            switching: if stored { Switching::StoreAndForward } else { Switching::Wormhole },
            ports: Ports([None, Some(1), Some(2)][rng.random_range(0..3)]),
            routing: [Routing::Minimal, Routing::Slack(1)][rng.random_range(0..2)],
            ..Request::new(Collective::Aas)
        };
        let (problem, together) = together(network, &request);
        let together = together.unwrap_or_else(|| panic!("round {round}"));
        assert_eq!(together.inner().demands().len(), problem.demands().len());
        assert_eq!(complaints(&problem, &together, rng), "", "round {round}");
        if let Some(repeated) = Repeated::at_most(6, together.inner()) {
            let plan = repeated.plan(fitted(repeated.inner(), rng));
            let complaints = complaints_about(&problem, &together, plan);
            assert_eq!(complaints, "", "round {round}, in blocks");
        }
    }
}

#[test]
fn fixed_routes_between_switches_are_kept() {
    let rng = &mut rng_of(8, 0, 0);
    for (topology, routing) in [("dragonfly:3,2,1", Routing::Lgl), ("swiss-t1", Routing::Static)] {
        let request = Request { routing, ..Request::new(Collective::Aas) };
        let (problem, together) = together(spec::parse(topology).unwrap(), &request);
        let together = together.expect("the routes depend on the switches alone");
        assert!(together.inner().has_fixed_routes());
        assert_eq!(complaints(&problem, &together, rng), "", "{topology}");
    }
}

#[test]
fn other_problems_are_left_as_they_are() {
    let none = |topology: &str, request: Request| {
        let (_, together) = together(spec::parse(topology).unwrap(), &request);
        assert!(together.is_none(), "{topology}");
    };
    // No switches; routes that differ between hosts of a switch; other collectives.
    none("mesh:3x3", Request::new(Collective::Aas));
    let routing = "dmodk".parse().unwrap();
    none("fat-tree:8", Request { routing, ..Request::new(Collective::Aas) });
    none("dragonfly:2,2,1", Request::new(Collective::Aab));
    none("dragonfly:2,2,1", Request::new(Collective::Oas));
    let some = |names: [&str; 3]| Some(names.map(String::from).to_vec());
    // A host that only sends beside one that does both.
    let request = Request {
        senders: some(["0", "1", "2"]),
        receivers: some(["1", "2", "3"]),
        ..Request::new(Collective::Aas)
    };
    none("dragonfly:2,2,1", request);
    let request = Request {
        senders: some(["0", "1", "2"]),
        receivers: some(["0", "1", "2"]),
        ..Request::new(Collective::Aas)
    };
    let (problem, together) = together(spec::parse("dragonfly:2,2,1").unwrap(), &request);
    let together = together.expect("some hosts of two switches");
    assert_eq!(complaints(&problem, &together, &mut rng_of(9, 0, 0)), "");
}
