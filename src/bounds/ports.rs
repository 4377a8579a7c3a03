//! Ports and degree: a vertex sends, and receives, at most as many messages a step as it has ports and channels.
//!
//! With store-and-forward switching, a joint also forwards broadcasts: a message from elsewhere
//! reaches each part of the network that only the joint connects through the joint alone.

use super::{Bound, Evidence, load};
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use ccsched_network::metrics::{joints_to_part_at, parts_without};

pub fn bound(problem: &Problem) -> Option<Bound> {
    let (tightest, steps) = tightest(problem)?;
    Some(Bound { name: "ports", steps: steps as u32, evidence: Evidence::Vertex(tightest) })
}

/// The vertex that takes the longest, and its steps, or bytes where these count.
pub fn tightest(problem: &Problem) -> Option<(VertexId, u64)> {
    let network = problem.network();
    let mut out = sent_on(problem);
    let mut into = vec![0u64; out.len()];
    let is_grouped = problem.groups().is_some();
    let mut last = None;
    for d in problem.demands() {
        into[d.destination as usize] += problem.volume(d);
        // Of a group, a source sends each of its messages at least once.
        let is_first = last.replace(d.message) != Some(d.message);
        if problem.collective().content().is_personal() || is_grouped && is_first {
            out[d.source as usize] += problem.volume(d);
        }
    }
    let at = |v: VertexId| {
        let (out, into) = (out[v as usize], into[v as usize]);
        let (outgoing, incoming) = (network.outgoing(v), network.incoming(v));
        let sending = load::time(out, problem.sends_at_once(v));
        let receiving = load::time(into, problem.receives_at_once(v));
        let both = if load::has_half_duplex(problem, v) {
            let carried = load::capacity(problem, outgoing.iter().chain(incoming).copied());
            load::time(out + into, carried)
        } else {
            0
        };
        sending.max(receiving).max(both)
    };
    let sends_or_receives = |v: &VertexId| network.is_terminal(*v) || out[*v as usize] > 0;
    let vertices = (0..out.len() as VertexId).filter(sends_or_receives);
    let tightest = vertices.max_by_key(|&v| (at(v), std::cmp::Reverse(v)))?;
    Some((tightest, at(tightest)))
}

/// By vertex, the transfers of a broadcast that it must send. Vertices other than joints must send
/// one transfer of their own message only.
fn sent_on(problem: &Problem) -> Vec<u64> {
    let network = problem.network();
    let mut out = vec![0; network.vertices().len()];
    let is_stored = problem.switching().stores();
    if problem.collective().content().is_personal() || !is_stored || problem.groups().is_some() {
        return out;
    }
    let mut part = vec![0; out.len()];
    for joint in joints_to_part_at(network) {
        let parts = parts_without(network, joint, &mut part).len();
        let count = |ends: &[VertexId]| {
            let mut counts = vec![0; parts + 1];
            ends.iter().for_each(|&v| counts[part[v as usize]] += 1);
            counts
        };
        let (senders, receivers) = (count(problem.senders()), count(problem.receivers()));
        let entered = (1..=parts).filter(|&p| receivers[p] > 0);
        let messages = |p: usize| problem.senders().len() as u64 - senders[p];
        out[joint as usize] = entered.map(messages).sum::<u64>() * u64::from(problem.pieces());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_network::spec;

    fn steps(topology: &str, collective: Collective, ports: Option<u32>) -> (u32, Evidence) {
        let switching = Switching::StoreAndForward;
        let request = Request { switching, ports: Ports(ports), ..Request::new(collective) };
        let bound = bound(&request.pose(spec::parse(topology).unwrap(), vec![]).unwrap()).unwrap();
        (bound.steps, bound.evidence)
    }

    #[test]
    fn a_joint_sends_each_message_to_all_parts_but_one() {
        // Vertex 1 sends 14 messages to two parts, and its own to three.
        let one_port = steps("full-binary-tree:15", Collective::Aab, Some(1));
        assert_eq!(one_port, (2 * 14 + 3, Evidence::Vertex(1)));
        assert_eq!(steps("full-binary-tree:15", Collective::Aab, None).0, 14);
        assert_eq!(steps("mesh:5", Collective::Aab, Some(1)), (4 + 2, Evidence::Vertex(1)));
        // Two parts lie beyond the root.
        assert_eq!(steps("full-binary-tree:15", Collective::Oab, Some(1)).0, 2);
        assert_eq!(steps("ring:6", Collective::Aab, Some(1)).0, 5);
    }
}
