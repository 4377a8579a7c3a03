//! Scatters with store-and-forward switching on large networks with limited ports: a timetable of channels, along which
//! messages are forwarded.
//!
//! With few ports, terminals that forward much are the bottleneck: each has to send and to receive
//! in every step. Planned routes keep the largest load of a port small. Their channels are the
//! edges of a bipartite graph, from senders to receivers, one edge a message. The number of colours
//! needed is the largest load (König). A colour is a turn, in which the channels of its edges carry
//! a message. The turns of each channel are spread evenly, so that few of them come before a
//! message for them; these idle, and turns after the last make up for them.

use crate::ground::edge_colours;
use crate::journeys::Hops;
use ccsched_base::cores;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem, ResourceId};
use ccsched_model::routing::DistanceTable;
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::SliceRandom;
use std::cmp::Reverse;
use std::sync::Arc;

/// The schedule, if the problem is such a scatter, and messages have a choice of routes: first fit is better where they
/// have none.
pub fn plan(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    let applies = problem.switching().stores()
        && problem.collective().content().is_personal()
        && problem.resources().have_ports()
        && problem.network().uniform_capacity() == Some(1)
        && !problem.network().is_half_duplex()
        && !problem.has_fixed_routes();
    let routes = applies.then(|| Routes::balanced(problem, rng)).flatten()?;
    Some(Queues::new(problem, &routes, rng).run().plan(problem))
}

