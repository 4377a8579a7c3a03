//! Recognises weights of the congestion bound that express a known argument: total distance
//! (umda-diameter-degree-networks, section 3), a port, a cut (umda-multistage-networks, section 3).
//! Any other weights combine several bottlenecks.

use ccsched_model::problem::{Problem, ResourceId};
use ccsched_network::{ChannelId, Network, VertexId};

/// The known argument that the weights of resources express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// All links weigh the same: total distance over channels.
    Distance,
    /// A terminal's limit on sending.
    SendPort(VertexId),
    /// A terminal's limit on receiving.
    ReceivePort(VertexId),
    /// All links out of a vertex.
    LinksOut(VertexId),
    /// All links into a vertex.
    LinksInto(VertexId),
    /// All links between a vertex and the rest, half duplex.
    LinksOf(VertexId),
    /// The channels from these vertices to the rest.
    CutFrom(Vec<VertexId>),
    /// The channels from the rest to these vertices.
    CutInto(Vec<VertexId>),
    /// The half-duplex links between these vertices and the rest.
    CutAround(Vec<VertexId>),
    /// Several bottlenecks together.
    Combined,
}

/// The known argument that `weights`, one for every resource of the problem, express.
pub fn meaning(problem: &Problem, weights: &[u64]) -> Meaning {
    let heavy: Vec<ResourceId> =
        (0..).zip(weights).filter(|(_, w)| **w > 0).map(|(id, _)| id).collect();
    let Some(&first) = heavy.first() else { return Meaning::Combined };
    if heavy.iter().any(|&r| weights[r as usize] != weights[first as usize]) {
        return Meaning::Combined;
    }
    let links = problem.resources().links();
    let ports = heavy.iter().filter(|&&r| r as usize >= links).count();
    match (heavy.len() - ports, ports) {
        (0, 1) => port(problem, first),
        (weighted, 0) if weighted == links => Meaning::Distance,
        (_, 0) => cut(problem, weights),
        _ => Meaning::Combined,
    }
}

/// The terminal that a port belongs to.
fn port(problem: &Problem, resource: ResourceId) -> Meaning {
    let (network, resources) = (problem.network(), problem.resources());
    let sender = network.terminals().find(|&v| resources.send_port(v) == Some(resource));
    let receiver = network.terminals().find(|&v| resources.receive_port(v) == Some(resource));
    match (sender, receiver) {
        (Some(v), _) => Meaning::SendPort(v),
        (_, Some(v)) => Meaning::ReceivePort(v),
        _ => Meaning::Combined,
    }
}

/// The cut whose links are exactly those with weight.
fn cut(problem: &Problem, weights: &[u64]) -> Meaning {
    let has_weight = |c: ChannelId| weights[problem.resources().of_channel(c) as usize] > 0;
    let heavy = (0..).zip(problem.network().channels()).filter(|&(id, _)| has_weight(id));
    let (half, single): (Vec<_>, Vec<_>) = heavy.partition(|(_, c)| c.excludes().is_some());
    if half.is_empty() {
        return match directed_sides(problem.network(), has_weight) {
            None => Meaning::Combined,
            Some((sending, receiving)) => match (&sending[..], &receiving[..]) {
                ([v], _) => Meaning::LinksOut(*v),
                (_, [v]) => Meaning::LinksInto(*v),
                _ if sending.len() <= receiving.len() => Meaning::CutFrom(sending),
                _ => Meaning::CutInto(receiving),
            },
        };
    }
    match two_sides(problem.network(), has_weight).filter(|_| single.is_empty()) {
        None => Meaning::Combined,
        Some((a, b)) => {
            let side = if a.len() <= b.len() { a } else { b };
            if let [v] = side[..] { Meaning::LinksOf(v) } else { Meaning::CutAround(side) }
        }
    }
}

// The two sides of a cut, from the channels that cross it.

