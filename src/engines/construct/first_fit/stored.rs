//! First fit for store-and-forward switching: the earliest arrival of a message over its shortest
//! paths, by dynamic programming over the vertices between the ends. A message waits at a vertex
//! until its next channel is free.

use super::table::FreeSteps;
use crate::network::{ChannelId, VertexId};
use crate::problem::{Demand, Problem, ResourceId};
use crate::routing::DistanceTable;
use crate::schedule::Plan;

/// Vertices at one distance from the destination that are followed: those of the earliest arrival.
/// On a fat tree there are hundreds.
const WIDEST: usize = 24;

/// The schedule that takes the demands in this order.
pub fn plan(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> Plan {
    let mut fit = Fit::new(problem);
    let mut plan = Plan::new(0);
    for demand in order {
        let ends = (demand.source, demand.destination);
        match problem.fixed_route(ends.0, ends.1) {
            Some(route) => fit.along(route),
            None => fit.choose(ends, distances.row(ends.1)),
        }
        fit.take(|step, c| plan.push(step as usize, demand.message, [c]));
    }
    plan.tidy();
    plan
}

/// Messages along given routes, in this order: calls `act` with the number of the message, the step
/// and the channel of every hop.
pub fn along<'r>(
    problem: &Problem,
    messages: impl Iterator<Item = (u32, &'r [ChannelId])>,
    mut act: impl FnMut(u32, u32, ChannelId),
) {
    let mut fit = Fit::new(problem);
    for (message, route) in messages {
        fit.along(route);
        fit.take(|step, c| act(message, step, c));
    }
}

struct Fit<'p> {
    problem: &'p Problem,
    free: FreeSteps,
    /// By channel, the transfers that use it.
    used: Vec<u32>,
    /// The channels of the journey found, each with its step.
    journey: Vec<(ChannelId, u32)>,
    /// By vertex, the first step in which the message can leave it; `u32::MAX` before it is seen.
    arrival: Vec<u32>,
    seen: Vec<VertexId>,
}

impl<'p> Fit<'p> {
    fn new(problem: &'p Problem) -> Self {
        Fit {
            problem,
            free: FreeSteps::new(&problem.resources),
            used: vec![0; problem.network.channels().len()],
            journey: Vec::new(),
            arrival: vec![u32::MAX; problem.network.vertices().len()],
            seen: Vec::new(),
        }
    }

    /// Takes the steps of the journey found; calls `act` with the step and the channel of each hop.
    fn take(&mut self, mut act: impl FnMut(u32, ChannelId)) {
        for &(c, step) in &self.journey {
            let (link, ports) = crossing(self.problem, c);
            self.free.take(link, step);
            ports.into_iter().flatten().for_each(|port| self.free.take(port, step));
            self.used[c as usize] += 1;
            act(step, c);
        }
    }

    /// The first step, from `from` on, in which a channel and the ports at its ends are free.
    fn next(&self, c: ChannelId, from: u32) -> u32 {
        let (link, ports) = crossing(self.problem, c);
        let end = 64 * self.free.words() as u32;
        let mut mask = u64::MAX << (from % 64);
        let first = self.free.first(link);
        if first > from as usize / 64 {
            mask = u64::MAX;
        }
        for word in first.max(from as usize / 64)..self.free.words() {
            let mut steps = self.free.word(link, word) & mask;
            ports.into_iter().flatten().for_each(|port| steps &= self.free.word(port, word));
            if steps != 0 {
                return 64 * word as u32 + steps.trailing_zeros();
            }
            mask = u64::MAX;
        }
        end.max(from)
    }

    /// The earliest journey along a fixed route.
    fn along(&mut self, route: &[ChannelId]) {
        self.journey.clear();
        let mut time = 0;
        for &c in route {
            let step = self.next(c, time);
            self.journey.push((c, step));
            time = step + 1;
        }
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
                        let time = self.next(c, self.arrival[u as usize]) + 1;
                        if self.arrival[v as usize] == u32::MAX {
                            self.seen.push(v);
                        }
                        self.arrival[v as usize] = self.arrival[v as usize].min(time);
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
            let time = self.arrival[v as usize];
            let leads_here = |c: &&ChannelId| {
                let u = network.channel(**c).from as usize;
                self.arrival[u] != u32::MAX
                    && to[u] == to[v as usize] + 1
                    && self.next(**c, self.arrival[u]) + 1 == time
            };
            let ways = network.incoming(v).iter().filter(leads_here);
            let c = *ways.min_by_key(|c| self.used[**c as usize]).expect("the vertex is reached");
            self.journey.push((c, time - 1));
            v = network.channel(c).from;
        }
    }
}

/// The link of a channel, and the limited ports at its ends.
fn crossing(problem: &Problem, c: ChannelId) -> (ResourceId, [Option<ResourceId>; 2]) {
    problem.resources.of_hop(&problem.network, problem.switching, c)
}
