//! Reversed networks and schedules: two reversals cancel out; a reversed scatter is a gather.

use crate::support::tiny;
use ccsched::network::{Network, spec};
use ccsched::problem::{Collective, Problem, Request, Switching};
use ccsched::rng::rng_of;
use ccsched::schedule::Plan;
use ccsched::schedule::file::Provenance;
use ccsched::verify::verify;
use ccsched::{Options, solve};
use std::sync::Arc;

#[test]
fn reversed_twice_is_the_same() {
    let mut rng = rng_of(81, 0, 0);
    let mut networks: Vec<Network> = ["swiss-t1", "mesh:3x3,half", "kautz:2,3", "omega:8"]
        .map(|s| spec::parse(s).unwrap())
        .into();
    for _ in 0..100 {
        networks.push(tiny::problem(&mut rng, Collective::Aas).network().clone());
    }
    for network in networks {
        let reversed = network.reversed();
        assert_eq!(reversed.reversed(), network);
        for (c, (there, back)) in network.channels().iter().zip(reversed.channels()).enumerate() {
            assert_eq!((there.from, there.to), (back.to, back.from));
            assert_eq!((there.reverse, there.excludes()), (back.reverse, back.excludes()));
            assert!(reversed.outgoing(there.to).contains(&(c as u32)));
            assert!(reversed.incoming(there.from).contains(&(c as u32)));
        }
        for (from, to, route) in network.routes().iter() {
            let mut turned = reversed.routes().get(to, from).unwrap_or_default().to_vec();
            turned.reverse();
            assert_eq!(turned, route);
        }
    }
}

fn scheduled(problem: &Arc<Problem>) -> Arc<Plan> {
    let mut options = Options::default();
    options.limits.iterations = 200;
    let plan = solve(problem, &options).unwrap().plan;
    plan.expect("a scatter of a few messages is found")
}

#[test]
fn a_reversed_scatter_is_a_gather_and_vice_versa() {
    let oas = Request::new(Collective::Oas);
    let mut tried = 0;
    for topology in ["kautz:2,2", "mesh:3x3,half", "ring:5,simplex", "fat-tree:4", "complete:4"] {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            let gather = Request { switching, ..Request::new(Collective::Aog) };
            let scatter = Request { switching, ..oas.clone() };
            let network = spec::parse(topology).unwrap();
            let there = Arc::new(scatter.pose(network.reversed(), vec![]).unwrap());
            let back = Arc::new(gather.pose(network, vec![]).unwrap());
            let plan = scheduled(&there);
            assert_eq!(plan.reversed().reversed(), *plan);
            for (problem, plan) in [(&back, plan.reversed()), (&there, scheduled(&back).reversed())]
            {
                let file = plan.record(problem, &[], Provenance::default());
                assert_eq!(verify(&file), vec![], "{topology} {switching}");
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 20);
}
