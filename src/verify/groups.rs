//! Transfers in groups, by vertex and by message. A schedule of millions of transfers is read in its
//! own order, some groups at a time: looking up each transfer of a group would take ten times as
//! long.

use super::plan::{Move, Plan};
use std::ops::ControlFlow;

/// Transfers grouped at a time: at least, and as a part of all.
const AT_ONCE: (usize, usize) = (1 << 20, 4);

/// What the checks of a group need of a transfer.
#[derive(Clone, Copy, Default)]
pub(super) struct Hop {
    /// The number of the transfer.
    pub id: usize,
    /// Its step, from 0.
    pub step: u32,
    /// The destination of its message; 0 in broadcasts.
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
    fn of(m: &Move<'_>, step: usize) -> Self {
        Hop {
            id: m.id,
            step: step as u32,
            destination: m.destination.unwrap_or(0) as u32,
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

/// The vertex of a transfer by which transfers are grouped.
#[derive(Clone, Copy)]
pub(super) enum By {
    /// The source of its message.
    Source,
    /// Where it starts.
    Start,
}

/// Passes every vertex with its transfers, in the order of the file, until `check` breaks off.
pub(super) fn each(
    plan: &Plan<'_>,
    by: By,
    mut check: impl FnMut(usize, &mut [Hop]) -> ControlFlow<()>,
) {
    let key = |m: &Move<'_>| match by {
        By::Source => m.source,
        By::Start => m.from,
    };
    let vertices = plan.graph.len();
    let mut sizes = vec![0; vertices];
    plan.moves(plan.all()).for_each(|m| sizes[key(&m)] += 1);
    let most = AT_ONCE.0.max(plan.all().len() / AT_ONCE.1);
    let mut hops = Vec::new();
    let mut first = 0;
    while first < vertices {
        // By vertex of this batch, the end of its group.
        let mut ends = Vec::new();
        let mut all = 0;
        while first + ends.len() < vertices
            && (ends.is_empty() || all + sizes[first + ends.len()] <= most)
        {
            all += sizes[first + ends.len()];
            ends.push(all);
        }
        hops.clear();
        hops.resize(all, Hop::default());
        let start = |at: usize| at.checked_sub(1).map_or(0, |before: usize| ends[before]);
        let mut next: Vec<usize> = (0..ends.len()).map(start).collect();
        for (step, ids) in plan.by_step().enumerate() {
            for m in plan.moves(ids) {
                if let Some(next) = key(&m).checked_sub(first).and_then(|at| next.get_mut(at)) {
                    hops[*next] = Hop::of(&m, step);
                    *next += 1;
                }
            }
        }
        for at in 0..ends.len() {
            if check(first + at, &mut hops[start(at)..ends[at]]).is_break() {
                return;
            }
        }
        first += ends.len();
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
        Sorter { next: vec![0; plan.graph.len()], sorted: Vec::new() }
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
