//! Random tiny problems: a few terminals, sometimes a switch, a few links of all kinds.

use ccsched::network::{LinkKind, Network, NetworkBuilder};
use ccsched::problem::{
    Collective, Direction, Group, Pair, Ports, Problem, Relays, Request, Roots, Routing, Switching,
};
use ccsched::rng::Rng;
use rand::RngExt;
use rand::seq::SliceRandom;
use std::sync::Arc;

/// A random problem of that collective; most rules of the model can occur.
pub fn problem(rng: &mut Rng, collective: Collective) -> Arc<Problem> {
    if collective.is_of_groups() && collective != Collective::Scan {
        let switching = [Switching::Wormhole, Switching::StoreAndForward][rng.random_range(0..2)];
        return match collective {
            Collective::Groups => groups(rng, switching),
            _ => groups_of(rng, sums_in(collective), switching),
        };
    }
    loop {
        let network = network(rng);
        let mut request = Request::new(collective);
        let names: Vec<String> =
            network.terminals().map(|v| network.vertex_name(v).to_string()).collect();
        if rng.random_range(0..2) == 0 {
            request.switching = Switching::StoreAndForward;
        }
        if rng.random_range(0..3) == 0 {
            request.ports = Ports(Some(1));
        }
        if rng.random_range(0..3) == 0 {
            request.routing = Routing::Slack(1);
        }
        if collective == Collective::Traffic {
            request.pairs = Some(pairs(rng, &names));
        }
        let rooted = collective.roots() == Roots::One;
        let has_one = |direction| rooted && collective.direction() == direction;
        if rooted && rng.random_range(0..2) == 0 {
            request.source = Some(names[rng.random_range(0..names.len())].clone());
        }
        let has_lists = request.pairs.is_none();
        if has_lists && !has_one(Direction::FromRoots) && rng.random_range(0..3) == 0 {
            request.senders = Some(some(rng, &names));
        }
        if has_lists && !has_one(Direction::ToRoots) && rng.random_range(0..3) == 0 {
            request.receivers = Some(some(rng, &names));
        }
        // Some networks are not connected, and some requests ask for nothing.
        if let Ok(problem) = request.pose(network, vec![]) {
            return Arc::new(problem);
        }
    }
}

/// A random problem of a job on some terminals, named in any order; with store-and-forward switching
/// the others sometimes relay.
pub fn of_some(rng: &mut Rng, collective: Collective, switching: Switching) -> Arc<Problem> {
    loop {
        let network = network(rng);
        let all = network.terminals().map(|v| network.vertex_name(v).to_string());
        let mut members: Vec<String> = all.filter(|_| rng.random_range(0..5) > 1).collect();
        if members.len() < 2 || members.len() == network.terminals().count() {
            continue;
        }
        members.shuffle(rng);
        let may_relay = switching != Switching::Wormhole;
        let mut request = Request {
            switching,
            relays: if may_relay && rng.random() { Relays::All } else { Relays::None },
            ports: if rng.random_range(0..3) == 0 { Ports(Some(1)) } else { Ports(None) },
            routing: if rng.random_range(0..3) == 0 { Routing::Slack(1) } else { Routing::Minimal },
            ..Request::new(collective)
        };
        if collective == Collective::Traffic {
            request.pairs = Some(pairs(rng, &members));
        } else if collective.roots() == Roots::One {
            request.source = Some(members[0].clone());
        } else if rng.random_range(0..3) == 0 {
            request.senders = Some(some(rng, &members));
        }
        // Members that are neither senders nor receivers take part as well.
        request.processes = Some(members);
        if let Ok(problem) = request.pose(network, vec![]) {
            return Arc::new(problem);
        }
    }
}

/// A random problem of one to three groups on some terminals, which may be members of several; with
/// store-and-forward switching other terminals sometimes relay.
pub fn groups(rng: &mut Rng, switching: Switching) -> Arc<Problem> {
    const OF: [Collective; 5] =
        [Collective::Oab, Collective::Aab, Collective::Oas, Collective::Aas, Collective::Aog];
    groups_of(rng, &OF, switching)
}

