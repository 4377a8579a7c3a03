//! First fit for store-and-forward switching: the earliest arrival of a message over its shortest
//! paths, by dynamic programming over the vertices between the ends. A message waits at a vertex
//! until its next channel is free.

use super::between;
use super::by_channel;
use super::known;
use crate::journeys::{Hops, Timetable, Unsorted};
use ccsched_model::problem::{Demand, Problem};
use ccsched_model::routing::DistanceTable;
use ccsched_network::{ChannelId, VertexId};

/// Vertices at one distance from the destination that are followed, those of the earliest arrival, and channels of a vertex.
/// On a fat tree there are hundreds. Fewer where all messages would take long.
const WIDEST: usize = 24;
/// Searches for a free step, for all messages.
const SEARCHES: usize = 400_000_000;

/// Vertices at one distance, and channels of a vertex, that are followed.
fn widest(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> usize {
    let degree = problem.network().channels().len() / problem.network().vertices().len().max(1);
    // About half of the channels of a vertex lead nearer to the destination.
    let searches = between::hops(distances, order) * degree.div_ceil(2);
    (SEARCHES / searches.max(1)).clamp(1, WIDEST)
}

/// The hops of the schedule that takes the demands in this order.
pub fn hops(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> Hops {
    if let Some(hops) = by_channel::hops(problem, distances, order) {
        return hops;
    }
    let mut fit = Fit::new(problem, widest(problem, distances, order));
    let mut hops = Unsorted::default();
    // In a scatter, a demand and its message have the same number.
    known::each(problem, distances, order, |demand, path| {
        if path.is_empty() {
            let to = distances.row(demand.destination);
            fit.choose((demand.source, demand.destination), to);
        } else {
            fit.along(path);
        }
        fit.take(|step, c| hops.push(step, demand.message, c));
    });
    hops.into_sorted()
}

struct Fit<'p> {
    /// Vertices at one distance, and channels of a vertex, that are followed.
    widest: usize,
    problem: &'p Problem,
    table: Timetable,
    /// By channel, the transfers that use it.
    used: Vec<u32>,
    /// The channels of the journey found, each with its step.
    journey: Vec<(ChannelId, u32)>,
    /// By vertex, the first step in which the message can leave it; `u32::MAX` before it is seen.
    arrival: Vec<u32>,
    /// By vertex that has been seen, the channel of the earliest arrival.
    last: Vec<ChannelId>,
    seen: Vec<VertexId>,
    /// The channels that are followed from a vertex.
    ways: Vec<ChannelId>,
}

impl<'p> Fit<'p> {
    fn new(problem: &'p Problem, widest: usize) -> Self {
        Fit {
            widest,
            problem,
            table: Timetable::new(problem),
            used: vec![0; problem.network().channels().len()],
            journey: Vec::new(),
            arrival: vec![u32::MAX; problem.network().vertices().len()],
            last: vec![0; problem.network().vertices().len()],
            seen: Vec::new(),
            ways: Vec::new(),
        }
    }

    /// Takes the steps of the journey found; calls `act` with the step and the channel of each hop.
    fn take(&mut self, mut act: impl FnMut(u32, ChannelId)) {
        for &(c, step) in &self.journey {
            self.table.take(c, step);
            self.used[c as usize] += 1;
            act(step, c);
        }
    }

    /// The earliest journey along a path.
    fn along(&mut self, path: &[ChannelId]) {
        self.journey.clear();
        self.journey.extend(self.table.earliest(path));
    }

    /// Forgets the latest vertices of a layer that begins at `first` and is too wide.
    fn narrow(&mut self, first: usize) {
        let Fit { widest, seen, arrival, last, used, .. } = self;
        let (layer, widest) = (&mut seen[first..], *widest);
        if layer.len() > widest {
            let rank = |&v: &VertexId| (arrival[v as usize], used[last[v as usize] as usize]);
            layer.select_nth_unstable_by_key(widest, rank);
            layer[widest..].iter().for_each(|&v| arrival[v as usize] = u32::MAX);
            seen.truncate(first + widest);
        }
    }

    /// The earliest journey over shortest paths. `to` is the distance to the destination, by
    /// vertex.
    fn choose(&mut self, (source, destination): (VertexId, VertexId), to: &[u16]) {
        let network = self.problem.network();
        self.seen.drain(..).for_each(|v| self.arrival[v as usize] = u32::MAX);
        self.arrival[source as usize] = 0;
        self.seen.push(source);
        let mut layer = 0..1;
        for left in (1..to[source as usize]).rev() {
            for i in layer.clone() {
                self.follow(self.seen[i], left, to);
            }
            layer = layer.end..self.seen.len();
            self.narrow(layer.start);
            layer.end = self.seen.len();
        }
        self.finish(destination, to);
        self.journey.clear();
        let mut v = destination;
        while v != source {
            let c = self.last[v as usize];
            self.journey.push((c, self.arrival[v as usize] - 1));
            v = network.channel(c).from;
        }
    }

    /// Follows the channels of a vertex to the vertices at distance `left` from the end; if there
    /// are too many, those used least.
    fn follow(&mut self, u: VertexId, left: u16, to: &[u16]) {
        let network = self.problem.network();
        let leads = |c: &ChannelId| to[network.channel(*c).to as usize] == left;
        let mut ways = std::mem::take(&mut self.ways);
        ways.clear();
        ways.extend(network.outgoing(u).iter().copied().filter(leads));
        if ways.len() > self.widest {
            ways.select_nth_unstable_by_key(self.widest, |&c| (self.used[c as usize], c));
            ways.truncate(self.widest);
        }
        for &c in &ways {
            self.arrive(c, network.channel(c).to as usize, self.arrival[u as usize]);
        }
        self.ways = ways;
    }

    /// Follows the channels to the destination: it has fewer than the vertices next to it together.
    fn finish(&mut self, destination: VertexId, to: &[u16]) {
        let network = self.problem.network();
        for &c in network.incoming(destination) {
            let from = network.channel(c).from as usize;
            if to[from] == 1 && self.arrival[from] != u32::MAX {
                self.arrive(c, destination as usize, self.arrival[from]);
            }
        }
    }

    /// A message that can leave its vertex in a step arrives over a channel; of equal times that over the
    /// channel used least counts.
    fn arrive(&mut self, c: ChannelId, v: usize, leaves: u32) {
        let time = self.table.next(c, leaves) + 1;
        let used = |c: ChannelId| self.used[c as usize];
        let before = self.arrival[v];
        if before == u32::MAX {
            self.seen.push(v as VertexId);
        }
        if time < before || (time == before && used(c) < used(self.last[v])) {
            (self.arrival[v], self.last[v]) = (time, c);
        }
    }
}
