//! Participants: the processes of a request, and the role of the others.

use ccsched::network::{Network, VertexId, spec};
use ccsched::problem::{Collective, Pair, Problem, Relays, Request, Switching};
use ccsched::schedule::file::Provenance;
use ccsched::schedule::{Plan, resolve};

fn names(list: &[&str]) -> Option<Vec<String>> {
    Some(list.iter().map(|name| name.to_string()).collect())
}

fn ring() -> Network {
    spec::parse("ring:6").unwrap()
}

fn stored(collective: Collective) -> Request {
    Request { switching: Switching::StoreAndForward, ..Request::new(collective) }
}

/// The processes of a problem, which are the same after it was written and read.
fn processes(problem: &Problem) -> Vec<VertexId> {
    let terminals: Vec<VertexId> = problem.network().terminals().collect();
    let mut sorted = problem.processes().to_vec();
    sorted.sort_unstable();
    if problem.request().relays == Relays::None {
        assert_eq!(terminals, sorted);
    }
    let again = problem.request().pose(problem.network().clone(), vec![]).unwrap();
    assert_eq!((again.network(), again.processes()), (problem.network(), problem.processes()));
    let file = Plan::default().record(problem, &[], Provenance::default());
    let (read, _) = resolve(&file).unwrap();
    assert_eq!(read.processes(), problem.processes());
    assert_eq!(read.request().relays, problem.request().relays);
    assert_eq!(read.network().terminals().collect::<Vec<_>>(), terminals);
    problem.processes().to_vec()
}

#[test]
fn senders_and_receivers_take_part_in_the_order_that_is_given() {
    let posed = |request: Request| processes(&request.pose(ring(), vec![]).unwrap());
    let aab = || Request::new(Collective::Aab);
    assert_eq!(posed(aab()), [0, 1, 2, 3, 4, 5]);
    let receivers = names(&["1", "5"]);
    assert_eq!(posed(Request { receivers, ..Request::new(Collective::Oab) }), [0, 1, 5]);
    let (senders, receivers) = (names(&["4", "2"]), names(&["5", "2"]));
    assert_eq!(posed(Request { senders, receivers, ..aab() }), [2, 4, 5]);
    let some = names(&["4", "2", "3"]);
    assert_eq!(posed(Request { processes: some.clone(), ..aab() }), [4, 2, 3]);
    // Pairs determine the messages, not the participants.
    let pair = Pair { source: "2".into(), destination: "4".into(), bytes: None, count: 1 };
    let traffic = Request { pairs: Some(vec![pair]), ..Request::new(Collective::Traffic) };
    assert_eq!(posed(traffic.clone()), [0, 1, 2, 3, 4, 5]);
    assert_eq!(posed(Request { processes: some, ..traffic.clone() }), [4, 2, 3]);
    let lacking = Request { processes: names(&["2", "3"]), ..traffic };
    let why = lacking.pose(ring(), vec![]).unwrap_err().to_string();
    assert!(why.contains("'4' sends or receives, and is none of those"), "{why}");
}

#[test]
fn nothing_passes_the_others_unless_they_relay() {
    let some = || names(&["0", "1", "2"]);
    let request = Request { processes: some(), ..stored(Collective::Aas) };
    let problem = request.pose(ring(), vec![]).unwrap();
    assert_eq!(processes(&problem), [0, 1, 2]);
    assert_eq!(problem.network().channels().len(), 4);
    assert_eq!(problem.network().vertices().len(), 6);
    let relayed = Request { relays: Relays::All, ..request.clone() };
    let problem = relayed.pose(ring(), vec![]).unwrap();
    assert_eq!(processes(&problem), [0, 1, 2]);
    assert_eq!(problem.network(), &ring());
    let apart = Request { processes: names(&["0", "2"]), ..request };
    let why = apart.pose(ring(), vec![]).unwrap_err().to_string();
    assert!(why.starts_with("relays: ") && why.contains("1, 3, 4, 5"), "{why}");
    assert!(Request { relays: Relays::All, ..apart }.pose(ring(), vec![]).is_ok());
    let useless = Request { relays: Relays::All, ..Request::new(Collective::Aas) };
    let why = useless.pose(ring(), vec![]).unwrap_err().to_string();
    assert!(why.starts_with("relays: all is for store-and-forward"), "{why}");
}

#[test]
fn routes_by_rule_do_not_depend_on_the_participants() {
    for (topology, routing) in [("dragonfly:3,2,1", "lgl"), ("fat-tree:8", "dmodk")] {
        let network = spec::parse(topology).unwrap();
        let all: Vec<VertexId> = network.terminals().collect();
        let some: Vec<String> =
            all.iter().step_by(3).map(|&v| network.vertex_name(v).to_string()).collect();
        let routing = routing.parse().unwrap();
        let whole = Request { routing, ..Request::new(Collective::Aas) };
        let whole = whole.pose(network.clone(), vec![]).unwrap();
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            let request = Request {
                routing,
                switching,
                processes: Some(some.clone()),
                ..Request::new(Collective::Aas)
            };
            let part = request.pose(network.clone(), vec![]).unwrap();
            processes(&part);
            let path = |problem: &Problem, from, to| -> Vec<VertexId> {
                let route = problem.fixed_route(from, to).unwrap();
                route.iter().map(|&c| problem.network().channel(c).to).collect()
            };
            // A table is made for the rest, in which hosts have other numbers.
            let is_kept = switching == Switching::Wormhole || topology.starts_with("dragonfly");
            for d in part.demands().iter().filter(|_| is_kept) {
                let [a, b] = [&whole, &part].map(|problem| path(problem, d.source, d.destination));
                assert_eq!(a, b, "{topology}");
            }
        }
    }
}
