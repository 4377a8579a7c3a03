//! The place of each transfer: its channels, and the step in which it crosses each.

use ccsched_model::problem::{Problem, ResourceId, Switching};
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use serde::{Deserialize, Serialize};

/// One hop: a channel and the step in which it is crossed.
pub type Crossing = (ChannelId, u32);

/// The crossings of all transfers in one array; a waiting transfer has none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Places {
    /// First crossing of each transfer, and the end of the last.
    firsts: Vec<usize>,
    lengths: Vec<u32>,
    crossings: Vec<Crossing>,
}

impl Places {
    /// Room for transfers of at most these lengths; all wait.
    pub fn new(most: impl Iterator<Item = u32>) -> Self {
        let mut firsts = vec![0];
        firsts.extend(most.scan(0, |sum, most| {
            *sum += most as usize;
            Some(*sum)
        }));
        let (transfers, all) = (firsts.len() - 1, firsts[firsts.len() - 1]);
        Places { firsts, lengths: vec![0; transfers], crossings: vec![(0, 0); all] }
    }

    /// Number of transfers.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Crossings of the longest place that there is room for.
    pub fn longest(&self) -> usize {
        self.firsts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }

    /// Crossings of a transfer that there is room for.
    pub fn room(&self, transfer: u32) -> usize {
        self.firsts[transfer as usize + 1] - self.firsts[transfer as usize]
    }

    /// The place of a transfer; empty if it waits.
    #[inline]
    pub fn of(&self, transfer: u32) -> &[Crossing] {
        let t = transfer as usize;
        &self.crossings[self.firsts[t]..][..self.lengths[t] as usize]
    }

    /// Whether a transfer has a place.
    #[inline]
    pub fn is_placed(&self, transfer: u32) -> bool {
        self.lengths[transfer as usize] > 0
    }

    /// Gives a transfer a place; an empty one makes it wait.
    #[inline]
    pub fn set(&mut self, transfer: u32, crossings: &[Crossing]) {
        let t = transfer as usize;
        self.lengths[t] = crossings.len() as u32;
        self.crossings[self.firsts[t]..][..crossings.len()].copy_from_slice(crossings);
    }
}

/// Adds the transfer of a demand to a schedule, if it has a place.
pub fn add_to_plan(problem: &Problem, plan: &mut Plan, demand: u32, place: &[Crossing]) {
    let message = problem.demands()[demand as usize].message;
    let hops = match problem.switching() {
        Switching::Wormhole | Switching::Hosts => place.len().max(1),
        Switching::StoreAndForward => 1,
    };
    for part in place.chunks(hops) {
        plan.push(part[0].1 as usize, message, part.iter().map(|&(c, _)| c));
    }
}

/// The resources that a transfer occupies, each with its step.
pub fn uses<'a>(
    problem: &'a Problem,
    crossings: &'a [Crossing],
) -> impl Iterator<Item = (ResourceId, u32)> + Clone + 'a {
    let (network, resources, switching) =
        (problem.network(), problem.resources(), problem.switching());
    crossings.iter().enumerate().flat_map(move |(hop, &(c, step))| {
        let at = (hop == 0, hop + 1 == crossings.len());
        let (link, [send, receive]) = resources.of_crossing(network, switching, c, at);
        [Some(link), send, receive].into_iter().flatten().map(move |r| (r, step))
    })
}

/// Cuts the loops out of a walk that visits a vertex twice. Walks with a slack of two or more may
/// have loops.
pub fn cut_loops(problem: &Problem, walk: &mut Vec<Crossing>) {
    let from = |crossing: &Crossing| problem.network().channel(crossing.0).from;
    let mut i = 0;
    while i < walk.len() {
        let v = from(&walk[i]);
        if let Some(again) = walk.iter().rposition(|crossing| from(crossing) == v) {
            walk.drain(i..again);
        }
        i += 1;
    }
}