/// The smallest sending side and the smallest receiving side of a cut whose channels are exactly
/// those with weight.
fn directed_sides(
    network: &Network,
    has_weight: impl Fn(ChannelId) -> bool,
) -> Option<(Vec<VertexId>, Vec<VertexId>)> {
    let heavy = || (0..).zip(network.channels()).filter(|&(id, _)| has_weight(id));
    // A channel without weight does not cross the cut: if it starts on the sending side it ends
    // there, and if it ends on the receiving side it starts there.
    let ahead = |v: VertexId| {
        let light = network.outgoing(v).iter().filter(|&&c| !has_weight(c));
        light.map(|&c| network.channel(c).to).collect()
    };
    let behind = |v: VertexId| {
        let light = network.incoming(v).iter().filter(|&&c| !has_weight(c));
        light.map(|&c| network.channel(c).from).collect()
    };
    let n = network.vertices().len();
    let sending = closure(n, heavy().map(|(_, c)| c.from), ahead);
    if heavy().any(|(_, c)| sending[c.to as usize]) {
        return None;
    }
    let receiving = closure(n, heavy().map(|(_, c)| c.to), behind);
    Some((members(&sending), members(&receiving)))
}

/// The two sides of the cut whose half-duplex links are exactly those with weight: links without
/// weight join vertices of one side, links with weight join the two sides.
fn two_sides(
    network: &Network,
    has_weight: impl Fn(ChannelId) -> bool,
) -> Option<(Vec<VertexId>, Vec<VertexId>)> {
    let n = network.vertices().len() as VertexId;
    let mut side: Vec<Option<bool>> = vec![None; n as usize];
    for start in 0..n {
        if side[start as usize].is_some() {
            continue;
        }
        side[start as usize] = Some(true);
        let mut open = vec![start];
        while let Some(v) = open.pop() {
            let here = side[v as usize]?;
            let out = network.outgoing(v).iter().map(|&c| (c, network.channel(c).to));
            let into = network.incoming(v).iter().map(|&c| (c, network.channel(c).from));
            for (c, u) in out.chain(into) {
                let there = here != has_weight(c);
                match side[u as usize] {
                    None => {
                        side[u as usize] = Some(there);
                        open.push(u);
                    }
                    Some(known) if known != there => return None,
                    Some(_) => {}
                }
            }
        }
    }
    let on = |which: bool| (0..n).filter(|&v| side[v as usize] == Some(which)).collect();
    Some((on(true), on(false)))
}

/// All vertices that are reachable from `start`.
fn closure(
    n: usize,
    start: impl Iterator<Item = VertexId>,
    next: impl Fn(VertexId) -> Vec<VertexId>,
) -> Vec<bool> {
    let mut inside = vec![false; n];
    let mut open: Vec<VertexId> = start.collect();
    while let Some(v) = open.pop() {
        if !std::mem::replace(&mut inside[v as usize], true) {
            open.extend(next(v));
        }
    }
    inside
}

