//! Degrees: how many channels leave and enter a vertex, whatever their capacity.

use crate::network::{Network, VertexId};

/// The least and the most channels of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Degrees {
    /// Least and most that leave.
    pub out: (usize, usize),
    /// Least and most that enter.
    pub into: (usize, usize),
}

/// Degrees over some vertices; none where there are no vertices.
pub fn degrees(net: &Network, of: impl Iterator<Item = VertexId>) -> Option<Degrees> {
    of.map(|v| (net.outgoing(v).len(), net.incoming(v).len())).fold(None, |all, (out, into)| {
        let all = all.unwrap_or(Degrees { out: (out, out), into: (into, into) });
        Some(Degrees {
            out: (all.out.0.min(out), all.out.1.max(out)),
            into: (all.into.0.min(into), all.into.1.max(into)),
        })
    })
}
