//! Routes that balance the loads of links and ports, those to one destination along a tree. Destination after destination
//! chooses the cheapest tree, at prices that grow exponentially with the loads of all others, round after round.

use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem, ResourceId};
use ccsched_model::routing::DistanceTable;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::SliceRandom;

/// Rounds after the first, in which prices are equal; the routes of the best are kept.
const ROUNDS: usize = 4;
/// How sharply prices grow with loads, relative to the largest.
const SHARPNESS: f64 = 25.0;
/// No channel.
const NONE: ChannelId = ChannelId::MAX;

/// The routes of all demands of a scatter.
pub struct Routes<'p> {
    problem: &'p Problem,
    distances: DistanceTable,
    /// By destination and vertex: the channel towards it.
    next: Vec<ChannelId>,
    /// By resource, how often it is used.
    load: Vec<u32>,
}

impl<'p> Routes<'p> {
    /// The routes with the smallest largest load of a few rounds; none if no message has a choice.
    pub fn balanced(problem: &'p Problem, rng: &mut Rng) -> Option<Self> {
        let distances =
            DistanceTable::to(problem.network(), problem.demands().iter().map(|d| d.destination));
        let (next, load) =
            (vec![NONE; distances.cells()], vec![0; problem.resources().capacities().len()]);
        let mut routes = Routes { problem, distances, next, load };
        let mut demands = problem.demands().to_vec();
        demands.sort_by_key(|d| d.destination);
        let mut trees: Vec<&[Demand]> =
            demands.chunk_by(|a, b| a.destination == b.destination).collect();
        let mut search = Search::new(problem);
        // Prices do not tell loads apart yet.
        let mut level = f64::INFINITY;
        let mut best: Option<(f64, Vec<ChannelId>, Vec<u32>)> = None;
        for _ in 0..=ROUNDS {
            trees.shuffle(rng);
            for demands in &trees {
                routes.choose(demands, level, &mut search, rng);
            }
            if !search.has_choice {
                return None;
            }
            let largest = routes.largest();
            level = level.min(largest);
            if best.as_ref().is_none_or(|(least, ..)| largest < *least) {
                best = Some((largest, routes.next.clone(), routes.load.clone()));
            }
        }
        if let Some((_, next, load)) = best {
            (routes.next, routes.load) = (next, load);
        }
        Some(routes)
    }

    /// The channel from a vertex towards a destination.
    pub fn next(&self, v: VertexId, destination: VertexId) -> ChannelId {
        self.next[self.distances.cell(destination, v)]
    }

    /// The hops of a demand.
    pub fn length(&self, demand: &Demand) -> usize {
        self.distances.row(demand.destination)[demand.source as usize].into()
    }

    /// By resource, how often it is used.
    pub fn loads(&self) -> &[u32] {
        &self.load
    }

    /// The largest load, relative to capacity.
    fn largest(&self) -> f64 {
        let capacities = self.problem.resources().capacities();
        let relative = |(&load, &capacity): (&u32, &u32)| f64::from(load) / f64::from(capacity);
        self.load.iter().zip(capacities).map(relative).fold(0.0, f64::max)
    }

    /// Chooses the routes of the demands to one destination anew.
    fn choose(&mut self, demands: &[Demand], level: f64, search: &mut Search<'_>, rng: &mut Rng) {
        let Some(&Demand { destination, .. }) = demands.first() else { return };
        let first = self.distances.cell(destination, 0);
        search.order_by(self.distances.row(destination), destination);
        let row = first..first + self.problem.network().vertices().len();
        if self.next[row.clone()].iter().any(|&c| c != NONE) {
            let remove = |load: &mut u32, messages| *load -= messages;
            search.load(demands, &self.next[row.clone()], &mut self.load, remove);
        }
        search.set_prices(&self.load, level);
        let distances = self.distances.row(destination);
        search.cheapest(distances, &mut self.next[row.clone()], rng);
        let add = |load: &mut u32, messages| *load += messages;
        search.load(demands, &self.next[row], &mut self.load, add);
    }
}

