//! Transfers in groups, by vertex and by message: sorted numbers in place of maps of lists.

use super::plan::{Move, Plan};
use std::ops::Range;

/// The numbers of all transfers by a vertex, in the order of the file.
pub(super) struct Groups {
    /// By vertex, the start of its group; one more for the end of the last.
    starts: Vec<usize>,
    ids: Vec<usize>,
}

impl Groups {
    /// Groups the transfers by the vertex that `key` gives.
    pub fn by(plan: &Plan<'_>, key: impl Fn(&Move<'_>) -> usize) -> Self {
        let mut starts = vec![0; plan.graph.len() + 1];
        for m in plan.moves(plan.all()) {
            starts[key(&m) + 1] += 1;
        }
        for v in 1..starts.len() {
            starts[v] += starts[v - 1];
        }
        let mut next = starts.clone();
        let mut ids = vec![0; plan.all().len()];
        for m in plan.moves(plan.all()) {
            let next = &mut next[key(&m)];
            ids[*next] = m.id;
            *next += 1;
        }
        Groups { starts, ids }
    }

    /// The group of a vertex.
    pub fn of(&self, v: usize) -> &[usize] {
        &self.ids[self.starts[v]..self.starts[v + 1]]
    }

    /// All vertices with transfers, with their groups.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[usize])> {
        let vertices: Range<usize> = 0..self.starts.len() - 1;
        vertices.map(|v| (v, self.of(v))).filter(|(_, group)| !group.is_empty())
    }
}

/// Destination and copy of a message, and the number of a transfer of it.
pub(super) type Hop = (usize, u32, usize);

/// The transfers of a source, message by message, and those of a message in the order of the file.
/// `hops` is used again from source to source.
pub(super) fn by_message(plan: &Plan<'_>, group: &[usize], hops: &mut Vec<Hop>) {
    hops.clear();
    hops.extend(group.iter().filter_map(|&id| {
        let m = plan.at(id);
        m.destination.map(|d| (d, m.copy, id))
    }));
    hops.sort_unstable();
}

/// Whether two transfers of a source are of one message.
pub(super) fn is_same(a: &Hop, b: &Hop) -> bool {
    (a.0, a.1) == (b.0, b.1)
}