fn members(inside: &[bool]) -> Vec<VertexId> {
    (0..).zip(inside).filter(|(_, inside)| **inside).map(|(v, _)| v).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as bounds;
    use crate::Evidence;
    use ccsched_model::problem::{Collective, Ports, Request};
    use ccsched_network::spec;

    fn posed(topology: &str, ports: Option<u32>, collective: Collective) -> Problem {
        let request = Request { ports: Ports(ports), ..Request::new(collective) };
        request.pose(spec::parse(topology).unwrap(), vec![]).unwrap()
    }

    /// Steps and meaning of the congestion bound.
    fn found(problem: &Problem) -> (u32, Meaning) {
        let bounds = bounds::all(problem);
        let best = bounds.iter().find(|b| b.name == "congestion").unwrap();
        let Evidence::Weights(weights) = &best.evidence else { panic!("{best:?}") };
        (best.steps, meaning(problem, weights))
    }

    fn aas(topology: &str) -> (u32, Meaning) {
        found(&posed(topology, None, Collective::Aas))
    }

    fn vertices(topology: &str, names: &[&str]) -> Vec<VertexId> {
        let network = spec::parse(topology).unwrap();
        let mut ids: Vec<VertexId> = names.iter().map(|v| network.find(v).unwrap()).collect();
        ids.sort_unstable();
        ids
    }

    #[test]
    fn distances() {
        for (topology, steps) in [("hypercube:4", 8), ("heawood", 9), ("torus:4x4", 8)] {
            assert_eq!(aas(topology), (steps, Meaning::Distance), "{topology}");
        }
    }

    #[test]
    fn cuts() {
        let (steps, half) = aas("mesh:4x4");
        assert_eq!(steps, 16);
        let (Meaning::CutFrom(side) | Meaning::CutInto(side)) = half else { panic!("{half:?}") };
        assert_eq!(side.len(), 8, "{side:?}");
        // 7 below a child of the root, 8 elsewhere, one channel each way.
        let (steps, subtree) = aas("full-binary-tree:15");
        assert_eq!(steps, 56);
        let (Meaning::CutFrom(side) | Meaning::CutInto(side)) = subtree else {
            panic!("{subtree:?}")
        };
        let below = |root: &str, rest: [&str; 6]| {
            vertices("full-binary-tree:15", &[&[root], &rest[..]].concat())
        };
        let children = [
            below("1", ["3", "4", "7", "8", "9", "10"]),
            below("2", ["5", "6", "11", "12", "13", "14"]),
        ];
        assert!(children.contains(&side), "{side:?}");
    }

    #[test]
    fn half_duplex_cuts() {
        let (steps, middle) = aas("mesh:4x2,half");
        // 4 vertices a side, 16 messages each way, two links.
        assert_eq!((steps, middle), (16, Meaning::CutAround(vec![0, 1, 2, 3])));
        let problem = posed("complete:4,half", None, Collective::Oas);
        assert_eq!(found(&problem), (1, Meaning::LinksOf(0)));
    }

    #[test]
    fn ports_and_links_of_one_vertex() {
        let problem = posed("omega:8", Some(1), Collective::Oas);
        assert_eq!(found(&problem), (7, Meaning::LinksOut(0)), "a terminal of omega has one link");
        let problem = posed("hypercube:3", Some(1), Collective::Oas);
        assert_eq!(found(&problem), (7, Meaning::SendPort(0)));
        let problem = posed("hypercube:3", Some(1), Collective::Aog);
        assert_eq!(found(&problem), (7, Meaning::ReceivePort(0)));
        let problem = posed("hypercube:3", None, Collective::Aog);
        assert_eq!(found(&problem), (3, Meaning::LinksInto(0)));
    }

    #[test]
    fn several_bottlenecks() {
        assert_eq!(aas("kautz:3,3"), (34, Meaning::Combined));
    }

    #[test]
    fn weights_that_are_no_cut() {
        let problem = posed("ring:6", None, Collective::Aas);
        let of = |from: VertexId, to: VertexId| {
            let all = problem.network().channels();
            let c = all.iter().position(|c| (c.from, c.to) == (from, to)).unwrap();
            problem.resources().of_channel(c as ChannelId) as usize
        };
        let weigh = |links: &[usize]| {
            let mut weights = vec![0; problem.resources().capacities().len()];
            links.iter().for_each(|&link| weights[link] = 3);
            weights
        };
        let cut = weigh(&[of(1, 0), of(2, 3)]);
        assert_eq!(meaning(&problem, &cut), Meaning::CutFrom(vec![1, 2]));
        let into = weigh(&[of(2, 3), of(0, 5)]);
        assert_eq!(meaning(&problem, &into), Meaning::CutFrom(vec![0, 1, 2]));
        assert_eq!(meaning(&problem, &weigh(&[of(0, 1), of(2, 3)])), Meaning::Combined, "no cut");
        assert_eq!(meaning(&problem, &weigh(&[of(0, 1)])), Meaning::Combined, "a way round");
        assert_eq!(meaning(&problem, &weigh(&[])), Meaning::Combined);
        let mut uneven = cut.clone();
        uneven[of(2, 3)] += 1;
        assert_eq!(meaning(&problem, &uneven), Meaning::Combined);
    }
}
