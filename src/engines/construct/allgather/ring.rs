//! All-to-all broadcast where a terminal receives one message per step: the terminals form a ring,
//! and in every step each passes on to the next the message that it got from the one before (the
//! ring all-gather of MPI libraries). With N terminals that takes N - 1 steps, and a terminal that
//! receives one message per step needs as many.
//!
//! The ring is a cycle of all terminals whose transfers do not conflict, so one step holds them
//! all. In a tree the depth-first order of the leaves is such a cycle: it crosses every link once
//! each way.

use crate::construct::order;
use crate::construct::router::Router;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, ResourceId};
use ccsched_model::schedule::Plan;
use ccsched_network::metrics::{UNREACHABLE, distances_to};
use ccsched_network::{ChannelId, Network, VertexId};
use rand::RngExt;

/// A ring all-gather, where a terminal receives one message per step and a ring is found.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let is_narrow = |&v: &VertexId| problem.receives_at_once(v) == 1;
    if !problem.receivers().iter().any(is_narrow) {
        return None;
    }
    let mut members = [problem.senders(), problem.receivers()].concat();
    members.sort_unstable();
    members.dedup();
    find(problem, &members, rng).map(|ring| pass_on(problem, &ring))
}

/// Every message goes round to its last receiver, its pieces one after the other.
fn pass_on(problem: &Problem, ring: &Ring) -> Plan {
    let n = ring.len();
    let pieces = problem.pieces();
    let mut plan = Plan::new((n as u32 - 1) * pieces);
    let of_message = problem.demands().chunk_by(|a, b| a.message == b.message);
    for demand in of_message.map(|demands| demands[0]) {
        let start = ring.iter().position(|(v, _)| *v == demand.source);
        let start = start.expect("every sender is in the ring");
        let receives =
            |hops: &usize| problem.receivers().binary_search(&ring[(start + hops) % n].0).is_ok();
        let hops = (1..n).rev().find(receives).unwrap_or(0);
        for hop in 0..hops {
            let step = hop * pieces as usize + (demand.message % pieces) as usize;
            plan.push(step, demand.message, &ring[(start + hop) % n].1);
        }
    }
    plan.tidy();
    plan
}

// A cycle of some terminals such that the paths from each to the next share no link: the order of
// a spanning tree, improved by annealing of order and paths at a low, fixed temperature.

/// Terminals in cyclic order, each with its path to the next; the last path leads to the first.
type Ring = Vec<(VertexId, Vec<ChannelId>)>;

/// About how many channels are examined before the search gives up: some tenths of a second.
const EFFORT: usize = 30_000_000;
/// The temperature, in conflicts.
const TEMPERATURE: f64 = 0.25;
/// The longest part of a cycle that moves at once.
const LONGEST_PART: usize = 8;

/// A cycle of `members`, if the search finds one.
fn find(problem: &Problem, members: &[VertexId], rng: &mut Rng) -> Option<Ring> {
    let distance: Vec<Vec<u32>> =
        members.iter().map(|&v| distances_to(problem.network(), v)).collect();
    let is_apart = |to: &Vec<u32>| members.iter().any(|&v| to[v as usize] == UNREACHABLE);
    if members.len() < 2 || distance.iter().any(is_apart) {
        return None;
    }
    let mut search = RingSearch::new(problem, members, distance);
    let mut best: Option<(u64, Vec<usize>)> = None;
    for order in order::candidates(problem.network(), members) {
        search.load(&order, rng);
        if best.as_ref().is_none_or(|(cost, _)| search.cost < *cost) {
            best = Some((search.cost, order));
        }
    }
    search.load(&best?.1, rng);
    search.anneal(rng);
    (search.cost == 0).then(|| search.ring())
}

struct RingSearch<'a> {
    network: &'a Network,
    members: &'a [VertexId],
    /// Distance to every member, by member, then vertex.
    distance: Vec<Vec<u32>>,
    link: Vec<ResourceId>,
    /// The members after and before a member; members by index.
    next: Vec<usize>,
    previous: Vec<usize>,
    /// Path of a member to the next.
    paths: Vec<Vec<ChannelId>>,
    /// Capacity of each link, and number of paths over it.
    capacity: Vec<u64>,
    uses: Vec<u64>,
    /// Cost of the uses beyond the capacities: pairs of paths in conflict where these are 1.
    cost: u64,
    router: Router,
}

impl<'a> RingSearch<'a> {
    fn new(problem: &'a Problem, members: &'a [VertexId], distance: Vec<Vec<u32>>) -> Self {
        let network = problem.network();
        let channels = 0..network.channels().len() as ChannelId;
        let links = &problem.resources().capacities()[..problem.resources().links()];
        RingSearch {
            network,
            members,
            distance,
            link: channels.map(|c| problem.resources().of_channel(c)).collect(),
            next: vec![0; members.len()],
            previous: vec![0; members.len()],
            paths: vec![Vec::new(); members.len()],
            capacity: links.iter().map(|&c| u64::from(c)).collect(),
            uses: vec![0; links.len()],
            cost: 0,
            router: Router::default(),
        }
    }

