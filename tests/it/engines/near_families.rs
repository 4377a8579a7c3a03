//! Networks that are nearly of a family: with a link more, or one less. A constructor that mistakes
//! them for the family would use longer paths, or missing channels.

use crate::support::at_once::posed;
use crate::support::checked::complaints_with;
use ccsched::engines::construct;
use ccsched::network::{LinkKind, Network, NetworkBuilder, VertexId, spec};
use ccsched::problem::{Collective, Ports, Request, Switching};
use ccsched::rng::rng_of;

const FAMILIES: &[&str] = &[
    "ring:4",
    "ring:7",
    "ring:10",
    "mesh:10",
    "mesh:2x6",
    "mesh:4x4",
    "torus:3x5",
    "torus:4x4",
    "hypercube:3",
    "hypercube:4",
    "moebius-ladder:10",
    "kautz:2,2",
    "complete-bipartite:3,3",
    "full-binary-tree:7",
    "fat-tree:8",
    "dragonfly:2,1,1",
];

/// The network without the link of a number, if there is one, and with a link between a pair.
fn changed(network: &Network, gone: Option<usize>, pair: Option<(VertexId, VertexId)>) -> Network {
    let mut builder = NetworkBuilder::new(network.name());
    for vertex in network.vertices() {
        builder.vertex(vertex.name.clone(), vertex.terminal);
    }
    let links = (0..).zip(network.channels());
    let links = links.filter(|(id, c)| c.reverse.is_none_or(|reverse| id < &reverse));
    for (_, (_, c)) in links.enumerate().filter(|(number, _)| Some(*number) != gone) {
        builder.wide_link(c.from, c.to, c.kind(), c.capacity);
    }
    if let Some((a, b)) = pair {
        builder.link(a, b, network.channels().first().map_or(LinkKind::FullDuplex, |c| c.kind()));
    }
    builder.build().expect("a link more or less does no harm")
}

/// Links between vertices of different distances, from the first vertex and from one in the middle.
fn pairs(network: &Network) -> Vec<(VertexId, VertexId)> {
    let all = network.vertices().len() as VertexId;
    let others = |v: VertexId| (0..all).filter(move |&w| w != v).map(move |w| (v, w));
    others(0).chain(others(all / 2)).collect()
}

#[test]
fn a_network_that_is_nearly_of_a_family_is_not_taken_for_it() {
    let mut wrong = String::new();
    let mut made = 0;
    for topology in FAMILIES {
        let whole = spec::parse(topology).unwrap();
        let more = pairs(&whole).into_iter().map(|pair| changed(&whole, None, Some(pair)));
        let links = [0, 1, whole.channels().len() / 4];
        let fewer = links.into_iter().map(|gone| changed(&whole, Some(gone), None));
        let moved = changed(&whole, Some(1), pairs(&whole).last().copied());
        for network in more.chain(fewer).chain([moved]) {
            for (collective, switching, ports) in [
                (Collective::Oab, Switching::Wormhole, None),
                (Collective::Aab, Switching::Wormhole, None),
                (Collective::Aab, Switching::StoreAndForward, Some(1)),
                (Collective::Oas, Switching::StoreAndForward, None),
                (Collective::Aas, Switching::Wormhole, None),
                (Collective::Aas, Switching::Wormhole, Some(1)),
                (Collective::Aas, Switching::StoreAndForward, None),
            ] {
                let ports = Ports(ports);
                let request = Request { switching, ports, ..Request::new(collective) };
                // Without a link, some parts may be cut off.
                if request.pose(network.clone(), vec![]).is_err() {
                    continue;
                }
                let problem = posed(network.clone(), request);
                for name in construct::names() {
                    let plan = construct::named(name, &problem, &rng_of(1, 0, 2));
                    let Some(plan) = plan else { continue };
                    made += 1;
                    let complaints = complaints_with(&problem, &plan, &[]);
                    if let Some(first) = complaints.lines().next() {
                        wrong += &format!("{name}: {topology} {collective} {switching}: {first}\n");
                    }
                }
            }
        }
    }
    assert_eq!(wrong, "");
    assert!(made > 1000, "only {made} schedules");
}
