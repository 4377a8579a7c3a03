//! All-reduces in which parts meet: two processes exchange what they hold, or a switch that stores adds it
//! up. Neither is a reduce-scatter and then an all-gather.

use crate::support::search::search;
use ccsched::engines::Engine;
use ccsched::network::{LinkKind, NetworkBuilder};
use ccsched::problem::{Collective, Request, Routing, Switching};
use std::sync::Arc;

/// Steps of the all-reduce of some hosts, of all if none are named, on links with their capacities.
fn steps(
    (switching, kind): (Switching, LinkKind),
    vertices: &[&str],
    links: &[(u32, u32, u32)],
    hosts: &[&str],
) -> usize {
    let mut network = NetworkBuilder::new("small");
    for name in vertices {
        network.vertex(*name, !name.starts_with("sw"));
    }
    for &(a, b, capacity) in links {
        network.wide_link(a, b, kind, capacity);
    }
    let named = hosts.iter().map(|name| (*name).to_string()).collect();
    let request = Request {
        switching,
        routing: Routing::Any,
        processes: (!hosts.is_empty()).then_some(named),
        ..Request::new(Collective::AllReduce)
    };
    let problem = Arc::new(request.pose(network.build().unwrap(), vec![]).unwrap());
    search(&problem, Engine::default(), 1, 1, 300).unwrap().best.expect("a schedule").len()
}

#[test]
fn two_hosts_exchange_in_one_step() {
    use LinkKind::{FullDuplex, HalfDuplex, OneWay};
    use Switching::{StoreAndForward, Wormhole};
    for switching in [Wormhole, StoreAndForward] {
        let of = |kind, links: &[_]| steps((switching, kind), &["p", "q"], links, &[]);
        assert_eq!(of(FullDuplex, &[(0, 1, 2)]), 1, "{switching}");
        assert_eq!(of(FullDuplex, &[(0, 1, 1), (1, 0, 1)]), 1, "{switching}");
        assert_eq!(of(HalfDuplex, &[(0, 1, 4)]), 1, "{switching}");
        assert_eq!(of(HalfDuplex, &[(0, 1, 2)]), 2, "{switching}");
        assert_eq!(of(OneWay, &[(0, 1, 2), (1, 0, 2)]), 1, "{switching}");
        let among = ["p", "q", "r"];
        let beside = [(0, 1, 2), (1, 2, 1)];
        assert_eq!(steps((switching, FullDuplex), &among, &beside, &["p", "q"]), 1, "{switching}");
    }
}

#[test]
fn hosts_of_a_job_exchange_past_others() {
    let vertices = ["a", "b", "c", "d"];
    let links = [(0, 1, 2), (1, 2, 2), (2, 3, 2)];
    let of = (Switching::Wormhole, LinkKind::FullDuplex);
    assert_eq!(steps(of, &vertices, &links, &["a", "d"]), 1);
}

#[test]
fn switches_that_store_add_up() {
    let vertices = ["a", "b", "sw0", "sw1"];
    let links = [(0, 2, 1), (2, 1, 1), (0, 3, 1), (3, 1, 1)];
    let of = (Switching::StoreAndForward, LinkKind::FullDuplex);
    assert_eq!(steps(of, &vertices, &links, &[]), 2);
    // The contributions of three hosts meet at one switch.
    let star = [(0, 3, 3), (1, 3, 3), (2, 3, 3)];
    assert_eq!(steps(of, &["a", "b", "c", "sw0"], &star, &[]), 2);
}
