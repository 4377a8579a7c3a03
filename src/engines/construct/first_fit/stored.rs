//! First fit for store-and-forward switching: the earliest arrival of a message over its shortest
//! paths, by dynamic programming over the vertices between the ends. A message waits at a vertex
//! until its next channel is free.

use super::near::Near;
use crate::engines::journeys::{Timetable, Unsorted};
use crate::network::{ChannelId, VertexId};
use crate::problem::{Demand, Problem};
use crate::routing::DistanceTable;
use crate::schedule::Plan;

/// Vertices at one distance from the destination that are followed: those of the earliest arrival.
/// On a fat tree there are hundreds.
const WIDEST: usize = 24;

/// The schedule that takes the demands in this order.
pub fn plan(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> Plan {
    let mut fit = Fit::new(problem);
    let (mut hops, mut near) = (Unsorted::default(), Near::new(distances));
    for demand in order {
        let ends = (demand.source, demand.destination);
        match problem.fixed_route(ends.0, ends.1) {
            Some(route) => fit.along(route),
            None => fit.choose(ends, near.to(ends.1)),
        }
        // In a scatter, a demand and its message have the same number.
        fit.take(|step, c| hops.push(step, demand.message, c));
    }
    hops.into_sorted().plan(problem)
}

struct Fit<'p> {
    problem: &'p Problem,
    table: Timetable<'p>,
    /// By channel, the transfers that use it.
    used: Vec<u32>,
    /// The channels of the journey found, each with its step.
    journey: Vec<(ChannelId, u32)>,
    /// By vertex, the first step in which the message can leave it; `u32::MAX` before it is seen.
    arrival: Vec<u32>,
    /// By vertex that has been seen, the channel of the earliest arrival.
    last: Vec<ChannelId>,
    seen: Vec<VertexId>,
}

impl<'p> Fit<'p> {
    fn new(problem: &'p Problem) -> Self {
        Fit {
            problem,
            table: Timetable::new(problem),
            used: vec![0; problem.network.channels().len()],
            journey: Vec::new(),
            arrival: vec![u32::MAX; problem.network.vertices().len()],
            last: vec![0; problem.network.vertices().len()],
            seen: Vec::new(),
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

    /// The earliest journey along a fixed route.
    fn along(&mut self, route: &[ChannelId]) {
        self.journey.clear();
        self.journey.extend(self.table.earliest(route));
    }

    /// Forgets the latest vertices of a layer that begins at `first` and is too wide.
    fn narrow(&mut self, first: usize) {
        let layer = &mut self.seen[first..];
        if layer.len() > WIDEST {
            let arrival = &mut self.arrival;
            layer.select_nth_unstable_by_key(WIDEST, |&v| arrival[v as usize]);
            layer[WIDEST..].iter().for_each(|&v| arrival[v as usize] = u32::MAX);
            self.seen.truncate(first + WIDEST);
        }
    }

    /// The earliest journey over shortest paths. `to` is the distance to the destination, by
    /// vertex.
    fn choose(&mut self, (source, destination): (VertexId, VertexId), to: &[u16]) {
        let network = &self.problem.network;
        self.seen.drain(..).for_each(|v| self.arrival[v as usize] = u32::MAX);
        self.arrival[source as usize] = 0;
        self.seen.push(source);
        let mut layer = 0..1;
        for left in (0..to[source as usize]).rev() {
            for i in layer.clone() {
                let u = self.seen[i];
                for &c in network.outgoing(u) {
                    let v = network.channel(c).to;
                    if to[v as usize] == left {
                        self.arrive(c, v as usize, self.arrival[u as usize]);
                    }
                }
            }
            layer = layer.end..self.seen.len();
            self.narrow(layer.start);
            layer.end = self.seen.len();
        }
        self.journey.clear();
        let mut v = destination;
        while v != source {
            let c = self.last[v as usize];
            self.journey.push((c, self.arrival[v as usize] - 1));
            v = network.channel(c).from;
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