    fn load(&mut self, order: &[usize], rng: &mut Rng) {
        self.paths.iter_mut().for_each(Vec::clear);
        self.uses.fill(0);
        self.cost = 0;
        for (i, &m) in order.iter().enumerate() {
            let next = order[(i + 1) % order.len()];
            (self.next[m], self.previous[next]) = (next, m);
        }
        order.iter().for_each(|&m| self.connect(m, rng));
    }

    /// Joins a member to the next over the path with the fewest conflicts.
    fn connect(&mut self, m: usize, rng: &mut Rng) {
        let (from, next) = (self.members[m], self.next[m]);
        let price = |c: ChannelId| {
            let link = self.link[c as usize] as usize;
            excess(self.uses[link], self.capacity[link])
        };
        let ends = (from, self.members[next]);
        let distance = |v: VertexId| self.distance[next][v as usize];
        self.router.cheapest(self.network, ends, distance, price, &mut self.paths[m], rng);
        self.add(m);
    }

    fn add(&mut self, m: usize) {
        for &c in &self.paths[m] {
            let link = self.link[c as usize] as usize;
            self.cost += excess(self.uses[link], self.capacity[link]);
            self.uses[link] += 1;
        }
    }

    fn disconnect(&mut self, m: usize) -> Vec<ChannelId> {
        for &c in &self.paths[m] {
            let link = self.link[c as usize] as usize;
            self.uses[link] -= 1;
            self.cost -= excess(self.uses[link], self.capacity[link]);
        }
        std::mem::take(&mut self.paths[m])
    }

    fn anneal(&mut self, rng: &mut Rng) {
        let moves = EFFORT / (self.network.channels().len() + 3 * self.members.len());
        for _ in 0..moves {
            if self.cost == 0 {
                return;
            }
            // Mostly a member whose path is in conflict.
            let draws: [usize; 4] =
                std::array::from_fn(|_| rng.random_range(0..self.members.len()));
            let first = draws.into_iter().find(|&m| self.is_in_conflict(m)).unwrap_or(draws[0]);
            self.shift(first, rng);
        }
    }

    fn is_in_conflict(&self, m: usize) -> bool {
        self.paths[m].iter().any(|&c| {
            let link = self.link[c as usize] as usize;
            self.uses[link] > self.capacity[link]
        })
    }

    /// Moves the part of the cycle that begins at a member to a random place, or only chooses other
    /// paths; Metropolis acceptance decides.
    fn shift(&mut self, first: usize, rng: &mut Rng) {
        let n = self.members.len();
        let mut last = first;
        let mut part = vec![first];
        for _ in 1..rng.random_range(1..=LONGEST_PART.min(n)) {
            last = self.next[last];
            part.push(last);
        }
        let (before, after) = (self.previous[first], self.next[last]);
        let place = rng.random_range(0..n);
        // Where the part cannot move there, only the paths change.
        let moves = !part.contains(&place) && place != before && part.len() + 1 < n;
        let behind = self.next[place];
        let mut changed = vec![before, last, place];
        changed.sort_unstable();
        changed.dedup();
        let cost = self.cost;
        let old: Vec<_> = changed.iter().map(|&m| self.disconnect(m)).collect();
        if moves {
            self.link_up(&[before, after]);
            self.link_up(&[place, first]);
            self.link_up(&[last, behind]);
        }
        changed.iter().for_each(|&m| self.connect(m, rng));
        let rise = self.cost as f64 - cost as f64;
        if rise <= 0.0 || rng.random::<f64>() < libm::exp(-rise / TEMPERATURE) {
            return;
        }
        changed.iter().for_each(|&m| drop(self.disconnect(m)));
        if moves {
            self.link_up(&[place, behind]);
            self.link_up(&[last, after]);
            self.link_up(&[before, first]);
        }
        for (&m, path) in changed.iter().zip(old) {
            self.paths[m] = path;
            self.add(m);
        }
    }

    fn link_up(&mut self, &[m, next]: &[usize; 2]) {
        (self.next[m], self.previous[next]) = (next, m);
    }

    fn ring(mut self) -> Ring {
        let order = std::iter::successors(Some(0), |&m| Some(self.next[m]).filter(|&m| m != 0));
        let order: Vec<usize> = order.collect();
        order.into_iter().map(|m| (self.members[m], std::mem::take(&mut self.paths[m]))).collect()
    }
}

/// The cost of one more path over a link.
fn excess(uses: u64, capacity: u64) -> u64 {
    (uses + 1).saturating_sub(capacity)
}