/// The search for trees; its memory is reused.
struct Search<'p> {
    problem: &'p Problem,
    /// By resource.
    price: Vec<f64>,
    /// The vertices from which there is a way, the nearest first, without the destination.
    order: Vec<VertexId>,
    /// By vertex: the price of its route, and the messages that come through.
    cost: Vec<f64>,
    flow: Vec<u32>,
    /// Whether two channels have led nearer to a destination from some vertex.
    has_choice: bool,
}

impl<'p> Search<'p> {
    fn new(problem: &'p Problem) -> Self {
        let (vertices, resources) =
            (problem.network().vertices().len(), problem.resources().capacities().len());
        Search {
            problem,
            price: vec![0.0; resources],
            order: Vec::with_capacity(vertices),
            cost: vec![0.0; vertices],
            flow: vec![0; vertices],
            has_choice: false,
        }
    }

    /// Orders the vertices by their distances to a destination.
    fn order_by(&mut self, distances: &[u16], destination: VertexId) {
        self.order.clear();
        let vertices = 0..distances.len() as VertexId;
        let is_far = |&v: &VertexId| v != destination && distances[v as usize] != u16::MAX;
        self.order.extend(vertices.filter(is_far));
        self.order.sort_by_key(|&v| distances[v as usize]);
        self.cost[destination as usize] = 0.0;
    }

    fn set_prices(&mut self, load: &[u32], level: f64) {
        let capacities = self.problem.resources().capacities();
        for ((price, &load), &capacity) in self.price.iter_mut().zip(load).zip(capacities) {
            let relative = f64::from(load) / f64::from(capacity) / level;
            *price = libm::exp(SHARPNESS * (relative - 1.0));
        }
    }

    /// The links and ports of a hop over a channel.
    fn uses(&self, c: ChannelId) -> impl Iterator<Item = ResourceId> + use<> {
        let (network, switching, resources) =
            (self.problem.network(), self.problem.switching(), self.problem.resources());
        let (link, [send, receive]) = resources.of_hop(network, switching, c);
        [Some(link), send, receive].into_iter().flatten()
    }

    /// The next channels of the cheapest of the shortest routes; any of equal ones.
    fn cheapest(&mut self, distances: &[u16], next: &mut [ChannelId], rng: &mut Rng) {
        let network = self.problem.network();
        for i in 0..self.order.len() {
            let v = self.order[i];
            let mut best: Option<(f64, ChannelId)> = None;
            for &c in network.outgoing(v) {
                let to = network.channel(c).to as usize;
                if distances[to].checked_add(1) != Some(distances[v as usize]) {
                    continue;
                }
                self.has_choice |= best.is_some();
                let price: f64 = self.uses(c).map(|r| self.price[r as usize]).sum();
                let cost = self.cost[to] + price;
                if best.is_none_or(|(least, _)| cost < least || cost == least && rng.random()) {
                    best = Some((cost, c));
                }
            }
            if let Some((cost, c)) = best {
                (self.cost[v as usize], next[v as usize]) = (cost, c);
            }
        }
    }

    /// Changes the loads of all resources by the messages of some demands along the routes of a tree.
    fn load(
        &mut self,
        demands: &[Demand],
        next: &[ChannelId],
        load: &mut [u32],
        change: impl Fn(&mut u32, u32),
    ) {
        self.flow.fill(0);
        demands.iter().for_each(|d| self.flow[d.source as usize] += 1);
        for &v in self.order.iter().rev() {
            let messages = self.flow[v as usize];
            if messages > 0 {
                let c = next[v as usize];
                self.uses(c).for_each(|r| change(&mut load[r as usize], messages));
                self.flow[self.problem.network().channel(c).to as usize] += messages;
            }
        }
    }
}
