//! Random cases: all collectives, switchings, ports, routings, capacities, faults and choices of
//! participants, on networks small enough for the exact solver.

use super::case::{Among, Broken, Case, Group, Link, Route, Sent};
use crate::support::tiny;
use ccsched::network::{LinkKind, VertexId, spec};
use ccsched::problem::{Collective, Ports, Routing, Switching};
use ccsched::rng::Rng;
use rand::RngExt;

/// Networks for any routing.
const ANY: &[&str] = &[
    "ring:5",
    "ring:4,half",
    "ring:4,simplex",
    "mesh:2x3",
    "hypercube:2",
    "kautz:2,1",
    "debruijn:2,2",
    "binary-tree:4",
    "omega:4",
    "clos:2,2,2",
    "two-switch:2,1",
    "swiss-t1:1,0,1,0,0,0,0,1",
    "complete:4",
    "complete-bipartite:2,3",
    "full-binary-tree:7",
    "dragonfly:2,1,1",
    "hypercube:3",
    "ring:8",
    "mesh:3x4",
    "torus:3x3",
    "moebius-ladder:8",
    "kautz:2,2",
    "petersen",
];
const GRIDS: &[&str] =
    &["mesh:2x2", "mesh:2x3", "mesh:3x2", "torus:3x2", "ring:4", "ring:5", "hypercube:2", "mesh:4"];
const TREES: &[&str] = &["binary-tree:4", "fat-tree:4", "two-switch:2,2", "clos:2,2,2"];
const DRAGONFLIES: &[&str] = &["dragonfly:2,1,1", "dragonfly:1,2,1"];
/// Routings of messages with one destination; none is that with a file's own routes.
const ROUTINGS: [Option<&str>; 13] = [
    Some("minimal"),
    Some("minimal"),
    Some("slack:1"),
    Some("slack:2"),
    Some("any"),
    Some("updown"),
    Some("destination"),
    Some("balanced"),
    Some("dimension-order"),
    Some("dmodk"),
    Some("lgl"),
    None,
    None,
];
/// Kinds of messages, of which those of all processes come first.
const KINDS: u32 = 11;
pub const SUMS: u32 = 3;
const PERMUTATIONS: [&str; 5] = ["shift:1", "shift:2", "bit-reverse", "transpose", "shift:3"];

fn one_of<T: Copy>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.random_range(0..list.len())]
}

/// One time in `n`.
fn once_in(rng: &mut Rng, n: u32) -> bool {
    rng.random_range(0..n) == 0
}

/// A random case. Some cannot be posed.
pub fn case(rng: &mut Rng) -> Case {
    let sent = rng.random_range(0..KINDS);
    of_kind(rng, sent)
}

/// A random case of a kind. Some cannot be posed.
pub fn of_kind(rng: &mut Rng, sent: u32) -> Case {
    let is_of_all = sent < SUMS + 2;
    let routing = match is_of_all {
        true => Some(one_of(rng, &["minimal", "minimal", "slack:1", "slack:2", "any"])),
        false => one_of(rng, &ROUTINGS),
    };
    let mut case = network(rng, routing);
    case.routing = routing.map(|name| name.parse::<Routing>().expect("the name of a routing"));
    if routing.is_none() {
        case.routes = routes(rng, &case);
        case.routing = once_in(rng, 2).then_some(Routing::Static);
    }
    if once_in(rng, 3) {
        case.links.iter_mut().for_each(|link| link.capacity = rng.random_range(1..=3));
    }
    case.switching = match rng.random_range(0..6) {
        0..3 => Switching::Wormhole,
        3 if sent < SUMS => Switching::Hosts,
        _ => Switching::StoreAndForward,
    };
    case.ports = Ports(one_of(rng, &[None, None, None, Some(1), Some(1), Some(2)]));
    case.sent = messages(rng, &case, sent);
    case.among = among(rng, &case);
    if once_in(rng, 4) {
        let link = rng.random_range(0..case.links.len());
        let is_arc = case.kind == LinkKind::FullDuplex && once_in(rng, 2);
        case.broken.push(if is_arc { Broken::Arc(link) } else { Broken::Link(link) });
    }
    if once_in(rng, 10) {
        case.broken.push(Broken::Vertex(rng.random_range(0..case.vertices.len() as VertexId)));
    }
    case
}

/// An all-to-all on a network that the routing may fit.
fn network(rng: &mut Rng, routing: Option<&str>) -> Case {
    let families = match routing {
        Some("dimension-order") => GRIDS,
        Some("dmodk") => TREES,
        Some("lgl") => DRAGONFLIES,
        _ if once_in(rng, 4) => ANY,
        _ => loop {
            if let Some(case) = Case::on(&tiny::network(rng)) {
                return case;
            }
        },
    };
    let network = spec::parse(one_of(rng, families)).expect("a network of a family");
    let mut case = Case::on(&network).expect("links of one kind");
    // Then it is only nearly of the family.
    if once_in(rng, 3) {
        let all = 0..case.vertices.len() as VertexId;
        let ends = [rng.random_range(all.clone()), rng.random_range(all)];
        case.links.extend((ends[0] != ends[1]).then_some(Link { ends, capacity: 1 }));
    }
    case
}