/// The collectives of groups with sums of this kind: reductions, or all-reduces.
fn sums_in(groups: Collective) -> &'static [Collective] {
    match groups {
        Collective::ReduceGroups => &[Collective::Reduce, Collective::ReduceScatter],
        _ => &[Collective::AllReduce],
    }
}

/// Some groups of these collectives side by side.
pub fn groups_of(rng: &mut Rng, of: &[Collective], switching: Switching) -> Arc<Problem> {
    loop {
        let network = network(rng);
        let names: Vec<String> =
            network.terminals().map(|v| network.vertex_name(v).to_string()).collect();
        let mut groups = Vec::new();
        for _ in 0..rng.random_range(1..=3) {
            let collective = of[rng.random_range(0..of.len())];
            let mut members = some(rng, &names);
            members.shuffle(rng);
            let is_rooted = collective.roots() == Roots::One;
            let root = members.first().filter(|_| is_rooted).cloned();
            groups.push(Group { collective, members, root, bytes: None });
        }
        let Ok(together) = Group::beside(&groups) else { continue };
        let may_relay = switching == Switching::StoreAndForward;
        let request = Request {
            switching,
            groups: Some(groups),
            relays: if may_relay && rng.random() { Relays::All } else { Relays::None },
            ports: if rng.random_range(0..3) == 0 { Ports(Some(1)) } else { Ports(None) },
            routing: if rng.random_range(0..3) == 0 { Routing::Slack(1) } else { Routing::Minimal },
            pieces: if rng.random_range(0..6) == 0 { 2 } else { 1 },
            ..Request::new(together)
        };
        // Some groups have no members, or members that do not reach each other.
        if let Ok(problem) = request.pose(network, vec![]) {
            return Arc::new(problem);
        }
    }
}

/// A few messages; several may have the same ends.
fn pairs(rng: &mut Rng, names: &[String]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for _ in 0..rng.random_range(1..=8) {
        let [source, destination] = [(); 2].map(|()| rng.random_range(0..names.len()));
        if source != destination {
            let [source, destination] = [source, destination].map(|i| names[i].clone());
            let count = rng.random_range(1..=2);
            pairs.push(Pair { source, destination, bytes: None, count });
        }
    }
    pairs
}

fn some(rng: &mut Rng, names: &[String]) -> Vec<String> {
    names.iter().filter(|_| rng.random_range(0..3) > 0).cloned().collect()
}

/// 2 to 5 terminals and up to 2 switches in random order, in a random tree or a one-way ring, and
/// up to 3 more links, which may be parallel to others.
pub fn network(rng: &mut Rng) -> Network {
    let (terminals, switches) = (rng.random_range(2..=5), rng.random_range(0..=2) / 2 * 2);
    let switches = if switches > 0 { rng.random_range(1..=2) } else { 0 };
    let mut network = NetworkBuilder::new("tiny");
    let mut left = (terminals, switches);
    let mut n = 0;
    while left.0 + left.1 > 0 {
        let is_terminal = rng.random_range(0..left.0 + left.1) < left.0;
        network.vertex(format!("{}{n}", if is_terminal { "t" } else { "s" }), is_terminal);
        *(if is_terminal { &mut left.0 } else { &mut left.1 }) -= 1;
        n += 1;
    }
    let kind =
        [LinkKind::FullDuplex, LinkKind::HalfDuplex, LinkKind::OneWay][rng.random_range(0..3)];
    let mixed = rng.random_range(0..4) == 0;
    for v in 0..n {
        if kind == LinkKind::OneWay {
            network.link(v, (v + 1) % n, kind);
        } else if v > 0 {
            network.link(rng.random_range(0..v), v, kind);
        }
    }
    for _ in 0..rng.random_range(0..=3) {
        let (a, b) = (rng.random_range(0..n), rng.random_range(0..n));
        if a != b {
            network.link(a, b, if mixed { LinkKind::OneWay } else { kind });
        }
    }
    network.build().expect("a network of this form is sound")
}
