//! Barriers and all-reduces of one part over ranks, at once.

use crate::support::at_once::posed;
use ccsched::islands::Limits;
use ccsched::network::{LinkKind, Network, NetworkBuilder, spec};
use ccsched::problem::{Collective, Ports, Request, Switching};
use ccsched::verify::verify;
use ccsched::{Options, solve};

use Collective::{AllReduceWhole, Barrier};
use Switching::{Hosts, StoreAndForward, Wormhole};

/// Steps of the schedule before any search goes far.
fn steps(network: Network, request: Request) -> usize {
    let problem = posed(network, request);
    let limits = Limits { iterations: 1, ..Limits::default() };
    let options = Options { islands: Some(1), limits, ..Options::default() };
    let file = solve(&problem, &options).unwrap().schedule().expect("a schedule");
    assert_eq!(verify(&file), []);
    file.steps.len()
}

/// Hosts behind leaves, each of which has a link to every spine.
fn leaves(leaves: u32, hosts: u32, spines: u32) -> Network {
    let mut network = NetworkBuilder::new("leaves");
    for spine in 0..spines {
        network.vertex(format!("spine{spine}"), false);
    }
    for leaf in 0..leaves {
        let own = network.vertex(format!("leaf{leaf}"), false);
        (0..spines).for_each(|spine| network.wide_link(spine, own, LinkKind::FullDuplex, 1));
        for host in 0..hosts {
            let host = network.vertex(format!("host{leaf}-{host}"), true);
            network.wide_link(own, host, LinkKind::FullDuplex, 1);
        }
    }
    network.build().unwrap()
}

#[test]
fn doubling_needs_the_logarithm_of_the_ranks() {
    let all = [
        ("fat-tree:16", AllReduceWhole, Hosts, None, 4),
        ("fat-tree:32", AllReduceWhole, Hosts, None, 5),
        ("fat-tree:64", AllReduceWhole, Hosts, None, 6),
        ("complete:16", AllReduceWhole, StoreAndForward, Some(1), 4),
        ("hypercube:4", AllReduceWhole, StoreAndForward, Some(1), 4),
        ("hypercube:3", AllReduceWhole, Wormhole, Some(1), 3),
        ("complete:9", AllReduceWhole, StoreAndForward, Some(2), 2),
        ("complete:8", AllReduceWhole, StoreAndForward, None, 1),
        ("fat-tree:16", Barrier, Hosts, None, 4),
        ("fat-tree:32", Barrier, Hosts, None, 5),
    ];
    for (topology, collective, switching, ports, least) in all {
        let request = Request { switching, ports: Ports(ports), ..Request::new(collective) };
        let steps = steps(spec::parse(topology).unwrap(), request);
        assert_eq!(steps, least, "{collective} of {topology}");
    }
}

#[test]
fn any_number_of_ranks_takes_one_step_more_at_most() {
    for (sizes, least) in [((3, 4, 4), 4), ((4, 6, 6), 5), ((1, 12, 1), 4), ((5, 5, 5), 5)] {
        for collective in [AllReduceWhole, Barrier] {
            let network = leaves(sizes.0, sizes.1, sizes.2);
            let steps = steps(network, Request { switching: Hosts, ..Request::new(collective) });
            assert!((least..=least + 1).contains(&steps), "{collective} of {sizes:?}: {steps}");
        }
    }
}

#[test]
fn hops_between_neighbours_suit_wormhole_switching() {
    for topology in ["torus:8x8", "torus:9x9"] {
        let request = Request { switching: Wormhole, ..Request::new(AllReduceWhole) };
        let steps = steps(spec::parse(topology).unwrap(), request);
        assert!(steps <= 8, "{topology}: {steps}");
    }
}
