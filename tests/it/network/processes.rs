//! Several processes on every host.

use ccsched::bounds;
use ccsched::network::processes::{PerNode, place};
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, Routing};

#[test]
fn the_link_of_a_host_is_the_bottleneck_of_its_processes() {
    // Each of two processes sends 6 messages to other hosts over the one link of its host.
    let net = spec::parse("complete-bipartite:1,4").unwrap();
    let star = spec::parse("fat-tree:4").unwrap();
    for (net, least) in [(star, 12), (net, 16)] {
        let two = place(&net, PerNode { processes: 2, width: 1 }).unwrap();
        let problem = Request::new(Collective::Aas).pose(two, vec![]).unwrap();
        assert!(bounds::all(&problem)[0].steps >= least, "{}", net.name());
    }
}

#[test]
fn static_routes_become_those_of_the_processes() {
    let net = spec::parse("swiss-t1").unwrap();
    let routes = net.routes().iter().count();
    assert!(routes > 0);
    let two = place(&net, PerNode { processes: 2, width: 2 }).unwrap();
    assert_eq!(two.routes().iter().count(), 4 * routes, "hosts send or receive, none does both");
    let request = Request { routing: Routing::Static, ..Request::new(Collective::Aas) };
    let demands = |net| request.pose(net, vec![]).unwrap().demands().len();
    assert_eq!(demands(two), 4 * demands(net));
}
