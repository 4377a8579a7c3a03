//! All reductions on small problems of all kinds: what the way back makes of a schedule of the inner problem passes
//! `verify`, and is no shorter than the bounds.

use super::{HOSTS, PROCESSES, Reduction, exact};
use crate::construct::{first_fit, reducers, through};
use ccsched_base::rng::rng_of;
use ccsched_bounds as bounds;
use ccsched_model::problem::{Collective, Ports, Problem, Request, Routing, Switching};
use ccsched_model::schedule::Plan;
use ccsched_model::schedule::file::Provenance;
use ccsched_network::processes::{PerNode, place};
use ccsched_network::{ChannelId, Network, VertexId, faults, spec};
use ccsched_verify::verify;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

const NETWORKS: [&str; 8] = [
    "ring:5",
    "mesh:3x2",
    "kautz:2,2",
    "petersen",
    "mesh:3x3,half",
    "ring:6,half",
    "hypercube:3",
    "torus:3x3,width=2",
];

/// The network with this number of processes on every host.
fn with_processes(topology: &str, processes: u32, width: u32) -> Network {
    place(&spec::parse(topology).unwrap(), PerNode { processes, width }).unwrap()
}

/// The network with one host a router.
fn with_hosts(topology: &str, width: u32) -> Network {
    with_processes(topology, 1, width)
}

fn complaints(problem: &Problem, plan: &Plan) -> String {
    let file = plan.record(problem, &[], Provenance::default());
    let complaints = verify(&file).iter().map(|c| format!("{c}; ")).collect::<String>();
    let bound = bounds::all(problem).first().map_or(0, |b| b.steps as usize);
    assert!(plan.len() >= bound, "{} steps, bound {bound}", plan.len());
    complaints
}

/// The channels of a shortest path to each vertex, by vertex.
fn tree(network: &Network, root: VertexId) -> Vec<Vec<ChannelId>> {
    let mut paths: Vec<Option<Vec<ChannelId>>> = vec![None; network.vertices().len()];
    paths[root as usize] = Some(Vec::new());
    let mut queue = VecDeque::from([root]);
    while let Some(v) = queue.pop_front() {
        for &c in network.outgoing(v) {
            let to = network.channel(c).to;
            if paths[to as usize].is_none() {
                let before = paths[v as usize].clone().unwrap();
                paths[to as usize] = Some([before, vec![c]].concat());
                queue.push_back(to);
            }
        }
    }
    paths.into_iter().map(Option::unwrap_or_default).collect()
}

/// A schedule with one transfer a step; of a scatter one by first fit.
fn any_plan(problem: &Problem) -> Plan {
    if problem.collective().content().is_personal() {
        return first_fit::fitted(problem, &mut rng_of(1, 0, 0));
    }
    let (mut plan, mut used) = (Plan::default(), HashSet::new());
    for d in problem.demands() {
        let path = &tree(problem.network(), d.source)[d.destination as usize];
        match problem.switching() {
            Switching::Wormhole | Switching::Hosts => plan.push(plan.len(), d.message, path),
            Switching::StoreAndForward => {
                for &c in path.iter().filter(|&&c| used.insert((d.message, c))) {
                    plan.push(plan.len(), d.message, [c]);
                }
            }
        }
    }
    plan
}

/// All small problems on a network.
fn problems(network: &Network) -> Vec<Arc<Problem>> {
    let mut problems = Vec::new();
    let table = "dimension-order".parse().unwrap();
    for collective in [Collective::Aas, Collective::Oas, Collective::Aog, Collective::Aab] {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            for ports in [None, Some(1), Some(2)] {
                for routing in [Routing::Minimal, Routing::Slack(1), table] {
                    let ports = Ports(ports);
                    let request = Request { switching, ports, routing, ..Request::new(collective) };
                    let cut = Request { pieces: 2, ..request.clone() };
                    // Some networks have no routes in the order of dimensions.
                    for request in [request, cut] {
                        problems.extend(request.pose(network.clone(), vec![]).map(Arc::new));
                    }
                }
            }
        }
    }
    problems
}

fn told(problem: &Problem) -> String {
    let (network, collective, switching, ports, routing) = (
        problem.network(),
        problem.collective(),
        problem.switching(),
        problem.ports(),
        problem.routing(),
    );
    format!("{} {collective} {switching} {ports:?} {routing}", network.name())
}

#[test]
fn the_way_back_from_any_schedule_is_valid() {
    let mut made = vec![0; reducers().count()];
    for topology in NETWORKS {
        let whole = spec::parse(topology).unwrap();
        let networks = [
            faults::apply(&whole, &[0], &[]).unwrap(),
            whole,
            with_hosts(topology, 1),
            with_hosts(topology, 2),
            with_processes(topology, 2, 1),
            with_processes(topology, 2, 8),
        ];
        for problem in networks.iter().flat_map(problems) {
            for (made, row) in made.iter_mut().zip(reducers()) {
                let Some(reduction) = (row.of)(&problem) else { continue };
                let plan = reduction.plan(any_plan(reduction.inner()));
                let is_scatter = problem.collective().content().is_personal();
                let plan = match is_scatter && problem.switching().holds_paths() {
                    true => first_fit::completed(&problem, plan),
                    false => plan,
                };
                assert_eq!(complaints(&problem, &plan), "", "{}: {}", row.name, told(&problem));
                *made += 1;
            }
        }
    }
    let none: Vec<_> = reducers().zip(&made).filter(|(_, made)| **made == 0).collect();
    // Turns are for large problems; they have tests of their own.
    assert!(none.len() <= 1, "{:?}", none.iter().map(|(row, _)| row.name).collect::<Vec<_>>());
}

#[test]
fn hosts_take_the_steps_of_their_routers() {
    for (topology, most) in [("mesh:8x8", 128), ("hypercube:5", 32), ("torus:4x4", 16)] {
        let problem = Request::new(Collective::Aas).pose(with_hosts(topology, 1), vec![]).unwrap();
        let problem = Arc::new(problem);
        let (plan, _) = through(&HOSTS, &problem, &rng_of(1, 0, 2)).unwrap();
        assert_eq!(complaints(&problem, &plan), "", "{topology}");
        assert!(plan.len() <= most, "{topology}: {}", plan.len());
    }
}

#[test]
fn processes_take_the_steps_of_their_hosts_in_turns() {
    let hosts = [
        ("fat-tree:8", 2, 4 * 7),
        ("fat-tree:16", 3, 9 * 15),
        ("fat-tree:4", 4, 16 * 3),
        // A router sends up to four messages in a step, of as many processes.
        ("torus:4x4", 4, 16 * 8),
        // It could, but has two ports.
        ("mesh:4x4", 2, 4 * 16),
    ];
    for (topology, processes, steps) in hosts {
        let network = with_processes(topology, processes, 1);
        let problem = Arc::new(Request::new(Collective::Aas).pose(network, vec![]).unwrap());
        let (plan, _) = through(&PROCESSES, &problem, &rng_of(1, 0, 2)).unwrap();
        assert_eq!(complaints(&problem, &plan), "", "{topology}");
        assert_eq!(plan.len(), steps, "{topology}");
    }
}

#[test]
fn exact_reductions_compose() {
    let network = with_processes("ring:4", 2, 1);
    let problem = Arc::new(Request::new(Collective::Aas).pose(network, vec![]).unwrap());
    let switches = exact(&problem).unwrap();
    let repeated =
        super::Repeated::at_most(6, switches.inner()).expect("all pairs have two messages");
    let plan = switches.plan(repeated.plan(any_plan(repeated.inner())));
    assert_eq!(complaints(&problem, &plan), "");
}
