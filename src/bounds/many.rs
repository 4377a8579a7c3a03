//! Bounds of a total exchange, an all-gather or a reduce-scatter among terminals whose deliveries are too many
//! to be listed: those of a switch, such as the processes of a host, are counted. A schedule for them is one for the switches,
//! if what stays at a switch is left out: so what bounds that one bounds it, and each terminal has bounds of its own.

use super::{Bound, ByteBound, all, bytes, load};
use ccsched_base::Result;
use ccsched_model::problem::{
    Collective, MOST_PIECES, Multicast, Pair, Ports, Problem, Request, Roots, Switching,
};
use ccsched_network::processes::merged;
use ccsched_network::{Network, VertexId};

/// Terminals that are left, at most.
const MOST_LEFT: usize = 2_000;

/// The bounds.
#[derive(Debug)]
pub struct Many {
    /// The problem in which a switch is the terminal for its terminals.
    pub merged: Problem,
    /// Its bounds, which hold for the whole one too, the largest first.
    pub bounds: Vec<Bound>,
    /// The terminal of the whole one that takes most steps for its own messages, and these steps.
    pub tightest: (VertexId, u32),
}

/// The bounds of a request on a network; none if it is of another kind, or no smaller with the terminals counted.
///
/// # Errors
/// As [`Request::pose`].
pub fn many(request: &Request, network: &Network) -> Result<Option<Many>> {
    let Request { senders, receivers, processes, pairs, groups, .. } = request;
    let collective = request.collective;
    let is_whole = collective.roots() == Roots::All
        && !collective.is_all_reduce()
        && !collective.joins()
        && [senders, receivers, processes].iter().all(|names| names.is_none())
        && pairs.is_none()
        && groups.is_none();
    let is_plain = match request.switching {
        Switching::Wormhole | Switching::StoreAndForward => true,
        Switching::Hosts => false,
    };
    let copies = request.multicast != Multicast::None;
    if !is_whole || request.routing.is_fixed() || !is_plain || copies {
        return Ok(None);
    }
    let (net, numbers) = merged(network)?;
    let left: Vec<VertexId> = net.terminals().collect();
    if left.len() < 2 || left.len() > MOST_LEFT || left.len() == network.terminals().count() {
        return Ok(None);
    }
    let number = |v: VertexId| numbers[v as usize];
    let name = |v: VertexId| net.vertex_name(v).to_string();
    // A switch has no limit of its own, and terminals have none on what leaves them together.
    let request_of = |collective, pieces, pairs| {
        let ports = Ports(None);
        Request { collective, pieces, pairs, ports, ..request.clone() }
    };
    let (problem, bounds) = if collective.content().is_personal() {
        let pair = |(a, b): (VertexId, VertexId)| {
            let bytes = u64::from(number(a)) * u64::from(number(b)) * u64::from(request.pieces);
            Pair { source: name(a), destination: name(b), bytes: Some(bytes), count: 1 }
        };
        let ends = left.iter().flat_map(|&a| left.iter().map(move |&b| (a, b)));
        let pairs = ends.filter(|(a, b)| a != b).map(pair).collect();
        let request = request_of(Collective::Traffic, 1, Some(pairs));
        let problem = request.pose(net.without_delays(), vec![])?;
        // Messages count as bytes do, but none is as long as all of a pair, and they take steps, not time.
        let mut quick = bytes::quick(&problem, true);
        quick.retain(|bound| bound.name != "longest");
        let of = |bound: ByteBound| Bound {
            name: bound.name,
            steps: u32::try_from(bound.bytes).unwrap_or(u32::MAX),
            evidence: bound.evidence,
        };
        let bounds = bytes::all(&problem, quick, true, &|| false).into_iter().map(of).collect();
        (problem, bounds)
    } else {
        let pieces = number(left[0]).saturating_mul(request.pieces);
        if pieces > MOST_PIECES || left.iter().any(|&v| number(v) != number(left[0])) {
            return Ok(None);
        }
        let problem = request_of(collective, pieces, None).pose(net.clone(), vec![])?;
        let bounds = all(&problem);
        (problem, bounds)
    };
    let others = (network.terminals().count() as u64 - 1) * u64::from(request.pieces);
    let at = |v: VertexId| {
        let ways = [network.capacity_out(v), network.capacity_into(v)];
        let [sent, received] = ways.map(|ways| load::steps(others, request.ports.limit(ways)));
        match (collective.content().is_personal(), collective.is_reduction()) {
            (true, _) => sent.max(received),
            (false, false) => received,
            (false, true) => sent,
        }
    };
    let tightest = network.terminals().max_by_key(|&v| (at(v), std::cmp::Reverse(v)));
    let of = |tightest| Many { merged: problem, bounds, tightest: (tightest, at(tightest)) };
    Ok(tightest.map(of))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::processes::{PerNode, place};
    use ccsched_network::spec;

    /// Where the deliveries can be listed, both ways give the same.
    #[test]
    fn counted_terminals_have_the_bounds_of_listed_ones() {
        for topology in ["ring:5", "mesh:3x2", "fat-tree:8"] {
            let processes = PerNode { processes: 3, width: 1 };
            let net = place(&spec::parse(topology).unwrap(), processes).unwrap();
            for collective in [Collective::Aas, Collective::Aab, Collective::ReduceScatter] {
                for ports in [None, Some(1)] {
                    let request = Request { ports: Ports(ports), ..Request::new(collective) };
                    let many = many(&request, &net).unwrap().unwrap();
                    let listed = all(&request.pose(net.clone(), vec![]).unwrap());
                    let found = many.bounds[0].steps.max(many.tightest.1);
                    let about = format!("{topology} {collective} {ports:?}: {listed:?}, {many:?}");
                    assert_eq!(found, listed[0].steps, "{about}");
                }
            }
        }
    }
}
