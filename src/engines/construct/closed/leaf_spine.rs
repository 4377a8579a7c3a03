//! All-to-all scatters of leaves below spines, where each leaf has fewer channels up than hosts. The
//! channels between leaves and spines are the bottleneck, and all of them are busy in every step but the
//! last.
//!
//! All messages between leaves are in one list: by the shift d from the leaf of the sender to that of the
//! receiver, then by the shift k from the number of the sender in its leaf to that of the receiver,
//! then by the sender. Each step takes as many of the list as a leaf has channels up, at every leaf at
//! once. The p-th of them goes up by the p-th channel, and all leaves shift alike there, so down by the
//! p-th channel of another leaf each. Senders of a step are consecutive numbers; so are receivers, but
//! for one that is left out between two k. As these are fewer than hosts, no host sends or receives
//! twice. Messages within a leaf go between idle hosts.
//!
//! The hosts of a leaf may have several processes: numbers then count through the hosts repeatedly.

use super::draft::Draft;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, Network, VertexId};
use std::collections::BTreeMap;

/// A leaf.
struct Leaf {
    /// Its members, each with the channels up to the leaf; those of one host are as far apart as there
    /// are hosts.
    members: Vec<(VertexId, Vec<ChannelId>)>,
    /// Its channels up, each as often as its capacity, by spine.
    up: Vec<ChannelId>,
}

/// The schedule, if the network consists of such leaves and spines.
pub fn plan(problem: &Problem) -> Option<Plan> {
    let network = problem.network();
    let (leaves, hosts) = [1, 2].into_iter().find_map(|height| leaves(problem, height))?;
    let (members, channels) = (leaves[0].members.len(), leaves[0].up.len());
    if channels == 0 || channels >= hosts {
        return None;
    }
    let steps = ((leaves.len() - 1) * members * members).div_ceil(channels);
    let mut draft = Draft::new(problem, steps);
    for shift in 1..leaves.len() {
        for pair in 0..members * members {
            let place = (shift - 1) * members * members + pair;
            let (step, channel) = (place / channels, place % channels);
            let sender = pair % members;
            let receiver = (sender + pair / members) % members;
            for (number, from) in leaves.iter().enumerate() {
                let to = &leaves[(number + shift) % leaves.len()];
                let ((source, up), (destination, down)) =
                    (&from.members[sender], &to.members[receiver]);
                let mut path = up.clone();
                path.push(from.up[channel]);
                let back = down.iter().chain([&to.up[channel]]).rev();
                for &c in back {
                    path.push(network.channel(c).reverse?);
                }
                draft.route(step, (*source, *destination), path);
            }
        }
    }
    draft.complete().filter(|plan| plan.len() == steps)
}

/// Members of a host, each with its way up to the leaf.
type Members = Vec<(VertexId, Vec<ChannelId>)>;

/// The leaves, at which hosts (height 1), or hosts of processes (height 2) hang, and the number of hosts
/// of each; none if they are not alike.
fn leaves(problem: &Problem, height: usize) -> Option<(Vec<Leaf>, usize)> {
    let network = problem.network();
    // By leaf, then by host: its members.
    let mut found: BTreeMap<VertexId, BTreeMap<VertexId, Members>> = BTreeMap::new();
    for &member in problem.senders() {
        let (mut path, mut host, mut at) = (Vec::new(), member, member);
        for _ in 0..height {
            let c = above(network, at)?;
            path.push(c);
            (host, at) = (at, network.channel(c).to);
        }
        found.entry(at).or_default().entry(host).or_default().push((member, path));
    }
    let hosts = found.values().next()?.len();
    let processes = found.values().next()?.values().next()?.len();
    let mut spines: Option<Vec<VertexId>> = None;
    let mut leaves = Vec::new();
    for (&leaf, of_leaf) in &found {
        let is_even = of_leaf.values().all(|members| members.len() == processes);
        let is_above = |&c: &ChannelId| !of_leaf.contains_key(&network.channel(c).to);
        let mut up: Vec<ChannelId> =
            network.outgoing(leaf).iter().copied().filter(is_above).collect();
        up.sort_by_key(|&c| (network.channel(c).to, c));
        let repeated = |c: ChannelId| std::iter::repeat_n(c, network.channel(c).capacity as usize);
        let up: Vec<ChannelId> = up.into_iter().flat_map(repeated).collect();
        let above: Vec<VertexId> = up.iter().map(|&c| network.channel(c).to).collect();
        let is_like = spines.as_ref().is_none_or(|spines| *spines == above);
        let are_spines = above.iter().all(|v| !found.contains_key(v) && !network.is_terminal(*v));
        if of_leaf.len() != hosts || !is_even || !is_like || !are_spines {
            return None;
        }
        spines = Some(above);
        let of_process = |process: usize| of_leaf.values().map(move |of| of[process].clone());
        leaves.push(Leaf { members: (0..processes).flat_map(of_process).collect(), up });
    }
    Some((leaves, hosts))
}

/// The one channel from a vertex to a switch. A terminal has no other, by which it could reach others
/// over shorter paths.
fn above(network: &Network, v: VertexId) -> Option<ChannelId> {
    let is_way =
        |&&c: &&ChannelId| network.is_terminal(v) || !network.is_terminal(network.channel(c).to);
    let mut all = network.outgoing(v).iter().filter(is_way);
    let first = all.next().copied()?;
    let is_switch = !network.is_terminal(network.channel(first).to);
    (is_switch && all.next().is_none()).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::processes::{PerNode, place};
    use ccsched_network::spec;
    use ccsched_network::{LinkKind, NetworkBuilder};
    use ccsched_verify::verify;

    /// Leaves of hosts, spines, and the width of the links between them.
    fn network([leaves, hosts, spines]: [usize; 3], width: u32) -> Network {
        let mut builder = NetworkBuilder::new("leaves");
        let tops: Vec<_> = (0..spines).map(|s| builder.switch(format!("s{s}"))).collect();
        for l in 0..leaves {
            let leaf = builder.switch(format!("l{l}"));
            tops.iter().for_each(|&top| builder.wide_link(leaf, top, LinkKind::FullDuplex, width));
            for h in 0..hosts {
                let host = builder.terminal(format!("h{l}.{h}"));
                builder.wide_link(host, leaf, LinkKind::FullDuplex, 1);
            }
        }
        builder.build().unwrap()
    }

    fn steps(network: Network) -> Option<usize> {
        let problem = Request::new(Collective::Aas).pose(network, vec![]).unwrap();
        let plan = plan(&problem)?;
        let wrong = verify(&plan.record(&problem, &[], Provenance::default()));
        assert!(wrong.is_empty(), "{wrong:?}");
        Some(plan.len())
    }

    #[test]
    fn channels_up_are_always_busy() {
        assert_eq!(steps(network([4, 4, 2], 1)), Some(24));
        assert_eq!(steps(network([5, 6, 2], 2)), Some(36));
        let of = |processes, width| PerNode { processes, width };
        assert_eq!(steps(place(&network([3, 4, 2], 1), of(2, 1)).unwrap()), Some(64));
        assert_eq!(steps(place(&network([1, 4, 1], 1), of(3, 2)).unwrap()), Some(27));
        // Hosts are the bottleneck; leaves differ.
        assert_eq!(steps(network([3, 2, 2], 1)), None);
        // Hosts have links of their own.
        assert_eq!(steps(spec::parse("dgx1:2").unwrap()), None);
    }
}
