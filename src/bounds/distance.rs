//! Total distance over channels: the channels that all deliveries need, over those that a step
//! offers (umda-diameter-degree-networks, section 3: the sum of shortest paths over P d).

use super::lengths::Lengths;
use super::{Bound, Evidence, load, sums};
use ccsched_model::problem::{Content, Problem, Switching};
use ccsched_network::metrics::{distances_from, two_nearest};
use ccsched_network::{Network, VertexId};

pub fn bound(problem: &Problem, lengths: &Lengths) -> Option<Bound> {
    let work = match problem.collective().content() {
        Content::Common if problem.groups().is_some() => grouped_work(problem),
        Content::Common => broadcast_work(problem),
        Content::Personal => lengths.total(),
    };
    Some(Bound {
        name: "distance",
        steps: load::steps(work, at_once(problem)),
        evidence: Evidence::Nothing,
    })
}

/// The channels that all transfers take together at least, where terminals make all copies and sums and messages
/// have no lengths. Of an all-reduce each part takes a transfer for each process but one to be complete
/// somewhere, and as many to be everywhere.
pub fn least_channels(problem: &Problem) -> u64 {
    if !problem.collective().is_all_reduce() {
        return broadcast_work(problem);
    }
    let nearest = nearest_terminals(problem.network());
    let nearest = problem.receivers().iter().map(|&v| nearest[v as usize]).min().unwrap_or(0);
    2 * sums::parts(problem) * (problem.receivers().len() as u64 - 1) * u64::from(nearest)
}

/// Channel crossings in a step. With store-and-forward switching, each takes a port at both ends.
fn at_once(problem: &Problem) -> usize {
    let links = problem.resources().capacity_of_links();
    if problem.switching().holds_paths() {
        return links;
    }
    let vertices = || 0..problem.network().vertices().len() as VertexId;
    let sent = vertices().map(|v| problem.sends_at_once(v)).sum();
    let received = vertices().map(|v| problem.receives_at_once(v)).sum();
    links.min(sent).min(received)
}

/// Every delivery of a broadcast takes at least the distance from the nearest terminal, which may
/// have the message; one channel with store-and-forward, where every vertex can keep the message.
fn broadcast_work(problem: &Problem) -> u64 {
    let nearest = match problem.switching() {
        Switching::StoreAndForward => vec![1; problem.network().vertices().len()],
        Switching::Wormhole | Switching::Hosts => nearest_terminals(problem.network()),
    };
    let mut messages = vec![problem.senders().len() as u64; nearest.len()];
    problem.senders().iter().for_each(|&s| messages[s as usize] -= 1);
    let of_receiver = |&v: &VertexId| u64::from(nearest[v as usize]) * messages[v as usize];
    problem.receivers().iter().map(of_receiver).sum::<u64>() * u64::from(problem.pieces())
}

/// The same of groups, where a message with one destination goes all of its distance. Others come at
/// least from the nearest terminal.
fn grouped_work(problem: &Problem) -> u64 {
    let nearest = match problem.switching() {
        Switching::StoreAndForward => vec![1; problem.network().vertices().len()],
        Switching::Wormhole | Switching::Hosts => nearest_terminals(problem.network()),
    };
    let mut work = 0;
    for of_source in problem.demands().chunk_by(|a, b| a.source == b.source) {
        let distance = distances_from(problem.network(), of_source[0].source);
        for of_message in of_source.chunk_by(|a, b| a.message == b.message) {
            let from = if of_message.len() == 1 { &distance } else { &nearest };
            work += of_message.iter().map(|d| u64::from(from[d.destination as usize])).sum::<u64>();
        }
    }
    work
}

/// The distance to every vertex from the nearest terminal that is another vertex; 0 if there is none.
fn nearest_terminals(network: &Network) -> Vec<u32> {
    let terminals: Vec<VertexId> = network.terminals().collect();
    let found = two_nearest(network, &terminals, |v| network.heads(v));
    let of_vertex = |(v, found): (VertexId, &[Option<(u32, VertexId)>; 2])| {
        let other = found.iter().flatten().find(|(_, terminal)| *terminal != v);
        other.map_or(0, |&(distance, _)| distance)
    };
    (0..).zip(&found).map(of_vertex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Ports, Request};
    use ccsched_network::metrics::{UNREACHABLE, distances_to};
    use ccsched_network::spec;

    #[test]
    fn every_hop_of_a_message_that_stops_takes_ports() {
        let steps = |switching, ports| {
            let request =
                Request { switching, ports: Ports(ports), ..Request::new(Collective::Aas) };
            let problem = request.pose(spec::parse("torus:5x5").unwrap(), vec![]).unwrap();
            bound(&problem, &Lengths::of(&problem)).unwrap().steps
        };
        // 24 messages of 60 hops from each vertex, over 4 channels.
        let [wormhole, stored] = [Switching::Wormhole, Switching::StoreAndForward];
        assert_eq!(
            [steps(stored, None), steps(stored, Some(1)), steps(stored, Some(3))],
            [15, 60, 20]
        );
        assert_eq!(steps(wormhole, Some(1)), 15);
    }

    #[test]
    fn the_nearest_terminal_is_that_of_a_search_from_each_vertex() {
        for name in ["petersen", "fat-tree:16", "full-binary-tree:15", "omega:8", "kautz:2,3"] {
            let network = spec::parse(name).unwrap();
            let nearest = nearest_terminals(&network);
            for v in 0..network.vertices().len() as VertexId {
                let distance = distances_to(&network, v);
                let others = network.terminals().filter(|&u| u != v).map(|u| distance[u as usize]);
                let least = others.min().filter(|&d| d != UNREACHABLE).unwrap_or(0);
                assert_eq!(nearest[v as usize], least, "{name}, vertex {v}");
            }
        }
    }
}
