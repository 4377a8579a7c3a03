//! Ports and degree: a terminal sends, and receives, at most as many messages a step as it has
//! ports and channels.

use super::{Bound, Evidence, load};
use crate::network::VertexId;
use crate::problem::{Content, Problem};

pub fn bound(problem: &Problem) -> Option<Bound> {
    let n = problem.network.vertices().len();
    let mut out = vec![0u64; n];
    let mut into = vec![0u64; n];
    for d in &problem.demands {
        into[d.destination as usize] += 1;
        // A broadcast must leave its source only once; other vertices can forward it.
        if problem.collective.content() == Content::Personal {
            out[d.source as usize] += 1;
        }
    }
    let at = |v: VertexId| {
        let (out, into) = (out[v as usize], into[v as usize]);
        let (outgoing, incoming) = (problem.network.outgoing(v), problem.network.incoming(v));
        let sending = load::steps(out, problem.sends_at_once(v));
        let receiving = load::steps(into, problem.receives_at_once(v));
        let both = if load::has_half_duplex(problem, v) {
            let carried = load::capacity(problem, outgoing.iter().chain(incoming).copied());
            load::steps(out + into, carried)
        } else {
            0
        };
        sending.max(receiving).max(both)
    };
    let tightest = problem.network.terminals().max_by_key(|&v| (at(v), std::cmp::Reverse(v)))?;
    Some(Bound { name: "ports", steps: at(tightest), evidence: Evidence::Vertex(tightest) })
}
