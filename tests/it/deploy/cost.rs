//! Costs and thresholds, beside figures that are worked out by hand.

use ccsched::deploy::algorithms::ALGORITHMS;
use ccsched::deploy::cost::{Cost, Roads};
use ccsched::network::{LinkKind, Network, NetworkBuilder};
use ccsched::problem::{Collective, Ports, Request};

/// Hosts on leaves, whose links to one spine have this capacity; one leaf is a star.
fn leaves(leaves: u32, hosts: u32, uplink: u32) -> Network {
    let mut net = NetworkBuilder::new("leaves");
    let spine = net.switch("spine");
    for leaf in 0..leaves {
        let switch = net.switch(format!("leaf{leaf}"));
        net.wide_link(switch, spine, LinkKind::FullDuplex, uplink);
        for host in 0..hosts {
            let v = net.terminal(format!("n{}", leaf * hosts + host));
            net.link(v, switch, LinkKind::FullDuplex);
        }
    }
    net.build().unwrap()
}

fn cost(network: &Network, request: &Request, collective: Collective, name: &str) -> Cost {
    let roads = Roads::of(request, network, &[]).unwrap();
    let is_it =
        |a: &&ccsched::deploy::algorithms::Algorithm| a.collective == collective && a.name == name;
    let algorithm = ALGORITHMS.iter().find(is_it).unwrap();
    roads.cost(&(algorithm.steps)(roads.ranks()).unwrap())
}

#[test]
fn costs_on_a_star_are_those_of_the_ports() {
    let (star, request) = (leaves(1, 4, 1), Request::new(Collective::Aas));
    for (collective, name, starts, hops, blocks) in [
        (Collective::Aas, "linear", 3, 2, 3.0),
        (Collective::Aas, "pairwise", 3, 6, 3.0),
        (Collective::Aas, "pairwise-xor", 3, 6, 3.0),
        (Collective::Aas, "bruck", 2, 4, 4.0),
        (Collective::Aab, "linear", 3, 2, 3.0),
        (Collective::Aab, "ring", 3, 6, 3.0),
        (Collective::Aab, "bruck", 2, 4, 3.0),
        (Collective::Aab, "recursive-doubling", 2, 4, 3.0),
        // Three whole vectors of four parts into one port, then out of it.
        (Collective::AllReduce, "linear", 6, 4, 24.0),
        (Collective::AllReduce, "ring", 6, 12, 6.0),
        (Collective::AllReduce, "recursive-doubling", 2, 4, 8.0),
        (Collective::AllReduce, "rabenseifner", 4, 8, 6.0),
        (Collective::ReduceScatter, "linear", 6, 4, 15.0),
        (Collective::ReduceScatter, "recursive-halving", 2, 4, 3.0),
    ] {
        let right = Cost { starts, hops, blocks };
        assert_eq!(cost(&star, &request, collective, name), right, "{collective} {name}");
    }
}

#[test]
fn sends_of_a_step_share_links_and_ports() {
    let request = Request::new(Collective::Aas);
    // Two leaves of two hosts: four blocks cross each way.
    for (name, blocks) in [("linear", 4.0), ("pairwise", 4.0), ("pairwise-xor", 5.0)] {
        let of = cost(&leaves(2, 2, 1), &request, Collective::Aas, name);
        assert_eq!(of.blocks, blocks, "{name}");
    }
    // Capacity 2 carries two blocks in the time of one, and one no faster.
    for (name, blocks) in [("linear", 3.0), ("pairwise", 3.0), ("pairwise-xor", 3.0)] {
        let of = cost(&leaves(2, 2, 2), &request, Collective::Aas, name);
        assert_eq!(of.blocks, blocks, "{name}");
    }
    // Two leaves of four with a link of capacity 2: shifts by 3, 4 and 5 cross it three, four and three
    // times.
    let of = |name| cost(&leaves(2, 4, 2), &request, Collective::Aas, name).blocks;
    assert_eq!((of("linear"), of("pairwise"), of("pairwise-xor")), (8.0, 9.0, 11.0));
    // Rows of processes in another order: every step of the ring crosses.
    let order = ["n0", "n4", "n1", "n5", "n2", "n6", "n3", "n7"].map(String::from).to_vec();
    let mixed = Request { processes: Some(order), ..request.clone() };
    let of = |request| cost(&leaves(2, 4, 2), request, Collective::Aab, "ring").blocks;
    assert_eq!((of(&request), of(&mixed)), (7.0, 14.0));
    // A limit on ports counts as a link.
    let mesh = ccsched::network::spec::parse("ring:4").unwrap();
    let of = |ports| {
        let request = Request { ports: Ports(ports), ..request.clone() };
        cost(&mesh, &request, Collective::Aas, "linear")
    };
    assert_eq!((of(Some(1)).blocks, of(Some(1)).starts, of(None).starts), (3.0, 3, 2));
}