// Routes that balance the loads of links and ports, those to one destination along a tree. Destination after destination
// chooses the cheapest tree, at prices that grow exponentially with the loads of all others, round after round.

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
        let mut search = TreeSearch::new(problem);
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
    fn choose(
        &mut self,
        demands: &[Demand],
        level: f64,
        search: &mut TreeSearch<'_>,
        rng: &mut Rng,
    ) {
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
struct TreeSearch<'p> {
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

impl<'p> TreeSearch<'p> {
    fn new(problem: &'p Problem) -> Self {
        let (vertices, resources) =
            (problem.network().vertices().len(), problem.resources().capacities().len());
        TreeSearch {
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

// Messages that wait in front of channels. In every step the channels whose turn it is forward one each, that with the most hops
// left; then those with free ports and links at both ends do, where most is left to be done.

/// A message by its demand, with the destination, which is asked for at every hop.
#[derive(Clone, Copy, Debug)]
struct Queued {
    demand: u32,
    destination: VertexId,
}

/// The messages in front of every channel.
struct Queues<'p> {
    problem: &'p Problem,
    routes: &'p Routes<'p>,
    /// By channel: the resources of a hop.
    uses: Vec<[Option<ResourceId>; 3]>,
    /// By channel, then hops left less one.
    waiting: Vec<Vec<Queued>>,
    longest: usize,
    /// By channel: the most hops that a message has left; 0 if none waits.
    most: Vec<usize>,
    /// By resource: how often it is still to be used, and the room left in the present step.
    load: Vec<u32>,
    room: Vec<u32>,
    hops: Hops,
    /// The messages of the present step, where they are, and the hops that they have left.
    moved: Vec<(Queued, VertexId, usize)>,
}

impl<'p> Queues<'p> {
    /// All messages at their sources, in random order.
    fn new(problem: &'p Problem, routes: &'p Routes<'p>, rng: &mut Rng) -> Self {
        let channels = problem.network().channels().len();
        let length = |d: u32| routes.length(&problem.demands()[d as usize]);
        let mut order: Vec<u32> = (0..problem.demands().len() as u32).collect();
        let longest = order.iter().map(|&d| length(d)).max().unwrap_or(0);
        order.shuffle(rng);
        let of_hop = |c: ChannelId| {
            let (network, switching) = (problem.network(), problem.switching());
            let (link, [send, receive]) = problem.resources().of_hop(network, switching, c);
            [Some(link), send, receive]
        };
        let mut queues = Queues {
            problem,
            routes,
            uses: (0..channels as ChannelId).map(of_hop).collect(),
            waiting: vec![Vec::new(); channels * longest],
            longest,
            most: vec![0; channels],
            load: routes.loads().to_vec(),
            room: problem.resources().capacities().to_vec(),
            hops: Hops::default(),
            moved: Vec::new(),
        };
        for demand in order {
            let Demand { source, destination, .. } = problem.demands()[demand as usize];
            queues.push(Queued { demand, destination }, source, length(demand));
        }
        queues
    }

    /// Adds a message at a vertex, with `left` hops to go, to the queue of its next channel, unless
    /// it has arrived.
    fn push(&mut self, message: Queued, v: VertexId, left: usize) {
        if left > 0 {
            let c = self.routes.next(v, message.destination) as usize;
            self.waiting[c * self.longest + left - 1].push(message);
            self.most[c] = self.most[c].max(left);
        }
    }

    /// Runs the steps until all messages have arrived.
    fn run(mut self) -> Hops {
        let channels = 0..self.problem.network().channels().len() as ChannelId;
        let (ends, vertices) = edge_colours::edges(self.problem, channels);
        let graph = ChannelGraph { ends, vertices };
        let ports = self.problem.ports().0.unwrap_or(1) as usize;
        // What the turns of a round have left is done in those of the next one.
        while self.load.iter().any(|&left| left > 0) {
            let before = self.hops.steps.len();
            let parts = graph.parts(self.crossings());
            let turns = |part: usize| graph.turns(&parts[part], ports);
            cores::ahead(parts.len(), turns, |turns| turns.iter().for_each(|turn| self.step(turn)));
            assert!(self.hops.steps.len() > before, "a message waits in front of some channel");
        }
        self.hops
    }

    /// By channel, how many messages have still to cross it. Channels share no links.
    fn crossings(&self) -> Vec<u32> {
        let link = |c| self.problem.resources().of_channel(c) as usize;
        (0..self.most.len() as ChannelId).map(|c| self.load[link(c)]).collect()
    }

    /// One step, in which it is the turn of some channels.
    fn step(&mut self, turn: &[ChannelId]) {
        self.room.copy_from_slice(self.problem.resources().capacities());
        turn.iter().for_each(|&c| self.forward(c));
        let others = 0..self.most.len() as ChannelId;
        let mut others: Vec<ChannelId> = others.filter(|&c| self.may_forward(c)).collect();
        let left = |c: &ChannelId| {
            let uses = self.uses[*c as usize].iter().flatten();
            Reverse(uses.map(|&r| self.load[r as usize]).max())
        };
        others.sort_by_key(left);
        others.into_iter().for_each(|c| self.forward(c));
        if !self.moved.is_empty() {
            self.hops.steps.push(self.hops.hops.len() as u32);
        }
        let mut moved = std::mem::take(&mut self.moved);
        moved.drain(..).for_each(|(message, v, left)| self.push(message, v, left));
        self.moved = moved;
    }

    /// Whether a message waits in front of a channel that has room.
    fn may_forward(&self, c: ChannelId) -> bool {
        let mut uses = self.uses[c as usize].iter().flatten();
        self.most[c as usize] > 0 && uses.all(|&r| self.room[r as usize] > 0)
    }

    /// Forwards the message with the most hops left, if there is any and the channel has room.
    fn forward(&mut self, c: ChannelId) {
        if !self.may_forward(c) {
            return;
        }
        let (at, first) = (c as usize, c as usize * self.longest);
        let left = self.most[at] - 1;
        let message = self.waiting[first + left]
            .pop()
            .expect("`most` is the most hops left of a waiting message");
        while self.most[at] > 0 && self.waiting[first + self.most[at] - 1].is_empty() {
            self.most[at] -= 1;
        }
        for &r in self.uses[at].iter().flatten() {
            self.room[r as usize] -= 1;
            self.load[r as usize] -= 1;
        }
        self.hops.hops.push((message.demand, c));
        self.moved.push((message, self.problem.network().channel(c).to, left));
    }
}

// The turns of channels: edge colours of a bipartite graph with many edges of each channel. The edges are halved again and
// again, each vertex keeping half of its own, until few are left to be coloured. Halves follow each other, so each channel has
// its turns about evenly.

/// Edges of a vertex up to which a graph is coloured.
const MOST_COLOURED: u64 = 64;

/// The graph of all channels.
struct ChannelGraph {
    /// By channel, its ends, which are numbered for the two sides apart.
    ends: Vec<[usize; 2]>,
    /// Above the numbers of all ends.
    vertices: usize,
}

impl ChannelGraph {
    /// Consecutive parts of the edges, with few of each vertex. `crossings` is how often each channel is used.
    fn parts(&self, crossings: Vec<u32>) -> Vec<Vec<u32>> {
        if self.degree(&crossings) <= MOST_COLOURED {
            return vec![crossings];
        }
        self.halves(&crossings).into_iter().flat_map(|half| self.parts(half)).collect()
    }

    /// The channels of each turn of a part; `at_once` is how many edges of a vertex have the same turn.
    fn turns(&self, part: &[u32], at_once: usize) -> Vec<Vec<ChannelId>> {
        let mut edges = Vec::new();
        let mut channels: Vec<ChannelId> = Vec::new();
        for (c, &times) in (0..).zip(part) {
            edges.extend((0..times).map(|_| self.ends[c as usize]));
            channels.extend((0..times).map(|_| c));
        }
        let mut turns: Vec<Vec<ChannelId>> = Vec::new();
        for (c, colour) in channels.into_iter().zip(edge_colours::colours(&edges)) {
            let turn = colour / at_once;
            turns.resize_with(turns.len().max(turn + 1), Vec::new);
            turns[turn].push(c);
        }
        turns
    }

    /// The most edges of a vertex.
    fn degree(&self, crossings: &[u32]) -> u64 {
        let mut degree = [vec![0u64; self.vertices], vec![0; self.vertices]];
        for (ends, &times) in self.ends.iter().zip(crossings) {
            (0..2).for_each(|side| degree[side][ends[side]] += u64::from(times));
        }
        degree.iter().flatten().copied().max().unwrap_or(0)
    }

    /// Two halves. The odd edge of a channel goes to either half in turn, along walks that use each
    /// such edge once and begin at vertices of odd degree while there are any.
    fn halves(&self, crossings: &[u32]) -> [Vec<u32>; 2] {
        let half: Vec<u32> = crossings.iter().map(|times| times / 2).collect();
        let mut halves = [half.clone(), half];
        let vertex = |side: usize, c: usize| side * self.vertices + self.ends[c][side];
        let mut left_over: Vec<Vec<usize>> = vec![Vec::new(); 2 * self.vertices];
        let odd = (0..crossings.len()).filter(|&c| crossings[c] % 2 == 1);
        odd.for_each(|c| (0..2).for_each(|side| left_over[vertex(side, c)].push(c)));
        let is_odd = |v: &usize| left_over[*v].len() % 2 == 1;
        let starts: Vec<usize> =
            (0..2 * self.vertices).filter(is_odd).chain(0..2 * self.vertices).collect();
        let mut is_used = vec![false; crossings.len()];
        for start in starts {
            let (mut at, mut half) = (start, start % 2);
            while let Some(c) = left_over[at].pop() {
                if !std::mem::replace(&mut is_used[c], true) {
                    halves[half][c] += 1;
                    half = 1 - half;
                    let side = at / self.vertices;
                    at = vertex(1 - side, c);
                }
            }
        }
        halves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_bounds as bounds;
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;
    use rand::RngExt;

    fn problem(topology: &str, ports: Option<u32>) -> Arc<Problem> {
        let (switching, ports) = (Switching::StoreAndForward, Ports(ports));
        let request = Request { switching, ports, ..Request::new(Collective::Aas) };
        Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
    }

    #[test]
    fn schedules_are_valid_and_near_the_bound() {
        for (topology, ports, most) in [
            ("mesh:9x9", 1, 1.25),
            ("mesh:9x9", 3, 1.25),
            ("random-regular:80,3,1", 1, 1.1),
            ("random-regular:80,4,1", 2, 1.2),
            ("hypercube:6", 2, 1.2),
        ] {
            let problem = problem(topology, Some(ports));
            let plan = plan(&problem, &mut rng_of(1, 0, 0)).unwrap();
            let found = bounds::all(&problem);
            let file = plan.record(&problem, &found, Provenance::default());
            assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
            let ratio = plan.len() as f64 / f64::from(found[0].steps);
            assert!(ratio <= most, "{topology} {ports}: {ratio}");
        }
    }

    #[test]
    fn other_problems_are_left_to_others() {
        for (topology, ports) in [
            ("mesh:9x9", None),
            ("mesh:9x9,width=2", Some(1)),
            ("mesh:9x9,half", Some(1)),
            ("full-binary-tree:63", Some(1)),
            ("kautz:3,4", Some(2)),
            ("dragonfly:4,2,2", Some(1)),
        ] {
            assert!(plan(&problem(topology, ports), &mut rng_of(1, 0, 0)).is_none(), "{topology}");
        }
    }

    #[test]
    fn turns_use_every_channel_as_often_as_asked_and_no_vertex_too_often() {
        let mut rng = ccsched_base::rng::rng_of(1, 0, 0);
        for at_once in 1..4 {
            let vertices = 12;
            let mut end = || rng.random_range(0..vertices);
            let graph = ChannelGraph { ends: (0..40).map(|_| [end(), end()]).collect(), vertices };
            let crossings: Vec<u32> = (0..40).map(|_| rng.random_range(0..300)).collect();
            let mut left = crossings.clone();
            let parts = graph.parts(crossings.clone());
            let turns: Vec<_> = parts.iter().flat_map(|part| graph.turns(part, at_once)).collect();
            for turn in &turns {
                let mut uses = [vec![0; vertices], vec![0; vertices]];
                for &c in turn {
                    left[c as usize] -= 1;
                    (0..2).for_each(|side| uses[side][graph.ends[c as usize][side]] += 1);
                }
                assert!(uses.iter().flatten().all(|&uses| uses <= at_once));
            }
            assert_eq!(left, [0; 40]);
            let least = graph.degree(&crossings) as usize / at_once;
            assert!(
                (least..=least + least / 10 + 32).contains(&turns.len()),
                "{} {least}",
                turns.len()
            );
        }
    }
}
