//! Values that the types allow but the model does not are refused with a reason, never a panic.

use ccsched::network::{LinkKind, NetworkBuilder, spec};
use ccsched::problem::{Collective, Pair, Ports, Request, Routing, Switching};

/// The reason why a request is refused on a small network with terminals and switches.
fn why(request: &Request) -> String {
    let network = spec::parse("fat-tree:4").unwrap();
    request.pose(network, vec![]).map(|_| ()).expect_err("it is refused").to_string()
}

#[test]
fn numbers_out_of_range_are_refused_for_every_collective() {
    for collective in Collective::all() {
        let request = Request::new(collective);
        let none = why(&Request { ports: Ports(Some(0)), ..request.clone() });
        assert!(none.contains("with 0 ports"), "{none}");
        for slack in [65, u32::MAX] {
            let far = why(&Request { routing: Routing::Slack(slack), ..request.clone() });
            assert!(far.contains("from 0 to 64"), "{far}");
        }
    }
}

#[test]
fn the_largest_allowed_numbers_are_posed_and_bounded() {
    for collective in Collective::all().filter(|c| !c.is_of_groups()) {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            let request = Request {
                switching,
                ports: Ports(Some(u32::MAX)),
                routing: Routing::Slack(64),
                ..Request::new(collective)
            };
            let problem = request.pose(spec::parse("ring:4").unwrap(), vec![]).unwrap();
            assert!(!ccsched::bounds::all(&problem).is_empty(), "{collective}");
        }
    }
}

#[test]
fn impossible_ends_are_refused() {
    let some = |names: &[&str]| Some(names.iter().map(|n| n.to_string()).collect::<Vec<String>>());
    for collective in [Collective::Aab, Collective::Aas, Collective::Traffic] {
        let request = Request::new(collective);
        assert!(why(&Request { senders: Some(vec![]), ..request.clone() }).contains("nothing"));
        let receivers = some(&["0"]);
        let to_itself = Request { senders: some(&["0"]), receivers, ..request.clone() };
        assert!(why(&to_itself).contains("nothing"));
        assert!(why(&Request { senders: some(&["s0.0"]), ..request.clone() }).contains("switch"));
        assert!(why(&Request { receivers: some(&["1", "1"]), ..request }).contains("twice"));
    }
    for collective in [Collective::Oab, Collective::Oas, Collective::Aog] {
        let rooted =
            |source: &str| Request { source: Some(source.to_string()), ..Request::new(collective) };
        assert!(why(&rooted("s0.0")).contains("switch"));
        assert!(why(&rooted("nowhere")).contains("no vertex"));
    }
    let endless =
        Pair { source: "0".into(), destination: "1".into(), bytes: None, count: u32::MAX };
    for pairs in [vec![], vec![endless; 5]] {
        let traffic = Request { pairs: Some(pairs), ..Request::new(Collective::Traffic) };
        assert!(!why(&traffic).is_empty());
    }
}

#[test]
fn a_builder_refuses_unknown_vertices_and_channels() {
    let two = || {
        let mut net = NetworkBuilder::new("two");
        net.terminal("a");
        net.terminal("b");
        net
    };
    let mut builders = [two(), two(), two(), two()];
    builders[0].link(0, 2, LinkKind::FullDuplex);
    builders[1].place(7, 0.0, 0.0);
    builders[2].route(0, u32::MAX, &[]);
    builders[3].duplex(0, 1);
    builders[3].route(0, 1, &[5]);
    let said = builders.map(|net| net.build().expect_err("it is refused").to_string());
    for (text, why) in said.iter().zip(["vertex 2", "vertex 7", "vertex 4294967295", "channel 5"]) {
        assert!(text.contains(why), "'{text}' does not say '{why}'");
    }
}
