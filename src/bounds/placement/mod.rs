//! The hosts for a number of ranks: those between which an all-to-all loads the busiest link least.
//!
//! Every message is divided among its shortest paths, in proportion to the capacity of the links, and
//! the largest load of a link decides. Hosts with the same links to the same switches are alike, so a
//! placement is a number of ranks for every group of such hosts. Greedy placements, one from every
//! group, are improved by moving one rank at a time; the best ones are compared by all lower bounds.

mod groups;

use super::{Bound, all};
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Problem, Request};
use ccsched_network::{Network, VertexId};
use groups::Groups;

/// Placements that are compared by all bounds.
const COMPARED: usize = 4;
/// Greedy placements at most; each starts with another group.
const STARTS: usize = 64;

/// A placement, and the lower bounds of its problem, the largest first.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The hosts of the ranks, ascending.
    pub hosts: Vec<VertexId>,
    /// The bounds.
    pub bounds: Vec<Bound>,
}

/// The best placement of a number of ranks on some of the hosts. The request's senders and receivers
/// become those chosen.
///
/// # Errors
/// Fewer than two ranks, more ranks than hosts, hosts that cannot reach each other.
pub fn place(
    network: &Network,
    free: &[VertexId],
    ranks: usize,
    pose: impl Fn(Vec<VertexId>) -> Result<Problem>,
) -> Result<Placement> {
    if ranks < 2 || ranks > free.len() {
        let hosts = free.len();
        let why = format!("{ranks} ranks on {hosts} free hosts: 2 to {hosts} fit");
        return Err(Error::field("place", why));
    }
    // All hosts must reach each other, and what is told of them otherwise is of use.
    pose(free.to_vec())?;
    let groups = Groups::of(network, free);
    let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
    let starts = groups.members.len().min(STARTS);
    for start in 0..starts {
        let mut counts = vec![0; groups.members.len()];
        counts[start * groups.members.len() / starts] = 1;
        for _ in 1..ranks {
            groups.add_one(&mut counts);
        }
        let load = groups.improve(&mut counts);
        if !found.iter().any(|(_, other)| *other == counts) {
            found.push((load, counts));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(COMPARED);
    let mut best: Option<Placement> = None;
    let mut refused = None;
    for (_, counts) in found {
        let hosts = groups.hosts(&counts);
        // Where nothing passes the others, some hosts may not reach each other.
        let bounds = match pose(hosts.clone()) {
            Ok(problem) => all(&problem),
            Err(why) => {
                refused.get_or_insert(why);
                continue;
            }
        };
        let steps = |bounds: &[Bound]| bounds.first().map_or(0, |b| b.steps);
        if best.as_ref().is_none_or(|best| steps(&bounds) < steps(&best.bounds)) {
            best = Some(Placement { hosts, bounds });
        }
    }
    best.ok_or_else(|| refused.expect("there is at least one placement"))
}

/// The request of a placement: these hosts send and receive.
pub fn between(request: &Request, network: &Network, hosts: &[VertexId]) -> Request {
    let names: Vec<String> = hosts.iter().map(|&v| network.vertex_name(v).to_string()).collect();
    Request { senders: Some(names.clone()), receivers: Some(names), ..request.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::Collective;
    use ccsched_network::{LinkKind, NetworkBuilder, spec};

    fn placed(network: &Network, ranks: usize) -> Placement {
        let free: Vec<VertexId> = network.terminals().collect();
        let request = Request::new(Collective::Aas);
        let pose =
            |hosts: Vec<VertexId>| between(&request, network, &hosts).pose(network.clone(), vec![]);
        place(network, &free, ranks, pose).unwrap()
    }

    /// Three leaves of 4, 6 and 8 hosts with 1, 2 and 8 links to the spine.
    fn fabric() -> Network {
        let mut net = NetworkBuilder::new("fabric");
        let spine = net.switch("spine");
        for (leaf, hosts, width) in [("a", 4, 1), ("b", 6, 2), ("c", 8, 8)] {
            let switch = net.switch(leaf);
            net.wide_link(switch, spine, LinkKind::FullDuplex, width);
            for number in 0..hosts {
                let v = net.terminal(format!("{leaf}{number}"));
                net.link(v, switch, LinkKind::FullDuplex);
            }
        }
        net.build().unwrap()
    }

    #[test]
    fn ranks_stay_together_while_they_fit() {
        let net = fabric();
        for ranks in [2, 5, 8] {
            let placement = placed(&net, ranks);
            assert_eq!(placement.bounds[0].steps as usize, ranks - 1, "{ranks}");
        }
    }

    #[test]
    fn no_placement_is_better_where_all_can_be_tried() {
        let net = fabric();
        let free: Vec<VertexId> = net.terminals().collect();
        let request = Request::new(Collective::Aas);
        for ranks in [9, 11, 14, 17] {
            // The number of hosts at every leaf decides.
            let mut least = u32::MAX;
            for a in 0..=4 {
                for b in 0..=6_usize.min(ranks - a) {
                    let c = ranks - a - b;
                    if c > 8 {
                        continue;
                    }
                    let hosts = [&free[..a], &free[4..4 + b], &free[10..10 + c]].concat();
                    let problem = between(&request, &net, &hosts).pose(net.clone(), vec![]);
                    least = least.min(all(&problem.unwrap())[0].steps);
                }
            }
            assert_eq!(placed(&net, ranks).bounds[0].steps, least, "{ranks} ranks");
        }
    }

    #[test]
    fn placements_on_any_network_and_impossible_ones() {
        assert_eq!(placed(&spec::parse("mesh:4x4").unwrap(), 4).hosts.len(), 4);
        let net = fabric();
        let free: Vec<VertexId> = net.terminals().collect();
        for ranks in [0, 1, 19] {
            let why = place(&net, &free, ranks, |_| unreachable!("refused before")).unwrap_err();
            assert!(why.to_string().contains("18"), "{why}");
        }
    }
}