/// A random simple path for every pair of terminals between which there is one.
fn routes(rng: &mut Rng, case: &Case) -> Vec<Route> {
    let mut routes = Vec::new();
    for from in case.terminals() {
        for to in case.terminals().into_iter().filter(|&to| to != from) {
            let mut hops = Vec::new();
            if path(rng, case, to, &mut vec![from], &mut hops) {
                routes.push(Route { from, to, hops });
            }
        }
    }
    routes
}

/// Continues a path in a random order of the links; returns whether it arrives.
fn path(
    rng: &mut Rng,
    case: &Case,
    to: VertexId,
    been: &mut Vec<VertexId>,
    hops: &mut Vec<(usize, bool)>,
) -> bool {
    let at = been[been.len() - 1];
    if at == to {
        return true;
    }
    let mut ways = Vec::new();
    for (number, link) in case.links.iter().enumerate() {
        let [a, b] = link.ends;
        ways.extend((a == at).then_some((number, false, b)));
        ways.extend((b == at && case.kind != LinkKind::OneWay).then_some((number, true, a)));
    }
    while !ways.is_empty() {
        let (number, back, next) = ways.swap_remove(rng.random_range(0..ways.len()));
        if been.contains(&next) {
            continue;
        }
        been.push(next);
        hops.push((number, back));
        if path(rng, case, to, been, hops) {
            return true;
        }
        been.pop();
        hops.pop();
    }
    false
}

/// Some terminals, at least two if there are as many.
fn some(rng: &mut Rng, case: &Case) -> Vec<VertexId> {
    let mut rest = case.terminals();
    let number = rng.random_range(2..=rest.len().max(2)).min(rest.len());
    (0..number).map(|_| rest.swap_remove(rng.random_range(0..rest.len()))).collect()
}

fn messages(rng: &mut Rng, case: &Case, kind: u32) -> Sent {
    let terminals = case.terminals();
    let rooted = [Collective::Oab, Collective::Oas, Collective::Aog];
    let collectives = [
        Collective::AllReduce,
        Collective::AllReduceWhole,
        Collective::Barrier,
        Collective::Oab,
        Collective::Aab,
        Collective::Oas,
        Collective::Aas,
        Collective::Aog,
    ];
    match kind {
        0..8 => {
            let collective = collectives[kind as usize];
            let has_source = rooted.contains(&collective) && once_in(rng, 2);
            Sent::Collective(collective, has_source.then(|| one_of(rng, &terminals)))
        }
        8 => {
            let number = rng.random_range(1..=8);
            let mut pair = || (one_of(rng, &terminals), one_of(rng, &terminals));
            let mut pairs: Vec<_> = (0..number).map(|_| pair()).collect();
            pairs.retain(|(a, b)| a != b);
            Sent::Pairs(pairs.into_iter().map(|(a, b)| (a, b, rng.random_range(1..=2))).collect())
        }
        9 => {
            let group = |rng: &mut Rng| {
                let members = some(rng, case);
                let collective = one_of(rng, &["alltoall", "scatter", "gather"]);
                let has_root = collective != "alltoall" && once_in(rng, 2);
                let root = has_root.then(|| one_of(rng, &members));
                Group { collective, members, root }
            };
            let first = group(rng);
            let second = once_in(rng, 2).then(|| group(rng));
            Sent::Groups([first].into_iter().chain(second).collect())
        }
        _ => Sent::Permutation(one_of(rng, &PERMUTATIONS).into()),
    }
}

/// The participants, as far as the messages leave a choice.
fn among(rng: &mut Rng, case: &Case) -> Among {
    if matches!(case.sent, Sent::Groups(_)) || once_in(rng, 2) {
        return Among::All;
    }
    if let Sent::Pairs(pairs) = &case.sent {
        // All ends of messages are hosts, and others may be.
        let mut hosts: Vec<VertexId> = pairs.iter().flat_map(|&(a, b, _)| [a, b]).collect();
        hosts.extend(some(rng, case));
        let mut seen = std::collections::HashSet::new();
        hosts.retain(|&v| seen.insert(v));
        return Among::Hosts(hosts);
    }
    let one = |collectives: &[Collective]| matches!(&case.sent, Sent::Collective(c, _) if collectives.contains(c));
    let both = [Collective::AllReduce, Collective::AllReduceWhole, Collective::Barrier];
    if one(&both) || once_in(rng, 2) {
        return Among::Hosts(some(rng, case));
    }
    let mut list = |is_one: bool| (!is_one && !once_in(rng, 3)).then(|| some(rng, case));
    let senders = list(one(&[Collective::Oab, Collective::Oas]));
    Among::Ends([senders, list(one(&[Collective::Aog]))])
}
