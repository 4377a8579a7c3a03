//! The hops that a transfer may take: all its allowed walks at once, as a graph whose slots are
//! (vertex, hops made so far), in the order of hops made. No list of paths is needed, however many
//! there are: the cheapest is found by dynamic programming over the slots.

use crate::network::metrics::{UNREACHABLE, distances_to};
use crate::network::{ChannelId, VertexId};
use crate::problem::Problem;
use std::sync::Arc;

/// The hops of a search's transfers are kept if they are not more than this; else they are found
/// anew whenever they are needed.
const MOST_KEPT: usize = 6_000_000;

/// One hop into a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The slot it comes from.
    pub from: u32,
    /// The channel it takes.
    pub channel: ChannelId,
}

/// The walks of one transfer. Slot 0 is its source, the last slot its destination.
#[derive(Clone, Copy, Debug)]
pub struct Walks<'a> {
    /// One past the last hop into every slot.
    ends: &'a [u32],
    hops: &'a [Hop],
}

impl<'a> Walks<'a> {
    /// Number of slots.
    pub fn slots(self) -> usize {
        self.ends.len()
    }

    /// Number of hops.
    pub fn hops(self) -> usize {
        self.hops.len()
    }

    /// The hops into a slot; none into the first.
    pub fn into_slot(self, slot: usize) -> &'a [Hop] {
        let first = if slot == 0 { 0 } else { self.ends[slot - 1] };
        &self.hops[first as usize..self.ends[slot] as usize]
    }
}

/// The walks of one transfer, and what it takes to find them; reused.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    ends: Vec<u32>,
    hops: Vec<Hop>,
    /// Vertices of the last layer of slots and of the next.
    layer: Vec<VertexId>,
    next: Vec<VertexId>,
    /// Slot of every vertex, of the last layer; [`NOWHERE`] elsewhere.
    slot: Vec<u32>,
    /// The hops into the destination.
    last: Vec<Hop>,
}

const NOWHERE: u32 = u32::MAX;

impl Scratch {
    fn walks(&self) -> Walks<'_> {
        Walks { ends: &self.ends, hops: &self.hops }
    }

    /// The one walk along a fixed route.
    fn follow(&mut self, route: &[ChannelId]) {
        self.ends.clear();
        self.hops.clear();
        self.ends.push(0);
        self.hops.extend((0..).zip(route).map(|(from, &channel)| Hop { from, channel }));
        self.ends.extend(1..=route.len() as u32);
    }
}

/// The walks of all transfers.
#[derive(Debug)]
pub struct Hops {
    problem: Arc<Problem>,
    slack: u32,
    /// By vertex: its row in `distances`, if it is a destination.
    rows: Vec<Option<usize>>,
    /// Distances to the destinations, by row and vertex.
    distances: Vec<u32>,
}

/// The walks of some transfers, one after the other.
#[derive(Debug, Default)]
pub struct Kept {
    /// First end of every transfer in `ends`, and first hop in `hops`.
    firsts: Vec<(usize, usize)>,
    ends: Vec<u32>,
    hops: Vec<Hop>,
}

impl Kept {
    fn of(&self, transfer: u32) -> Walks<'_> {
        let t = transfer as usize;
        let (first, last) = (self.firsts[t], self.firsts[t + 1]);
        Walks { ends: &self.ends[first.0..last.0], hops: &self.hops[first.1..last.1] }
    }
}

impl Hops {
    /// Of all demands, with at most `slack` channels more than a shortest one.
    pub fn new(problem: Arc<Problem>, slack: u32) -> Self {
        let vertices = problem.network.vertices().len();
        let mut rows = vec![None; vertices];
        let mut distances = Vec::new();
        for d in &problem.demands {
            rows[d.destination as usize].get_or_insert_with(|| {
                distances.extend(distances_to(&problem.network, d.destination));
                distances.len() / vertices - 1
            });
        }
        Hops { problem, slack, rows, distances }
    }

