//! Degrees: the numbers of channels that leave and enter a vertex, whatever their capacity.

use crate::{Network, VertexId};

/// The least and the largest numbers of channels of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Degrees {
    /// Least and largest number of channels that leave.
    pub out: (usize, usize),
    /// Least and largest number of channels that enter.
    pub into: (usize, usize),
}

/// Degrees over some vertices; none if there are no vertices.
pub fn degrees(net: &Network, of: impl Iterator<Item = VertexId>) -> Option<Degrees> {
    of.map(|v| (net.outgoing(v).len(), net.incoming(v).len())).fold(None, |all, (out, into)| {
        let all = all.unwrap_or(Degrees { out: (out, out), into: (into, into) });
        Some(Degrees {
            out: (all.out.0.min(out), all.out.1.max(out)),
            into: (all.into.0.min(into), all.into.1.max(into)),
        })
    })
}
