//! Transfers in groups, by vertex and by message. A schedule of millions of transfers is read in its
//! own order, some groups at a time: looking up each transfer of a group would take ten times as
//! long.

use super::plan::{By, Move, Plan};
use ccsched_base::cores;
use std::ops::{ControlFlow, Range};

/// Transfers grouped at a time, by all threads together: at least, and as a part of all.
const AT_ONCE: (usize, usize) = (1 << 20, 4);

/// What the checks of a group need of a transfer.
#[derive(Clone, Copy, Default)]
pub(super) struct Hop {
    /// The number of the transfer.
    pub id: usize,
    /// Its step, from 0, which may have several rounds.
    pub step: u32,
    /// The destination of its message; the number of vertices in broadcasts.
    pub destination: u32,
    /// Which of several messages of its pair, from 1.
    pub copy: u32,
    /// Where it starts.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// Channels on its path.
    pub length: u32,
}

impl Hop {
    fn of(m: &Move<'_>, step: u32, nowhere: usize) -> Self {
        Hop {
            id: m.id,
            step,
            destination: m.destination.unwrap_or(nowhere) as u32,
            copy: m.copy,
            from: m.from as u32,
            to: m.to as u32,
            length: m.channels.len() as u32,
        }
    }

    fn message(&self) -> (u32, u32) {
        (self.destination, self.copy)
    }
}

/// Passes every vertex with its transfers, in the order of the file, until `check` breaks off. The vertices are
/// divided among the cores; each begins with a state of its own. Returns the states, in the order of their
/// vertices.
pub(super) fn each<S: Send>(
    plan: &Plan<'_>,
    by: By,
    begin: impl Fn() -> S + Sync,
    check: impl Fn(&mut S, usize, &mut [Hop]) -> ControlFlow<()> + Sync,
) -> Vec<S> {
    let sizes = sizes(plan, by);
    let ends = cores::ends(sizes.iter().copied());
    let ranges = cores::parts(sizes.len(), |v| ends[v]);
    let most = AT_ONCE.0.max(plan.all().len() / AT_ONCE.1) / ranges.len();
    cores::each(ranges, |vertices| {
        let (mut state, mut batch) = (begin(), Batch::default());
        let mut first = vertices.start;
        while first < vertices.end {
            let mut last = first + 1;
            let before = ends[first] - sizes[first];
            while last < vertices.end && ends[last] - before <= most {
                last += 1;
            }
            batch.collect(plan, by, (first..last, &sizes));
            for v in first..last {
                if check(&mut state, v, batch.group(v)).is_break() {
                    return state;
                }
            }
            first = last;
        }
        state
    })
}

/// By vertex, the number of its transfers.
fn sizes(plan: &Plan<'_>, by: By) -> Vec<usize> {
    let parts = cores::parts(plan.all().len(), |id| id + 1);
    let counted = cores::each(parts, |ids| {
        let mut sizes = vec![0; plan.graph.len()];
        ids.for_each(|id| sizes[plan.key(by, id)] += 1);
        sizes
    });
    let add = |mut sum: Vec<usize>, part: Vec<usize>| {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        sum
    };
    counted.into_iter().reduce(add).unwrap_or_default()
}

/// The groups of some consecutive vertices.
#[derive(Default)]
struct Batch {
    first: usize,
    /// By vertex of the batch, where the next of its transfers goes; in the end, where its group ends.
    next: Vec<usize>,
    hops: Vec<Hop>,
}

impl Batch {
    /// Collects the transfers of these vertices, whose numbers are given.
    fn collect(&mut self, plan: &Plan<'_>, by: By, (vertices, sizes): (Range<usize>, &[usize])) {
        self.first = vertices.start;
        self.next.clear();
        let mut all = 0;
        for &size in &sizes[vertices] {
            self.next.push(all);
            all += size;
        }
        self.hops.clear();
        self.hops.resize(all, Hop::default());
        for (step, ids) in plan.by_step().enumerate() {
            for id in ids {
                let at = plan.key(by, id).checked_sub(self.first);
                if let Some(next) = at.and_then(|at| self.next.get_mut(at)) {
                    let step = plan.demand.step_of.as_ref().map_or(step as u32, |of| of[step]);
                    self.hops[*next] = Hop::of(&plan.at(id), step, plan.graph.len());
                    *next += 1;
                }
            }
        }
    }

    /// The group of a vertex.
    fn group(&mut self, v: usize) -> &mut [Hop] {
        let at = v - self.first;
        let start = at.checked_sub(1).map_or(0, |before| self.next[before]);
        &mut self.hops[start..self.next[at]]
    }
}

/// Sorts the transfers of a source by message. Millions of transfers are counted by destination, which is
/// faster than comparing them.
pub(super) struct Sorter {
    /// By destination, where its next transfer goes.
    next: Vec<usize>,
    sorted: Vec<Hop>,
}

impl Sorter {
    /// For the transfers of a plan.
    pub fn new(plan: &Plan<'_>) -> Self {
        Sorter { next: vec![0; plan.graph.len() + 1], sorted: Vec::new() }
    }

    /// The transfers message by message, those of a message in the order given.
    pub fn sort(&mut self, hops: &[Hop]) -> &[Hop] {
        self.next.fill(0);
        hops.iter().for_each(|hop| self.next[hop.destination as usize] += 1);
        let mut sum = 0;
        for next in &mut self.next {
            sum += std::mem::replace(next, sum);
        }
        self.sorted.clear();
        self.sorted.resize(hops.len(), Hop::default());
        for hop in hops {
            let next = &mut self.next[hop.destination as usize];
            self.sorted[*next] = *hop;
            *next += 1;
        }
        for same in self.sorted.chunk_by_mut(|a, b| a.destination == b.destination) {
            same.sort_by_key(|hop| hop.copy);
        }
        &self.sorted
    }
}

/// The transfers of each message, from transfers that are sorted by message.
pub(super) fn by_message(hops: &[Hop]) -> impl Iterator<Item = &[Hop]> {
    hops.chunk_by(|a, b| a.message() == b.message())
}