    /// The walks of a transfer that serves a demand.
    pub fn of<'a>(
        &self,
        (transfer, demand): (u32, usize),
        kept: Option<&'a Kept>,
        scratch: &'a mut Scratch,
    ) -> Walks<'a> {
        if let Some(kept) = kept {
            return kept.of(transfer);
        }
        self.find(demand, self.slack, scratch);
        scratch.walks()
    }

    /// The shortest walks of a demand.
    pub fn shortest<'a>(&self, demand: usize, scratch: &'a mut Scratch) -> Walks<'a> {
        self.find(demand, 0, scratch);
        scratch.walks()
    }

    /// Channels on a shortest path of a demand, or on its fixed route.
    pub fn distance(&self, demand: usize) -> u32 {
        let d = &self.problem.demands[demand];
        if let Some(route) = self.problem.fixed_route(d.source, d.destination) {
            return route.len() as u32;
        }
        self.distances_to(d.destination)[d.source as usize]
    }

    /// Channels on the longest walk of a demand that so much slack allows; a path meets no vertex twice.
    pub fn longest(&self, demand: usize, slack: u32) -> u32 {
        let most = self.problem.network.vertices().len() as u32 - 1;
        self.distance(demand).saturating_add(slack).min(most)
    }

    fn distances_to(&self, v: VertexId) -> &[u32] {
        let vertices = self.problem.network.vertices().len();
        let row = self.rows[v as usize].expect("it is a destination");
        &self.distances[row * vertices..][..vertices]
    }

    /// The walks of transfers that serve these demands; none if there are too many.
    pub fn keep(&self, demands: impl Iterator<Item = usize>) -> Option<Kept> {
        let mut kept = Kept { firsts: vec![(0, 0)], ..Kept::default() };
        let mut scratch = Scratch::default();
        for demand in demands {
            self.find(demand, self.slack, &mut scratch);
            kept.ends.extend_from_slice(&scratch.ends);
            kept.hops.extend_from_slice(&scratch.hops);
            if kept.hops.len() > MOST_KEPT {
                return None;
            }
            kept.firsts.push((kept.ends.len(), kept.hops.len()));
        }
        Some(kept)
    }

    /// Layer after layer: from every vertex of one to those from which the destination is still near
    /// enough. The destination, reached after various numbers of hops, is one slot, the last.
    fn find(&self, demand: usize, slack: u32, scratch: &mut Scratch) {
        let network = &self.problem.network;
        let d = &self.problem.demands[demand];
        if let Some(route) = self.problem.fixed_route(d.source, d.destination) {
            return scratch.follow(route);
        }
        let distance = self.distances_to(d.destination);
        let longest = self.longest(demand, slack);
        let Scratch { ends, hops, layer, next, slot, last } = scratch;
        slot.resize(network.vertices().len(), NOWHERE);
        ends.clear();
        hops.clear();
        ends.push(0);
        layer.clear();
        layer.push(d.source);
        slot[d.source as usize] = 0;
        last.clear();
        for made in 1..=longest {
            let is_near = |v: VertexId| {
                let left = distance[v as usize];
                left != UNREACHABLE && made + left <= longest && v != d.source
            };
            next.clear();
            for &v in layer.iter() {
                for &c in network.outgoing(v) {
                    let to = network.channel(c).to;
                    if to == d.destination {
                        last.push(Hop { from: slot[v as usize], channel: c });
                    } else if is_near(to) {
                        next.push(to);
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            for &v in next.iter() {
                for &channel in network.incoming(v) {
                    let from = slot[network.channel(channel).from as usize];
                    if from != NOWHERE {
                        hops.push(Hop { from, channel });
                    }
                }
                ends.push(hops.len() as u32);
            }
            layer.iter().for_each(|&v| slot[v as usize] = NOWHERE);
            let first = ends.len() - next.len();
            (first..).zip(next.iter()).for_each(|(s, &v)| slot[v as usize] = s as u32);
            std::mem::swap(layer, next);
        }
        layer.iter().for_each(|&v| slot[v as usize] = NOWHERE);
        hops.append(last);
        ends.push(hops.len() as u32);
    }
}
